"""Transfers by iperf3, from both ends' reports."""

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
"""How late an interval may end, as a part of its length: its timer's precision."""
CONTROL_CONNECTIONS = 1


@dataclass(frozen=True)
class Reports:
    """Both ends' reports of one traffic entry."""

    client: iperf3.Report
    server: iperf3.Report

    def of(self, end: str) -> iperf3.Report:
        return self.client if end == "client" else self.server


def read(folder: Path, index: int) -> Reports:
    reports = {}
    for end in ENDS:
        reports[end] = report = iperf3.read(folder / f"traffic-{index}-{end}.json")
        if report.error:
            raise ValueError(f"traffic-{index}-{end}: iperf3: {report.error}")
    return Reports(**reports)


def flow(entry: Traffic, report: Reports) -> Flow:
    """The receiver's intervals within the time asked; of a sized transfer, all.

    The sender's intervals say when bytes entered its buffer, not when they arrived,
    and after the time asked a receiver only drains what was under way.
    Raises ValueError if no interval counts.
    """
    slack_s = entry.interval_s * INTERVAL_SLACK
    intervals = report.of(entry.receiver).window(entry.duration_s, slack_s)
    if not intervals:
        raise ValueError("iperf3: the receiver reports no interval within the time")
    return Flow(
        seconds=intervals[-1].end_s - intervals[0].start_s,
        bytes=sum(interval.bytes for interval in intervals),
        stream_bytes=_by_stream(intervals, [1] * len(intervals)),
    )


def part(entry: Traffic, report: Reports, start_s: float, end_s: float) -> Flow | None:
    """An interval that reaches over an edge counts in proportion."""
    slack_s = entry.interval_s * INTERVAL_SLACK
    intervals = report.of(entry.receiver).window(entry.duration_s, slack_s)
    lengths, weights = [], []
    for each in intervals:
        inside_s = max(0.0, min(each.end_s, end_s) - max(each.start_s, start_s))
        lengths.append(inside_s)
        lasted_s = each.end_s - each.start_s
        weights.append(inside_s / lasted_s if lasted_s > 0 else 0.0)
    if sum(lengths) <= 0:
        return None
    streams = _by_stream(intervals, weights)
    return Flow(seconds=sum(lengths), bytes=sum(streams), stream_bytes=streams)


def columns(_entry: Traffic, _report: Reports) -> Mapping[str, Any]:
    return {}


def wrong(entry: Traffic, report: Reports) -> Iterator[str]:
    """Timed traffic lasted its time, sized traffic sent its bytes."""
    received = report.of(entry.receiver)
    if any(interval.sender for interval in received.intervals):
        yield f"the {entry.receiver} sent data, not received"
    if received.streams is not None and received.streams != entry.parallel:
        yield f"{received.streams} streams, not {entry.parallel}"
    slack_s = entry.interval_s * INTERVAL_SLACK
    if entry.duration_s and received.end_s < entry.duration_s - slack_s:
        yield f"lasted {received.end_s:.3f} s of {entry.duration_s:g}"
    sent, got = (
        sum(each.bytes for each in report.of(end).intervals)
        for end in (entry.sender, entry.receiver)
    )
    # A server of iperf3 stops reading when the client has handed over its last
    # byte, so it is the sender's count that tells whether all was sent.
    if entry.bytes and sent < entry.bytes:
        yield f"{sent} bytes sent of {entry.bytes}"
    if not got:
        yield "nothing was received"


def lasted(entry: Traffic, report: Reports) -> Lasted:
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
    streams = max(len(interval.stream_bytes) for interval in intervals)
    return tuple(
        sum(
            interval.stream_bytes[k] * weight
            for interval, weight in zip(intervals, weights, strict=True)
            if k < len(interval.stream_bytes)
        )
        for k in range(streams)
    )
