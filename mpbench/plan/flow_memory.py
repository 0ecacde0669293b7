"""Memory that the connections of the tool `flows` take in a guest, at most.

Measured in the guest, with 500 and 2000 connections that opened at once over two links
of 100 Mbit/s: 32 to 36 kB for each transfer of 20 kB, and 67 to 145 kB for each of
200 kB, over TCP and MPTCP.
"""

import heapq
from collections.abc import Iterator, Sequence

from analysis.words import many
from jobs import Job
from jobs.entries import DrawnFlows
from jobs.guest import MIB
from mpbench.plan.flow_list import NS, Flow, drawn
from mpbench.plan.timing import round_trip_s, used_mbps
from topologies import families

BYTES_PER_CONNECTION = 16_000
"""Of both sockets, with nothing in their queues."""
MOST_QUEUED_BYTES = 130_000
"""Bytes that wait at both ends of a connection among many: its window is small."""
USED_SHARE = 0.5
"""The part of the guest's memory that connections may take."""
USABLE_SHARE = 0.8
"""The part of the capacity that many short transfers together get, for sure."""
LEAST_ROUND_TRIPS = 3


def faults(job: Job) -> Iterator[tuple[int, str]]:
    """Too many open connections, as the number of the job's entry and the reason."""
    has_bytes = USED_SHARE * job.memory_mib * MIB
    for index, entry in enumerate(job.traffic):
        if not isinstance(entry, DrawnFlows) or (
            entry.size is None and _in_centre(job)
        ):
            continue
        each = _bytes_each(entry)
        if entry.drawn.flows * each <= has_bytes:
            continue
        count = most_open_of(job, entry)
        if count * each > has_bytes:
            work = int(has_bytes / each)
            yield (
                index,
                f"up to {many(count, 'connection')} at a time, which take"
                f" {count * each / 1e6:.0f} MB, more than half of the guest's memory;"
                f" give fewer connections: {work} at a time work",
            )


def _in_centre(job: Job) -> bool:
    """Whether `long_connections` counts the job's connections without a size."""
    return families.is_name(job.topology or "")


def _bytes_each(entry: DrawnFlows) -> float:
    """The memory of one open connection."""
    mean = entry.drawn.bytes / entry.drawn.flows
    if entry.size is None:
        return BYTES_PER_CONNECTION + MOST_QUEUED_BYTES
    return BYTES_PER_CONNECTION + min(mean, MOST_QUEUED_BYTES)


def most_open_of(job: Job, entry: DrawnFlows) -> int:
    """The largest number of an entry's connections that are open at a time."""
    rate_bps = USABLE_SHARE * used_mbps(job, [entry]) * 1e6
    trips_s = LEAST_ROUND_TRIPS * round_trip_s(job.parameters)
    return most_open(drawn(entry, job.seed), rate_bps, trips_s)


def most_open(flows: Sequence[Flow], rate_bps: float, least_s: float) -> int:
    """The largest number of connections that are open at a time, if they share a rate
    evenly (processor sharing) and each lasts for some time at least.

    flows : by their starts
    rate_bps : what all of them share, bit/s
    least_s : seconds that a connection lasts at least

    A connection without a size lasts until its end. Others end there at the latest.
    """
    ends = []
    for flow, done_s in zip(flows, _shared_ends_s(flows, rate_bps), strict=True):
        start_s, limit_s = flow.start_ns / NS, flow.end_ns / NS
        wanted_s = max(done_s, start_s + least_s) if flow.size else limit_s
        ends.append(min(wanted_s, limit_s))
    most, open_ends = 0, list[float]()
    for flow, end_s in zip(flows, ends, strict=True):
        while open_ends and open_ends[0] <= flow.start_ns / NS:
            heapq.heappop(open_ends)
        heapq.heappush(open_ends, end_s)
        most = max(most, len(open_ends))
    return most


def _shared_ends_s(flows: Sequence[Flow], rate_bps: float) -> list[float]:
    """When each transfer ends under processor sharing, seconds."""
    ends = [0.0] * len(flows)
    active: list[tuple[float, int]] = []
    now_s = served = 0.0

    def serve_until(time_s: float) -> None:
        """Serve all active transfers evenly; `served` counts bits per transfer."""
        nonlocal now_s, served
        while active:
            lasts_s = (active[0][0] - served) * len(active) / rate_bps
            if now_s + lasts_s > time_s:
                served += (time_s - now_s) * rate_bps / len(active)
                break
            now_s += lasts_s
            served, number = heapq.heappop(active)
            ends[number] = now_s
        now_s = time_s

    for number, flow in enumerate(flows):
        serve_until(flow.start_ns / NS)
        if flow.size:
            heapq.heappush(active, (served + 8 * flow.size, number))
    serve_until(float("inf"))
    return ends
