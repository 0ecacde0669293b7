"""Results of many connections by mpbench-flows. `analysis.run.tools` describes each
function."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run import flow_times
from analysis.run.artefacts import Artefacts
from analysis.run.connections import Report
from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP, INCOMPLETE
from analysis.run.readers import files
from analysis.run.series import Line
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.flows import processes, reader
from tools.flows.record import Flows

PROCESS = processes.NAME
GAVE_UP = "timeout"
UNFINISHED = (GAVE_UP, "ETIMEDOUT")
"""Ends of a flow that the network can be the reason of, and not a fault of the run."""
SHOWN_FAULTS = 3
LEAST_SHARE_OF_PART = 0.5
"""A connection without a size counts in a part of the time if it was open for at least
this share of it."""


def read(folder: Path, index: int, entry: Traffic[Flows]) -> Report:
    return replace(reader.read(folder, index), interval_s=entry.record.interval_s)


def flow(entry: Traffic[Flows], report: Report) -> Flow:
    """All received bytes, from the entry's start to the end of its last connection.

    Connections without a size are streams, each with its own time: its bytes are
    scaled to the whole time, so that rates are compared.

    Raises ValueError if there is no connection.
    """
    if not report.flows:
        raise ValueError(f"{reader.FLOWS}: no connection")
    seconds = max(each.ended_s for each in report.flows) - entry.start_s
    streams: tuple[float, ...] = ()
    if entry.bulk:
        streams = tuple(
            each.received_bytes * seconds / max(each.ended_s - each.start_s, 1e-9)
            for each in report.flows
        )
    return Flow(seconds, sum(each.received_bytes for each in report.flows), streams)


def part(
    entry: Traffic[Flows], report: Report, start_s: float, end_s: float
) -> Flow | None:
    """Data that arrived in a part of the time, which here counts from the beginning of
    the traffic; an interval that lies partly inside counts in proportion."""
    whole = flow(entry, report)
    begins_s = max(start_s, entry.start_s)
    seconds = min(end_s, entry.start_s + whole.seconds) - begins_s
    if seconds <= 0:
        return None
    moved = flow_times.bytes_within(report, entry.record.interval_s, start_s, end_s)
    streams: list[float] = []
    for each in report.flows if entry.bulk else ():
        inside_s = min(each.ended_s, end_s) - max(each.start_s, start_s)
        if inside_s >= LEAST_SHARE_OF_PART * (end_s - start_s):
            streams.append(moved.get(each.number, 0.0) * seconds / inside_s)
    return Flow(seconds, sum(moved.values()), tuple(streams))


def columns(entry: Traffic[Flows], report: Report) -> Mapping[str, Any]:
    """The columns of the entry's connections; see `flow_times`."""
    fell_back = flow_times.fallback_columns([report])
    if entry.bulk:
        return {**flow_times.bulk_columns(report.flows), **fell_back}
    return {
        **flow_times.columns(report.flows),
        **fell_back,
        **flow_times.load_columns(entry, report),
    }


def part_columns(
    entry: Traffic[Flows], report: Report, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The completion times of the flows that were to open in a part of the time."""
    if entry.bulk:
        return {}
    inside = [each for each in report.flows if start_s <= each.start_s < end_s]
    return flow_times.columns(inside)


def wrong(entry: Traffic[Flows], report: Report) -> Iterator[str]:
    """Check that the connections are those of the job, and that none failed for a
    reason other than the network."""
    # Below a relay, the sockets are of TCP.
    protocol = "tcp" if entry.transport.is_quic else entry.transport.protocol
    if report.protocol != protocol:
        yield f"{report.protocol} sockets, not {protocol}"
    if report.controller != entry.transport.kernel_control:
        asked = entry.transport.kernel_control
        yield f"congestion control is {report.controller}, asked for {asked}"
    if len(report.flows) != entry.flows:
        yield f"{many(len(report.flows), 'connection')}, not {entry.flows}"
    sizes = [each.size for each in report.flows if each.size is not None]
    if sum(sizes) != (entry.flow_bytes or 0):
        yield f"{sum(sizes)} bytes asked of the sockets, not {entry.flow_bytes}"
    faults = [
        f"flow {each.number}: {each.error}"
        for each in report.flows
        if each.error and each.error not in UNFINISHED
    ]
    if faults:
        failed = many(len(faults), "connection")
        yield f"{failed} failed ({'; '.join(faults[:SHOWN_FAULTS])})"
    if not any(each.received_bytes for each in report.flows):
        yield "nothing was received"


def lasted(entry: Traffic[Flows], report: Report) -> Lasted:
    """The connections that were established, with the time and subflows of each.

    Where thousands of connections open, some lose the packets with which MPTCP begins.
    They go on over TCP, or over fewer paths, as in any network, and are counted. So
    nothing is asked of connections with a size but that they speak MPTCP at first.
    """
    there = [each for each in report.flows if each.connected_s is not None]
    if not entry.bulk:
        return Lasted(sum(each.subflows > 0 for each in there), 0.0)
    times = [each.ended_s - (each.connected_s or 0.0) for each in there]
    return Lasted(
        connections=len(there),
        seconds=min(times, default=0.0),
        each=tuple(zip(times, (each.subflows for each in there), strict=True)),
    )


def ending(_entry: Traffic[Flows], report: Report) -> tuple[str, str]:
    """The worst end of all connections, with the number of those that failed."""
    failed = [each for each in report.flows if each.error]
    if not failed:
        return COMPLETE, ""
    others = [each for each in failed if each.error != GAVE_UP]
    first = (others or failed)[0]
    words = (
        f"{len(failed)} of {many(len(report.flows), 'connection')} failed, the first"
    )
    words += f" by {first.error}"
    return (INCOMPLETE if others else GIVEN_UP), words


def connected(
    _entry: Traffic[Flows], report: Report
) -> tuple[int | None, float | None]:
    there = [f.connected_s for f in report.flows if f.connected_s is not None]
    return len(there), min(there, default=None)


def allowed(_entry: Traffic[Flows]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, _name: str) -> str:
    return files.tail(folder / "flows.err")


def over_time(run: Artefacts, index: int) -> tuple[str, Line]:
    """Bytes that all connections of an entry received in each interval."""
    entry, report = run.traffic[index], run.reports[index]
    last = max((interval for _, interval, _ in report.intervals), default=-1)
    counts = np.zeros(last + 1)
    for _, interval, count in report.intervals:
        counts[interval] += count
    first = int(entry.start_s / entry.record.interval_s)
    times = (np.arange(last + 1) + 0.5) * entry.record.interval_s
    line = Line(times[first:], (8e-6 * counts / entry.record.interval_s)[first:])
    return entry.title, line
