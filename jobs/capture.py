"""Places where the packets of a run are captured."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Length
from jobs.values import MOST_ENTRIES, Name
from topologies import fabric, families
from topologies.description import Description
from topologies.shaping import Shape
from topologies.wiring import Wiring


@dataclass(frozen=True, kw_only=True)
class Capture:
    """interfaces : names of the places to capture at
    full : whether whole packets are kept, and not only their heads
    """

    interfaces: Annotated[tuple[Name, ...], Length(1, MOST_ENTRIES)]
    full: bool


def places(
    description: Description,
    wiring: Wiring,
    shapes: Mapping[str, Shape],
    on_fabric: bool,
    whole_segments: bool = False,
) -> Collection[str]:
    """The names of all places to capture at: interfaces, and on the fabric the links
    too.

    whole_segments : whether hosts hand down whole segments, so that only links show
        frames
    """
    if not on_fabric:
        return wiring.captures
    if description.mesh:
        # The paths between hosts depend on the traffic, and the places do not.
        return families.centre(description.name).table(shapes, (), 0).places
    table = fabric.table(description, wiring, shapes)
    return table.captures if whole_segments else table.places
