"""Where the packets of a network can be captured."""

from collections.abc import Collection, Mapping

from mpbench.spec.suggestions import nearest
from topologies import Description, fabric, families
from topologies.shaping import Shape
from topologies.wiring import Wiring

MOST_NAMES = 40
"""A message lists so many names; of more, it names the nearest."""


def names(
    description: Description,
    wiring: Wiring,
    shapes: Mapping[str, Shape],
    on_fabric: bool,
) -> Collection[str]:
    """The names of all places: interfaces, and on the fabric the links too."""
    if not on_fabric:
        return wiring.captures
    if description.mesh:
        # The paths between hosts depend on the traffic, and the places do not.
        return families.centre(description.name).table(shapes, (), 0).places
    return fabric.table(description, wiring, shapes).places


def hint(name: str, known: Collection[str]) -> str:
    """What would work in place of a name, after the name of the network."""
    listed = sorted(known)
    if len(listed) <= MOST_NAMES:
        return f"has {', '.join(listed)}"
    near = nearest(name, listed)
    if near.startswith("did"):
        return f"has {len(listed)} others; {near}"
    return f"has {len(listed)} others, such as {listed[0]} and {listed[-1]}"
