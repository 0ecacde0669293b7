"""Results of transfers by iperf3, from the reports of both ends.

`analysis.run.tools` describes each function.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run.artefacts import Artefacts
from analysis.run.clock import began_s
from analysis.run.events import Event
from analysis.run.readers import files
from analysis.run.series import Line
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from tools.iperf3 import reader
from tools.iperf3.reader import Interval
from tools.iperf3.record import Iperf3

ENDS = ("client", "server")
INTERVAL_SLACK = 0.05
"""Time by which an interval may end late, as a fraction of its length, because timers
fire late."""
BULK = True
READER = "mpbench-read: "
ESTABLISHED = ("established", "tcp_established")
CONTROL_CONNECTIONS = 1
"""Number of connections that iperf3 opens in addition to those with data."""


@dataclass(frozen=True)
class Reports:
    """The reports of both ends about one traffic entry."""

    client: reader.Report
    server: reader.Report
    held: Mapping[str, str] = field(default_factory=dict)
    """End to what `mpbench-read` said if its reads found the receive window full."""

    def of(self, end: str) -> reader.Report:
        """The report of an end, "client" or "server"."""
        return self.client if end == "client" else self.server


def read(folder: Path, index: int, _entry: Traffic[Iperf3]) -> Reports:
    reports = {}
    for end in ENDS:
        reports[end] = report = reader.read(folder / f"traffic-{index}-{end}.json")
        if report.error:
            raise ValueError(f"traffic-{index}-{end}: iperf3: {report.error}")
    return _with_words(reports, folder, index)


def salvage(folder: Path, index: int, _entry: Traffic[Iperf3]) -> Reports:
    """The intervals of both ends until an error, or until iperf3 was ended."""
    files_ = {end: folder / f"traffic-{index}-{end}.json" for end in ENDS}
    reports = {end: reader.read(path) for end, path in files_.items()}
    return _with_words(reports, folder, index)


def _with_words(
    reports: Mapping[str, reader.Report], folder: Path, index: int
) -> Reports:
    last = {end: files.tail(folder / f"traffic-{index}-{end}.err") for end in ENDS}
    held = {
        end: line.removeprefix(READER)
        for end, line in last.items()
        if line.startswith(READER)
    }
    return Reports(**reports, held=held)


def flow(entry: Traffic[Iperf3], report: Reports) -> Flow:
    """The receiver's intervals within the duration, or all of a transfer by size.

    The sender's intervals say when bytes entered its buffer, not when they arrived.
    After the duration the receiver only reads what was still on the way.

    Raises ValueError if there is no such interval.
    """
    within = _within(entry, report)
    if not within:
        raise ValueError("iperf3: the receiver reports no interval within the duration")
    return Flow(
        seconds=within[-1].end_s - within[0].start_s,
        bytes=sum(interval.bytes for interval in within),
        stream_bytes=_by_stream(within, [1] * len(within)),
    )


def part(
    entry: Traffic[Iperf3], report: Reports, start_s: float, end_s: float
) -> Flow | None:
    """The receiver's intervals within a part of the time.

    An interval that lies partly inside counts in proportion to its time inside.
    """
    within = _within(entry, report)
    seconds, weights = 0.0, []
    for interval in within:
        inside_s = min(interval.end_s, end_s) - max(interval.start_s, start_s)
        inside_s = max(0.0, inside_s)
        length_s = interval.end_s - interval.start_s
        seconds += inside_s
        weights.append(inside_s / length_s if length_s > 0 else 0.0)
    if seconds <= 0:
        return None
    streams = _by_stream(within, weights)
    return Flow(seconds=seconds, bytes=sum(streams), stream_bytes=streams)


def columns(_entry: Traffic[Iperf3], _report: Reports) -> Mapping[str, Any]:
    """No columns: what iperf3 measures is in the columns of every tool."""
    return {}


def wrong(entry: Traffic[Iperf3], report: Reports) -> Iterator[str]:
    """Check that the traffic lasted its duration, or sent its bytes, with all streams
    and in the right direction."""
    received = report.of(entry.receiver)
    if any(interval.sender for interval in received.intervals):
        yield f"the {entry.receiver} sent the data; it should have received them"
    if received.streams is not None and received.streams != entry.parallel:
        yield f"{received.streams} streams, not {entry.parallel}"
    slack_s = entry.record.interval_s * INTERVAL_SLACK
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
    if said := report.held.get(entry.receiver):
        yield f"the reader held the connection ({said}); give `read` a smaller size"


def lasted(entry: Traffic[Iperf3], report: Reports) -> Lasted:
    """The connections with data and the control connection, for the whole test."""
    return Lasted(entry.parallel + CONTROL_CONNECTIONS, report.of(entry.receiver).end_s)


def error_of(folder: Path, index: int, end: str) -> str:
    try:
        return reader.read(folder / f"traffic-{index}-{end}.json").error or ""
    except ValueError:
        return ""


def connected(
    _entry: Traffic[Iperf3], report: Reports
) -> tuple[int | None, float | None]:
    """The connections with data and the control connection. When they were established
    is not in iperf3's report."""
    streams = report.client.streams
    return (0 if streams is None else streams + CONTROL_CONNECTIONS), None


