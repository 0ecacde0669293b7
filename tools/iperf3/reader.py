"""Reader of what one end prints with `iperf3 --json` (iperf 3.12)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object


@dataclass(frozen=True)
class Interval:
    """Data that one end sent or received in one interval.

    start_s, end_s : seconds since the start of the test
    bytes : sum over all streams
    stream_bytes : bytes of each stream, in the order of the file
    sender : True if this end sent the data
    """

    start_s: float
    end_s: float
    bytes: int
    stream_bytes: tuple[int, ...]
    sender: bool


@dataclass(frozen=True)
class Report:
    """The report of one end.

    error : iperf3's error message; None if there is none
    streams : number of parallel streams; None if the test never started
    longest_rtt_ms : the longest smoothed round trip that this end saw as a sender;
        None if it sent nothing or does not know
    """

    version: str
    error: str | None
    streams: int | None
    intervals: tuple[Interval, ...]
    longest_rtt_ms: float | None = None

    @property
    def end_s(self) -> float:
        """End of the last interval, seconds since the start; 0 without intervals."""
        return max((interval.end_s for interval in self.intervals), default=0.0)

    def window(self, seconds: float | None, slack_s: float) -> tuple[Interval, ...]:
        """The intervals that end within the first `seconds`; all if that is None.

        slack_s : how late an interval may end, because timers fire late
        """
        if seconds is None:
            return self.intervals
        return tuple(i for i in self.intervals if i.end_s <= seconds + slack_s)


def read(path: Path) -> Report:
    """Read a report.

    Raises ValueError if the file is missing, truncated or not iperf3's. An error that
    iperf3 itself reports does not raise, because the report also has what iperf3
    measured before.
    """
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        start = document.get("start") or {}
        intervals = tuple(_interval(i) for i in document.get("intervals") or ())
        test = start.get("test_start") or {}
        return Report(
            version=str(start.get("version", "")),
            error=values.text_or_none(document.get("error")),
            streams=values.count(test["num_streams"])
            if "num_streams" in test
            else None,
            intervals=intervals,
            longest_rtt_ms=_longest_rtt_ms(document),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of iperf3 ({reason})") from error


def _interval(interval: Mapping[str, Any]) -> Interval:
    total = interval["sum"]
    return Interval(
        start_s=values.real(total["start"]),
        end_s=values.real(total["end"]),
        bytes=values.count(total["bytes"]),
        stream_bytes=tuple(
            values.count(stream["bytes"]) for stream in interval["streams"]
        ),
        sender=bool(total.get("sender", False)),
    )


def _longest_rtt_ms(document: Mapping[str, Any]) -> float | None:
    """iperf3 asks the kernel once per interval."""
    streams = [
        stream
        for interval in document.get("intervals") or ()
        for stream in interval["streams"]
    ]
    told_us = [values.count(stream["rtt"]) for stream in streams if stream.get("rtt")]
    return max(told_us) / 1e3 if told_us else None
