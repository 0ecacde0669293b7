"""Places where the packets of a network can be captured."""

from collections.abc import Collection

from analysis.words import many
from mpbench.spec.suggestions import nearest

MOST_NAMES = 40
"""A message lists so many names; of more, it names the nearest."""


def hint(name: str, known: Collection[str]) -> str:
    """Names that would work in place of a name, after the name of the network."""
    listed = sorted(known)
    if len(listed) <= MOST_NAMES:
        return f"has {', '.join(listed)}"
    near = nearest(name, listed)
    if near.startswith("did"):
        return f"has {many(len(listed), 'other')}; {near}"
    return f"has {many(len(listed), 'other')}, such as {listed[0]} and {listed[-1]}"