def allowed(_entry: Traffic[Iperf3]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    try:
        error = reader.read(folder / f"{name}.json").error
    except ValueError as unreadable:
        error = str(unreadable)
    return error or files.tail(folder / f"{name}.err")


def over_time(run: Artefacts, index: int) -> tuple[str, Line]:
    """The goodput per connection."""
    entry = run.traffic[index]
    slack_s = entry.record.interval_s * INTERVAL_SLACK
    within = _within(entry, run.reports[index])
    whole = [i for i in within if i.end_s - i.start_s > slack_s]
    name = entry.title
    name += f" (mean of {entry.parallel})" if entry.parallel > 1 else ""
    start_s = began_s(run, index)
    return name, Line(
        np.array([start_s + (i.start_s + i.end_s) / 2 for i in whole]),
        np.array([_rate_mbps(i) / entry.parallel for i in whole]),
    )


def intervals(
    entry: Traffic[Iperf3], report: Reports, slack_s: float
) -> Sequence[Interval]:
    """The receiver's intervals that end within the duration, or this much after it."""
    return report.of(entry.receiver).window(entry.duration_s, slack_s)


def excess_s(entry: Traffic[Iperf3], client_s: float) -> float:
    """The time by which the client exceeds its duration."""
    return max(0.0, client_s - entry.duration_s) if entry.duration_s else 0.0


def connected_s(entry: Traffic[Iperf3], events: Sequence[Event]) -> float | None:
    """When the receiver had the last connection with data; None if not all are known.

    events : of the entry, in order. The first connection carries none
    """
    receiver = entry.destination if entry.forward else entry.source
    made: dict[int, float] = {}
    for event in events:
        if event.name in ESTABLISHED and event.host == receiver:
            made.setdefault(event.port or 0, event.time_s)
    if len(made) != CONTROL_CONNECTIONS + entry.parallel:
        return None
    return max(made.values())


def round_trip_s(entry: Traffic[Iperf3], report: Reports) -> float | None:
    """The server's last interval of an upload ends one round trip after the duration,
    with the queues as they are then."""
    if not entry.forward or not entry.duration_s:
        return None
    late_s = report.server.end_s - entry.duration_s
    return float(late_s) if late_s > 0 else None


def longest_rtt_ms(entry: Traffic[Iperf3], report: Reports) -> float | None:
    return report.of(entry.sender).longest_rtt_ms


def receiver_file(index: int, entry: Traffic[Iperf3]) -> str:
    return f"traffic-{index}-{entry.receiver}.json"


def drawn(path: Path, entry: Traffic[Iperf3]) -> Sequence[Interval]:
    report = reader.read(path)
    slack_s = INTERVAL_SLACK * entry.record.interval_s
    within = report.window(entry.duration_s, slack_s)
    return [i for i in within if i.end_s - i.start_s > slack_s]


def _within(entry: Traffic[Iperf3], report: Reports) -> Sequence[Interval]:
    return intervals(entry, report, entry.record.interval_s * INTERVAL_SLACK)


def _rate_mbps(interval: Interval) -> float:
    return 8e-6 * interval.bytes / (interval.end_s - interval.start_s)


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
