"""Reader of what the client of pingpong prints."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object
from tools.pingpong.programs.pingpong import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)
MOST_NS = 10**18


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
    try:
        connected_s = document["connected_s"]
        return Report(
            end=_word(document["end"]),
            error=" ".join(str(document["error"]).split()),
            connected_s=None if connected_s is None else _seconds(connected_s),
            seconds=_seconds(document["seconds"]),
            times_ms=tuple(map(_ms, document["times_ns"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of pingpong ({reason})") from error


def percentile(ordered: Sequence[float], percent: int) -> float:
    """A percentile of sorted values, linear between neighbours."""
    at, part = divmod((len(ordered) - 1) * percent, 100)
    after = ordered[min(at + 1, len(ordered) - 1)]
    return ordered[at] + (after - ordered[at]) * part / 100


def _word(value: object) -> str:
    if value not in ENDS:
        raise ValueError(f"{str(value)[:40]!r} is not an end")
    return str(value)


def _seconds(value: object) -> float:
    seconds = float(value)  # type: ignore[arg-type]
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"{seconds} is not a time")
    return seconds


def _ms(value: object) -> float:
    if type(value) is not int or not 0 <= value <= MOST_NS:
        raise ValueError(f"{str(value)[:40]} is not a time in ns")
    return value / 1e6
