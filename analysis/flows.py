"""What the receivers of a run read: of each traffic entry, whole or in part."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis import metrics
from analysis.artefacts import Artefacts
from analysis.asked import Traffic
from analysis.readers.iperf3 import Interval, Report

INTERVAL_SLACK = 0.05
"""How late an interval may end, as a part of its length: its timer's precision."""


@dataclass(frozen=True)
class Flow:
    """What the receiver of one traffic entry read.

    seconds : in which it was read: of the intervals that count, from first to last
    stream_bytes : of each parallel stream
    """

    seconds: float
    bytes: float
    stream_bytes: tuple[float, ...]

    @property
    def goodput_mbps(self) -> float:
        return metrics.goodput_mbps(self.bytes, self.seconds)


def flows(run: Artefacts) -> tuple[Flow, ...]:
    """One a traffic entry."""
    pairs = zip(run.asked.traffic, run.reports, strict=True)
    return tuple(flow(entry, both.of(entry.receiver)) for entry, both in pairs)


def flow(entry: Traffic, report: Report) -> Flow:
    """The receiver's intervals within the time asked; of a sized transfer, all.

    The sender's intervals say when bytes entered its buffer, not when they arrived,
    and after the time asked a receiver only drains what was under way.
    Raises ValueError if no interval counts.
    """
    intervals = _counting(entry, report)
    if not intervals:
        raise ValueError("iperf3: the receiver reports no interval within the time")
    return Flow(
        seconds=intervals[-1].end_s - intervals[0].start_s,
        bytes=sum(interval.bytes for interval in intervals),
        stream_bytes=_by_stream(intervals, [1.0] * len(intervals)),
    )


def part(
    entry: Traffic, report: Report, offset_s: float, start_s: float, end_s: float
) -> Flow | None:
    """What was read from `start_s` to `end_s` after the beginning of the traffic.

    offset_s : when the entry's first interval began. An interval that reaches over
    an edge counts in proportion. `seconds` is the part of the time in which the
    entry was on; None if it never was.
    """
    intervals = _counting(entry, report)
    lengths, weights = [], []
    for each in intervals:
        begin, until = each.start_s + offset_s, each.end_s + offset_s
        inside_s = max(0.0, min(until, end_s) - max(begin, start_s))
        lengths.append(inside_s)
        weights.append(inside_s / (until - begin) if until > begin else 0.0)
    if sum(lengths) <= 0:
        return None
    streams = _by_stream(intervals, weights)
    return Flow(seconds=sum(lengths), bytes=sum(streams), stream_bytes=streams)


def _counting(entry: Traffic, report: Report) -> tuple[Interval, ...]:
    slack_s = entry.interval_s * INTERVAL_SLACK
    return report.window(entry.duration_s, slack_s)


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
