"""Reader of what the client of a page prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import own_reports
from analysis.run.readers.files import read_object
from analysis.run.readers.own_reports import number, seconds
from tools.page.programs.page import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)


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
    with own_reports.refusing(name, "page"):
        return Report(
            end=own_reports.end(document, ENDS),
            error=own_reports.error(document),
            seconds=number(document["seconds"]),
            connections=tuple(
                own_reports.connection(opened, connected)
                for _origin, opened, connected in document["connections"]
            ),
            objects=tuple(_object(each) for each in document["objects"]),
        )


def _object(numbers: list[Any]) -> Loaded:
    ready, asked, first, end = map(seconds, numbers)
    return Loaded(ready, asked, first, end)
