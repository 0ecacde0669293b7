"""Network topologies, one a file.

Importing the room needs neither Mininet nor any third-party package: what a
topology can be asked for stands in `parameters`, the Mininet class in a file of
the topology's name.
"""

from topologies.parameters import TOPOLOGIES, Description, Parameter

__all__ = ["Description", "Parameter", "describe", "names"]


def names() -> tuple[str, ...]:
    """The topologies that there are, sorted."""
    return tuple(sorted(TOPOLOGIES))


def describe(name: str) -> Description:
    """The description of a topology.

    Raises KeyError for a name that is not one of `names()`.
    """
    return TOPOLOGIES[name]
