"""Parts of the reports that mpbench's own programs print as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from analysis.run.readers import values

MOST_NS = 10**18


@contextmanager
def refusing(name: str, tool: str) -> Iterator[None]:
    """Turn what a damaged report raises into a ValueError of one line.

    name : the file's name, for the message
    """
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of {tool} ({reason})") from error


def end(document: Mapping[str, Any], ends: Sequence[str]) -> str:
    """The word that says how a program ended, one of `ends`."""
    found = document["end"]
    if found not in ends:
        raise ValueError(f"{str(found)[:40]!r} is not an end")
    return str(found)


def error(document: Mapping[str, Any]) -> str:
    """The error that a program tells, on one line; "" for none."""
    return " ".join(str(document["error"]).split())


def number(value: object) -> float:
    """A time that a program computed itself, 0 or more."""
    return values.time(value)


def seconds(time_ns: object) -> float | None:
    """Seconds from whole nanoseconds; None for -1, which stands for never."""
    if type(time_ns) is not int or not -1 <= time_ns <= MOST_NS:
        raise ValueError(f"{str(time_ns)[:40]} is not a time in ns")
    return None if time_ns < 0 else time_ns / 1e9


def connection(opened_ns: object, connected_ns: object) -> tuple[float, float | None]:
    """When a connection began to connect, and when it was connected or None."""
    opened_s = seconds(opened_ns)
    if opened_s is None:
        raise ValueError("a connection that never began")
    return opened_s, seconds(connected_ns)
