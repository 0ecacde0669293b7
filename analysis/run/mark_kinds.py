"""The kinds of events that figures over time mark, for the keys of a figure."""

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "join": "a subflow joined",
    "stale": "a subflow went stale",
    "recovered": "a subflow came back",
    "backup": "a subflow became a backup, or none any more",
    "fallback": "a connection fell back to TCP",
    "closed": "a subflow ended before its connection",
}
"""The kinds of marks and their words."""
