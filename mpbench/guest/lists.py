"""Lists that readers of users' own tools return, checked inside the guest.

They go to `lists-traffic-N.json` among the artefacts: what arrived and series as pairs
of a time and a value, samples as values.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RECEIVED = "received"
"""Key under which a reader returns what arrived."""
MOST_VALUES = 100_000


@dataclass(frozen=True)
class Wanted:
    """Lists that a tool declares.

    received : whether it says what arrived
    samples, series : names of the lists of values, and of those of times and values
    zero_ns : the beginning of the traffic, ns of the monotonic clock
    """

    received: bool
    samples: Sequence[str]
    series: Sequence[str]
    zero_ns: int

    def __bool__(self) -> bool:
        return self.received or bool(self.samples) or bool(self.series)


def taken(said: dict[str, Any], wanted: Wanted) -> dict[str, Any]:
    """Take the lists out of what a reader returned. Times are then in seconds after the
    beginning of the traffic.

    Raises ValueError or TypeError, one line, for lists that cannot be.
    """
    found: dict[str, Any] = {"received": None, "samples": {}, "series": {}}
    if wanted.received:
        pairs = _pairs(RECEIVED, _list(said, RECEIVED), wanted.zero_ns)
        for _, count in pairs:
            if not isinstance(count, int) or count < 0:
                raise ValueError(f"{RECEIVED}: {count} is no number of bytes")
        found["received"] = pairs
    for name in wanted.samples:
        found["samples"][name] = [_number(name, v) for v in _list(said, name)]
    for name in wanted.series:
        found["series"][name] = _pairs(name, _list(said, name), wanted.zero_ns)
    return found


def _list(said: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = said.pop(name, None) if isinstance(said, dict) else None
    if not isinstance(value, list | tuple):
        kind = "missing" if value is None else f"a {type(value).__name__}"
        raise TypeError(f"{name} is {kind}, not a list")
    if len(value) > MOST_VALUES:
        raise ValueError(f"{name} has {len(value)} values; at most {MOST_VALUES} work")
    return value


def _pairs(name: str, pairs: Sequence[Any], zero_ns: int) -> list[list[float]]:
    found: list[list[float]] = []
    last_ns = zero_ns
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(f"{name} has an item that is no pair (time in ns, value)")
        time_ns, value = pair
        if isinstance(time_ns, bool) or not isinstance(time_ns, int):
            raise TypeError(f"{name}: a time is whole ns of the monotonic clock")
        if time_ns < last_ns:
            before = "the time before it" if found else "the beginning of the traffic"
            raise ValueError(f"{name}: the time {time_ns} ns is before {before}")
        last_ns = time_ns
        found.append([(time_ns - zero_ns) / 1e9, _number(name, value)])
    return found


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} has a {type(value).__name__}, not a number")
    if not math.isfinite(value):
        raise ValueError(f"{name} has {value}")
    return value
