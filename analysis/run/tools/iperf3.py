"""Results of transfers by iperf3, from the reports of both ends.

`analysis.run.tools` describes each function.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.job import Traffic
from analysis.run.readers import files, iperf3
from analysis.run.readers.iperf3 import Interval
from analysis.run.tools import Flow, Lasted

ENDS = ("client", "server")
INTERVAL_SLACK = 0.05
"""How late an interval may end, as a fraction of its length, because timers fire
late."""
CONTROL_CONNECTIONS = 1
"""Number of connections that iperf3 opens in addition to those with data."""


@dataclass(frozen=True)
class Reports:
    """The reports of both ends about one traffic entry."""

    client: iperf3.Report
    server: iperf3.Report

    def of(self, end: str) -> iperf3.Report:
        """The report of an end, "client" or "server"."""
        return self.client if end == "client" else self.server


def read(folder: Path, index: int) -> Reports:
    reports = {}
    for end in ENDS:
        reports[end] = report = iperf3.read(folder / f"traffic-{index}-{end}.json")
        if report.error:
            raise ValueError(f"traffic-{index}-{end}: iperf3: {report.error}")
    return Reports(**reports)


def flow(entry: Traffic, report: Reports) -> Flow:
    """The receiver's intervals within the duration, or all of a transfer by size.

    The sender's intervals say when bytes entered its buffer, not when they arrived.
    After the duration the receiver only reads what was still on the way.

    Raises ValueError if there is no such interval.
    """
    slack_s = entry.interval_s * INTERVAL_SLACK
    intervals = report.of(entry.receiver).window(entry.duration_s, slack_s)
    if not intervals:
        raise ValueError("iperf3: the receiver reports no interval within the duration")
    return Flow(
        seconds=intervals[-1].end_s - intervals[0].start_s,
        bytes=sum(interval.bytes for interval in intervals),
        stream_bytes=_by_stream(intervals, [1] * len(intervals)),
    )


def part(entry: Traffic, report: Reports, start_s: float, end_s: float) -> Flow | None:
    """The receiver's intervals within a part of the time.

    An interval that lies partly inside counts in proportion to its time inside.
    """
    slack_s = entry.interval_s * INTERVAL_SLACK
    intervals = report.of(entry.receiver).window(entry.duration_s, slack_s)
    seconds, weights = 0.0, []
    for interval in intervals:
        inside_s = min(interval.end_s, end_s) - max(interval.start_s, start_s)
        inside_s = max(0.0, inside_s)
        length_s = interval.end_s - interval.start_s
        seconds += inside_s
        weights.append(inside_s / length_s if length_s > 0 else 0.0)
    if seconds <= 0:
        return None
    streams = _by_stream(intervals, weights)
    return Flow(seconds=seconds, bytes=sum(streams), stream_bytes=streams)


def columns(_entry: Traffic, _report: Reports) -> Mapping[str, Any]:
    """No columns: what iperf3 measures is in the columns of every tool."""
    return {}


def wrong(entry: Traffic, report: Reports) -> Iterator[str]:
    """Check that the traffic lasted its duration, or sent its bytes, with all streams
    and in the right direction."""
    received = report.of(entry.receiver)
    if any(interval.sender for interval in received.intervals):
        yield f"the {entry.receiver} sent the data; it should have received them"
    if received.streams is not None and received.streams != entry.parallel:
        yield f"{received.streams} streams, not {entry.parallel}"
    slack_s = entry.interval_s * INTERVAL_SLACK
    if entry.duration_s and received.end_s < entry.duration_s - slack_s:
        yield f"lasted {received.end_s:.3f} s of {entry.duration_s:g}"
    sent_bytes = sum(i.bytes for i in report.of(entry.sender).intervals)
    received_bytes = sum(i.bytes for i in received.intervals)
    # iperf3's server stops reading when the client has handed its last byte to the
    # kernel. So only the sender's count says whether everything was sent.
    if entry.bytes and sent_bytes < entry.bytes:
        yield f"{sent_bytes} bytes sent of {entry.bytes}"
    if not received_bytes:
        yield "nothing was received"


def lasted(entry: Traffic, report: Reports) -> Lasted:
    """The connections with data and the control connection, for the whole test."""
    return Lasted(entry.parallel + CONTROL_CONNECTIONS, report.of(entry.receiver).end_s)


def allowed(_entry: Traffic) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    try:
        error = iperf3.read(folder / f"{name}.json").error
    except ValueError as unreadable:
        error = str(unreadable)
    return error or files.tail(folder / f"{name}.err")


def _by_stream(
    intervals: Sequence[Interval], weights: Sequence[float]
) -> tuple[float, ...]:
    """The weighted sum of the intervals' bytes, for each stream."""
    streams = max(len(interval.stream_bytes) for interval in intervals)
    return tuple(
        sum(
            interval.stream_bytes[stream] * weight
            for interval, weight in zip(intervals, weights, strict=True)
            if stream < len(interval.stream_bytes)
        )
        for stream in range(streams)
    )
