"""Reader of what the player of a video prints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object
from tools.video.programs.video import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)
MOST_NS = 10**18


@dataclass(frozen=True)
class Chunk:
    """rate : number of its bitrate
    asked_s, end_s : when it was requested and when it was there
    before_s, after_s : video in the buffer at these two times
    """

    rate: int
    asked_s: float
    end_s: float
    before_s: float
    after_s: float


@dataclass(frozen=True)
class Report:
    """Times are in seconds after the player began; None for never.

    start_s : when the video began to play
    stalls : beginning and end of each time without video; the end of the report where
        it lasted until then
    """

    end: str
    error: str
    seconds: float
    connected_s: float | None
    start_s: float | None
    stalls: tuple[tuple[float, float], ...]
    chunks: tuple[Chunk, ...]


def read(path: Path) -> Report:
    """Read a report. Raises ValueError if the file is missing, truncated or of another
    program."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        if document["end"] not in ENDS:
            raise ValueError(f"{str(document['end'])[:40]!r} is not an end")
        seconds = _number(document["seconds"])
        stalls = [[*map(_seconds, each)] for each in document["stalls"]]
        return Report(
            end=document["end"],
            error=" ".join(str(document["error"]).split()),
            seconds=seconds,
            connected_s=_seconds(document["connected_ns"]),
            start_s=_seconds(document["start_ns"]),
            stalls=tuple(
                (begin_s or 0.0, seconds if end_s is None else end_s)
                for begin_s, end_s in stalls
            ),
            chunks=tuple(_chunk(each) for each in document["chunks"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of video ({reason})") from error


def _chunk(numbers: list[Any]) -> Chunk:
    rate, asked, end, before, after = numbers
    asked_s, end_s = _seconds(asked), _seconds(end)
    if type(rate) is not int or rate < 0 or asked_s is None or end_s is None:
        raise ValueError("a chunk without a bitrate or a time")
    return Chunk(rate, asked_s, end_s, _number(before), _number(after))


def _number(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{number} is not a time")
    return number


def _seconds(value: object) -> float | None:
    if type(value) is not int or not -1 <= value <= MOST_NS:
        raise ValueError(f"{str(value)[:40]} is not a time in ns")
    return None if value < 0 else value / 1e9
