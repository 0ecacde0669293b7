"""Between which hosts the traffic of a job flows."""

from collections.abc import Iterable, Mapping
from typing import Any

Pair = tuple[str, str]


def pairs(entry: Mapping[str, Any]) -> list[Pair]:
    """The pairs (from, to) of a job's traffic entry.

    An entry of the tool `flows` between many hosts has a list of them. Any other entry
    has a single pair.
    """
    listed = entry.get("pairs")
    if listed is None:
        return [(entry["from"], entry["to"])]
    return [(here, there) for here, there in listed]


def all_pairs(entries: Iterable[Mapping[str, Any]]) -> list[Pair]:
    """The pairs of several entries, each once, in order."""
    return list(dict.fromkeys(pair for entry in entries for pair in pairs(entry)))


def ends(entry: Mapping[str, Any], end: int) -> list[str]:
    """The hosts at one end of an entry's pairs, each once. end : 0 for `from`"""
    return list(dict.fromkeys(pair[end] for pair in pairs(entry)))
