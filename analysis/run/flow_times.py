"""Metrics of many connections: completion times, goodput and load.

The functions take the flows of `analysis.run.connections`. A flow that did not
complete has no completion time: it is counted, and in a percentile it ranks behind all
that did.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import stdev
from typing import Any

from analysis.run import metrics
from analysis.run.connections import Flow, Report
from analysis.run.traffic import Traffic

PERCENTILES = {"median": 50, "p95": 95, "p99": 99}
CLASSES = {"short": (0, 100_000), "medium": (100_000, 10**7), "long": (10**7, math.inf)}
"""Sizes above the first number and up to the second, in bytes: the classes of Alizadeh
et al., "pFabric", SIGCOMM 2013, sec. 5.4."""


def completion_s(flow: Flow) -> float | None:
    """From the time at which a flow was to open until its receiver read the end of the
    data; None if it did not complete."""
    return None if flow.completed_s is None else flow.completed_s - flow.start_s


def percentile_s(
    times: Sequence[float], unfinished: int, percent: float
) -> float | None:
    """A percentile of the completion times of all flows, seconds.

    times : of the flows that completed
    unfinished : number of the other flows, which rank behind
    percent : 0 to 100

    Linear between neighbours, as in `numpy.percentile`. None if it is that of a flow
    that did not complete, or if there is no flow.
    """
    count = len(times) + unfinished
    if not count:
        return None
    place = percent / 100 * (count - 1)
    low, high = math.floor(place), math.ceil(place)
    if high >= len(times):
        return None
    ranked = sorted(times)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])


def columns(flows: Sequence[Flow]) -> dict[str, Any]:
    """The columns of flows that have a size.

    flows, unfinished_flows : their number, and how many of them did not complete
    completion_time_s : mean over those that did; None if none did
    completion_time_deviation_s : sample standard deviation of these times
    completion_time_median_s, _p95_s, _p99_s : percentiles over all
    flow_goodput_mbps : mean over completed flows of size over completion time
    CLASS_flows, CLASS_unfinished_flows, CLASS_completion_time_s,
    CLASS_completion_time_p99_s : the same of the flows of a class of sizes, for classes
        that have flows
    """
    rates = [
        8e-6 * (flow.size or 0) / time_s
        for flow in flows
        if (time_s := completion_s(flow))
    ]
    found = {
        "flows": len(flows),
        **_times(flows, ""),
        "flow_goodput_mbps": _mean(rates),
    }
    for name, (low, high) in CLASSES.items():
        of_class = [flow for flow in flows if low < (flow.size or 0) <= high]
        if of_class:
            found[f"{name}_flows"] = len(of_class)
            found |= _times(of_class, f"{name}_", ("p99",))
    return found


def _times(
    flows: Sequence[Flow], prefix: str, keys: Iterable[str] = tuple(PERCENTILES)
) -> dict[str, Any]:
    times = [time for time in map(completion_s, flows) if time is not None]
    unfinished = len(flows) - len(times)
    name = f"{prefix}completion_time"
    return {
        f"{prefix}unfinished_flows": unfinished,
        f"{name}_s": _mean(times),
        f"{name}_deviation_s": stdev(times) if len(times) > 1 else None,
        **{
            f"{name}_{key}_s": percentile_s(times, unfinished, PERCENTILES[key])
            for key in keys
        },
    }


def fallback_columns(reports: Iterable[Report]) -> dict[str, int]:
    """The column on MPTCP connections that fell back; none if all are TCP.

    fell_back_flows : how many were MPTCP at first, and TCP at their end
    """
    mptcp = [report for report in reports if report.protocol == "mptcp"]
    fell_back = sum(
        flow.subflows == 0 and flow.connected_s is not None
        for report in mptcp
        for flow in report.flows
    )
    return {"fell_back_flows": fell_back} if mptcp else {}


def bulk_columns(flows: Sequence[Flow]) -> dict[str, Any]:
    """The columns of flows that send for a given time.

    flows : their number
    flow_goodput_mbps : mean over the flows of bytes over the flow's own time
    user_mbps, user_jain : the mean over users of the sum over their flows, and Jain's
        index of these sums; None for a single user
    """
    rates: dict[tuple[str, int], float] = {}
    for flow in flows:
        seconds = flow.ended_s - flow.start_s
        mbps = metrics.goodput_mbps(flow.received_bytes, seconds) if seconds else 0.0
        key = (flow.source, flow.user)
        rates[key] = rates.get(key, 0.0) + mbps
    users = list(rates.values())
    several = len(users) > 1 and any(users)
    return {
        "flows": len(flows),
        "flow_goodput_mbps": sum(users) / len(flows) if flows else None,
        "user_mbps": _mean(users),
        "user_jain": metrics.jain(users) if several else None,
    }


def load_columns(entry: Traffic[Any], report: Report) -> dict[str, Any]:
    """The load that an entry offers, and what of it is carried in the same time.

    offered_load_mbps : bytes of all flows over the time in which users open them
    carried_load_mbps : bytes that arrive in this time, over it

    Both are None where all connections open at once.
    """
    seconds = entry.duration_s or 0.0
    if seconds <= 0:
        return {"offered_load_mbps": None, "carried_load_mbps": None}
    end_s = entry.start_s + seconds
    moved = bytes_within(report, report.interval_s, entry.start_s, end_s)
    offered = sum(flow.size or 0 for flow in report.flows)
    return {
        "offered_load_mbps": 8e-6 * offered / seconds,
        "carried_load_mbps": 8e-6 * sum(moved.values()) / seconds,
    }


def bytes_within(
    report: Report, interval_s: float, start_s: float, end_s: float
) -> Mapping[int, float]:
    """The bytes of each flow, by its number, that arrived in a part of the time.

    interval_s : length of the report's intervals
    start_s, end_s : seconds after the beginning of the traffic

    An interval counts in proportion to its time inside. Of an interval in which a flow
    opened or ended, only the time in which it was open counts.
    """
    spans = {flow.number: (flow.start_s, flow.ended_s) for flow in report.flows}
    found: dict[int, float] = {}
    for number, interval, count in report.intervals:
        opened, ended = spans[number]
        begin = max(interval * interval_s, opened)
        end = max(min((interval + 1) * interval_s, ended), begin)
        inside = min(end, end_s) - max(begin, start_s)
        share = min(inside / (end - begin), 1.0) if end > begin else float(inside >= 0)
        if share > 0:
            found[number] = found.get(number, 0.0) + count * share
    return found


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
