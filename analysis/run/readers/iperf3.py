"""`iperf3 --json`: the intervals of one end (iperf 3.12)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object


@dataclass(frozen=True)
class Interval:
    """What one end moved in one interval, all streams together.

    start_s, end_s : since the start of the test
    stream_bytes : of each stream, in the order of the file
    sender : whether this end was the sender
    """

    start_s: float
    end_s: float
    bytes: int
    stream_bytes: tuple[int, ...]
    sender: bool


@dataclass(frozen=True)
class Report:
    """One end's report.

    error : what iperf3 says went wrong, or None
    streams : parallel streams of the test, None if it never started
    """

    version: str
    error: str | None
    streams: int | None
    intervals: tuple[Interval, ...]

    @property
    def end_s(self) -> float:
        """When the last interval ended; 0 without intervals."""
        return max((interval.end_s for interval in self.intervals), default=0.0)

    def window(self, seconds: float | None, slack_s: float) -> tuple[Interval, ...]:
        """The intervals that end within the first `seconds` (None: all).

        slack_s : how late an interval may end, for a timer that fires late
        """
        if seconds is None:
            return self.intervals
        return tuple(i for i in self.intervals if i.end_s <= seconds + slack_s)


def read(path: Path) -> Report:
    """The report in a file that `iperf3 --json` wrote.

    Raises ValueError if it is no such file or was cut short; an error that iperf3
    itself reports is a value, since what it measured until then stands beside it.
    """
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    try:
        start = document.get("start") or {}
        intervals = tuple(_interval(each) for each in document.get("intervals") or ())
        test = start.get("test_start") or {}
        return Report(
            version=str(start.get("version", "")),
            error=document.get("error"),
            streams=int(test["num_streams"]) if "num_streams" in test else None,
            intervals=intervals,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of iperf3 ({what})") from error


def _interval(each: Mapping[str, Any]) -> Interval:
    total = each["sum"]
    return Interval(
        start_s=float(total["start"]),
        end_s=float(total["end"]),
        bytes=int(total["bytes"]),
        stream_bytes=tuple(int(stream["bytes"]) for stream in each["streams"]),
        sender=bool(total.get("sender", False)),
    )
