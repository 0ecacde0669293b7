"""Reader of what the player of a video prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import own_reports
from analysis.run.readers.files import read_object
from analysis.run.readers.own_reports import number, seconds
from tools.video.programs.video import COMPLETE, FAILED, GIVEN_UP, STOPPED

ENDS = (COMPLETE, GIVEN_UP, STOPPED, FAILED)


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
    with own_reports.refusing(name, "video"):
        lasted_s = number(document["seconds"])
        stalls = [[*map(seconds, each)] for each in document["stalls"]]
        return Report(
            end=own_reports.end(document, ENDS),
            error=own_reports.error(document),
            seconds=lasted_s,
            connected_s=seconds(document["connected_ns"]),
            start_s=seconds(document["start_ns"]),
            stalls=tuple(
                (begin_s or 0.0, lasted_s if end_s is None else end_s)
                for begin_s, end_s in stalls
            ),
            chunks=tuple(_chunk(each) for each in document["chunks"]),
        )


def _chunk(numbers: list[Any]) -> Chunk:
    rate, asked, end, before, after = numbers
    asked_s, end_s = seconds(asked), seconds(end)
    if type(rate) is not int or rate < 0 or asked_s is None or end_s is None:
        raise ValueError("a chunk without a bitrate or a time")
    return Chunk(rate, asked_s, end_s, number(before), number(after))
