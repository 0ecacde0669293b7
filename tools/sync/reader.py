"""Reader of what the client of a sync prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object
from tools.sync.programs.sync import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)
MOST_NS = 10**18


@dataclass(frozen=True)
class Copied:
    """The times of a file, in seconds after the client began; None for never.

    begun_s : when a connection began with it
    first_s : when its first byte was read, or written
    done_s : when its last byte was read, or the server said that it was there
    """

    begun_s: float | None
    first_s: float | None
    done_s: float | None


@dataclass(frozen=True)
class Report:
    """end : one of `ENDS`; error : the error of a connection that failed, or what was
        done when the client gave up
    connections : when each began to connect, and when it was connected or None
    files : in the order in which they were to begin
    """

    end: str
    error: str
    seconds: float
    connections: tuple[tuple[float, float | None], ...]
    files: tuple[Copied, ...]

    @property
    def done_s(self) -> list[float]:
        """When each file was done that was, in order."""
        return sorted(one.done_s for one in self.files if one.done_s is not None)


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
            files=tuple(_file(each) for each in document["files"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of sync ({reason})") from error


def _connection(numbers: list[Any]) -> tuple[float, float | None]:
    opened_ns, connected_ns = numbers
    opened_s = _seconds(opened_ns)
    if opened_s is None:
        raise ValueError("a connection that never began")
    return opened_s, _seconds(connected_ns)


def _file(numbers: list[Any]) -> Copied:
    begun, first, done = map(_seconds, numbers)
    if done is not None and (begun is None or first is None):
        raise ValueError("a file that was done and never began")
    return Copied(begun, first, done)


def _seconds(value: object) -> float | None:
    if type(value) is not int or not -1 <= value <= MOST_NS:
        raise ValueError(f"{str(value)[:40]} is not a time in ns")
    return None if value < 0 else value / 1e9
