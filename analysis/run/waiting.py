"""Columns of what kept data back: windows, buffers, order, and interruptions."""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from analysis.run import clock, tools
from analysis.run import events as record_of_events
from analysis.run.artefacts import Artefacts
from analysis.run.explain.subflows import Connection, connections
from analysis.run.explain.times import LIMITS, Shares, shares
from analysis.run.readers.counters import total


def columns(run: Artefacts, artefacts: Path) -> dict[str, Any]:
    """The columns of a run; one whose source is missing is None.

    artefacts : the folder with `events.csv`

    out_of_order_ratio : packets that reached MPTCP before older data of the connection,
        over segments sent for the first time
    duplicate_ratio : packets whose data had arrived before, over the same
    limited_by_window, limited_by_buffer, limited_by_network, limited_by_application :
        the share of the time in which the receiver's window, the send buffer, or the
        congestion window with the network held data back, and in which there was no
        data; means over subflows, weighted by the bytes that were acknowledged, 0-1.
        The buffer is None for MPTCP: its subflows share one, and a full one leaves them
        without data
    interruption_s : the longest time in which a receiver read nothing, in whole
        intervals of its report; seconds

    PHASE.interruption_s : the same in a phase

    Raises ValueError if the events are damaged.
    """
    return {
        **_order(run),
        **_limits(run, artefacts),
        "interruption_s": _longest(run),
        **{
            f"{phase}.interruption_s": _longest(run, start_s, end_s)
            for phase, (start_s, end_s) in run.job.phases.items()
        },
    }


def _order(run: Artefacts) -> dict[str, float | None]:
    """The columns of packets that came too early, or again."""
    shown = [entry for entry in run.traffic if entry.transport.is_mptcp]
    senders = dict.fromkeys(h for entry in shown for h in entry.sending_hosts)
    hosts = dict.fromkeys(
        h for entry in shown for h in (*entry.sources, *entry.destinations)
    )
    sent = sum(run.counters[host].segments_sent for host in senders)
    counters = [run.counters[host] for host in hosts]
    counts = {
        "out_of_order_ratio": total(counters, "OFOQueue"),
        "duplicate_ratio": total(counters, "DuplicateData"),
    }
    return {
        column: count / sent if sent and count is not None else None
        for column, count in counts.items()
    }


def _limits(run: Artefacts, artefacts: Path) -> dict[str, float | None]:
    """The columns of shares of time, from the last states of subflows."""
    noted = record_of_events.load(artefacts)
    found = list(_shares(run, connections(noted, run.traffic))) if noted else []
    weight = sum(acked for acked, _, _ in found)
    if not weight:
        return dict.fromkeys(LIMITS)
    means: dict[str, float | None] = {
        name: sum(acked * shares[index] for acked, _, shares in found) / weight
        for index, name in enumerate(LIMITS)
    }
    if any(mptcp for _, mptcp, _ in found):
        means["limited_by_buffer"] = None
    return means


def _shares(
    run: Artefacts, every: tuple[Connection, ...]
) -> Iterator[tuple[int, bool, Shares]]:
    """The acknowledged bytes, whether it is of MPTCP, and the shares of each subflow at
    a host that sends data."""
    ranks = [{host: n for n, host in enumerate(e.sending_hosts)} for e in run.traffic]
    for one in every:
        entry, rank = run.traffic[one.entry], ranks[one.entry]
        if entry.background:
            continue
        mptcp = entry.transport.is_mptcp
        for subflow in one.subflows:
            ends = {event.host for event in subflow.both if event.host in rank}
            for host in sorted(ends, key=rank.__getitem__):
                if (found := shares(subflow, host, mptcp)) is not None:
                    yield found[0], mptcp, found[1]


def _longest(run: Artefacts, start_s: float = -inf, end_s: float = inf) -> float | None:
    """The longest interruption of any entry whose receiver reports intervals.

    start_s, end_s : a part of the time, after the beginning of the traffic. An interval
        belongs to it if its middle does
    """
    found: list[float] = []
    for index, (entry, report) in enumerate(zip(run.traffic, run.reports, strict=True)):
        intervals = tools.has(entry, "intervals")
        if intervals is None or report is None or entry.background:
            continue
        if entry.record.interval_s is None:
            continue
        zero_s = clock.began_s(run, index) if end_s < inf else 0.0
        since_s = None
        for interval in intervals(entry, report, entry.record.interval_s / 2):
            middle_s = zero_s + (interval.start_s + interval.end_s) / 2
            if not start_s <= middle_s < end_s:
                continue
            found.append(0.0)
            if interval.bytes:
                since_s = None
                continue
            since_s = interval.start_s if since_s is None else since_s
            found.append(_whole(interval.end_s - since_s, entry.record.interval_s))
    return max(found, default=None)


def _whole(seconds: float, interval_s: float) -> float:
    """The nearest multiple of an interval, in seconds.

    iperf3 ends an interval some microseconds late. Without this, two runs with the same
    number of silent intervals would differ, and a comparison would count a winner.
    """
    return round(round(seconds / interval_s) * interval_s, 6)
