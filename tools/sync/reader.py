"""Reader of what the client of a sync prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import own_reports
from analysis.run.readers.files import read_object
from analysis.run.readers.own_reports import number, seconds
from tools.sync.programs.sync import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)


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
    with own_reports.refusing(name, "sync"):
        return Report(
            end=own_reports.end(document, ENDS),
            error=own_reports.error(document),
            seconds=number(document["seconds"]),
            connections=tuple(
                own_reports.connection(opened, connected)
                for opened, connected in document["connections"]
            ),
            files=tuple(_file(each) for each in document["files"]),
        )


def _file(numbers: list[Any]) -> Copied:
    begun, first, done = map(seconds, numbers)
    if done is not None and (begun is None or first is None):
        raise ValueError("a file that was done and never began")
    return Copied(begun, first, done)
