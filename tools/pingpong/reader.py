"""Reader of what the client of pingpong prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import own_reports
from analysis.run.readers.files import read_object
from analysis.run.readers.own_reports import MOST_NS, number
from tools.pingpong.programs.pingpong import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)


@dataclass(frozen=True)
class Report:
    """The exchanges of one entry.

    end : one of `ENDS`; error : the error of a connection that did not go on, or ""
    connected_s : time that connecting took; None if it never was
    seconds : from the connection until the end of the last exchange
    times_ms : of all exchanges, in their order
    """

    end: str
    error: str
    connected_s: float | None
    seconds: float
    times_ms: tuple[float, ...]


def read(path: Path) -> Report:
    """Read a report. Raises ValueError if the file is missing, truncated or of another
    program."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object. `name` is the file's name in error messages."""
    with own_reports.refusing(name, "pingpong"):
        connected_s = document["connected_s"]
        return Report(
            end=own_reports.end(document, ENDS),
            error=own_reports.error(document),
            connected_s=None if connected_s is None else number(connected_s),
            seconds=number(document["seconds"]),
            times_ms=tuple(map(_ms, document["times_ns"])),
        )


def percentile(ordered: Sequence[float], percent: int) -> float:
    """A percentile of sorted values, linear between neighbours."""
    at, part = divmod((len(ordered) - 1) * percent, 100)
    after = ordered[min(at + 1, len(ordered) - 1)]
    return ordered[at] + (after - ordered[at]) * part / 100


def _ms(value: object) -> float:
    if type(value) is not int or not 0 <= value <= MOST_NS:
        raise ValueError(f"{str(value)[:40]} is not a time in ns")
    return value / 1e6
