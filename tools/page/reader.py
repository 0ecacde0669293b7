"""Reader of what the client of a page prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object
from tools.page.programs.page import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)
MOST_NS = 10**18


@dataclass(frozen=True)
class Loaded:
    """The times of an object, in seconds after the client began; None for never.

    ready_s : when all that it waits for had arrived
    asked_s : when it was requested
    first_s, end_s : when its first and its last byte arrived
    """

    ready_s: float | None
    asked_s: float | None
    first_s: float | None
    end_s: float | None


@dataclass(frozen=True)
class Report:
    """end : one of `ENDS`; error : the error of a connection that failed, or what was
        there when the client gave up
    connections : when each began to connect, and when it was connected or None
    """

    end: str
    error: str
    seconds: float
    connections: tuple[tuple[float, float | None], ...]
    objects: tuple[Loaded, ...]

    @property
    def ends_s(self) -> list[float]:
        """When each object arrived that did, in order."""
        return sorted(one.end_s for one in self.objects if one.end_s is not None)


def read(path: Path) -> Report:
    """Read a report. Raises ValueError if the file is missing, truncated or of another
    program."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        if document["end"] not in ENDS:
            raise ValueError(f"{str(document['end'])[:40]!r} is not an end")
        return Report(
            end=document["end"],
            error=" ".join(str(document["error"]).split()),
            seconds=float(document["seconds"]),
            connections=tuple(_connection(each) for each in document["connections"]),
            objects=tuple(_object(each) for each in document["objects"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of page ({reason})") from error


def _connection(numbers: list[Any]) -> tuple[float, float | None]:
    _origin, opened_ns, connected_ns = numbers
    opened_s = _seconds(opened_ns)
    if opened_s is None:
        raise ValueError("a connection that never began")
    return opened_s, _seconds(connected_ns)


def _object(numbers: list[Any]) -> Loaded:
    ready, asked, first, end = map(_seconds, numbers)
    return Loaded(ready, asked, first, end)


def _seconds(value: object) -> float | None:
    if type(value) is not int or not -1 <= value <= MOST_NS:
        raise ValueError(f"{str(value)[:40]} is not a time in ns")
    return None if value < 0 else value / 1e9
