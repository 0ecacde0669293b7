"""Amount that the fake backend's traffic delivers, by a formula that models no TCP."""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.run.payload import MPTCP_BYTES, TCP_BYTES
from jobs import Entry, Job
from jobs.entries import DrawnFlows
from mpbench.backends.fake_changes import mean_shape
from mpbench.plan.flow_list import NS
from tools import part
from topologies.shaping import FRAME_BYTES, Shape

UTILISATION = (0.93, 0.97)


Path = tuple[str, int]
"""A host that opens connections, and the number of one of its paths."""


@dataclass(frozen=True)
class Transfer:
    """One connection: its user, size (0 for none), times in ns, and what arrived."""

    user: int
    size: int
    start_ns: int
    end_ns: int
    received: int
    complete: bool


@dataclass(frozen=True)
class Flow:
    """Bytes that one traffic entry carried while it ran.

    bytes : of payload, received
    path_bytes : of payload, by host and path (1-based); the sum is `bytes`
    link_bytes : of payload, by link
    transfers : each connection, where the tool has one process for all entries
    reverse : whether the payload goes to the hosts that open connections
    """

    begin_s: float
    seconds: float
    bytes: int
    path_bytes: Mapping[Path, int]
    link_bytes: Mapping[str, int]
    payload_bytes: int
    retransmits: int
    transfers: tuple[Transfer, ...] = ()
    reverse: bool = False


def fake_of(entry: Entry) -> Any:
    """The part `fake` of an entry's tool."""
    return part(entry.tool, "fake")


def connections_of(job: Job, entry: Entry, flow: Flow) -> int:
    """The number of connections that an entry opens; a proxy opens as many as the entry
    that it serves."""
    own = entry if entry.served is None else job.traffic[entry.served]
    count: int = fake_of(own).connections(own, flow)
    return count


def hosts_of(entry: Entry) -> tuple[str, ...]:
    """The hosts that open an entry's connections; in a data centre, one of them."""
    if not isinstance(entry, DrawnFlows) or entry.counts is None:
        return (entry.source,)
    opened = zip(entry.between, entry.drawn.pairs or (), strict=True)
    return tuple(here for (here, _), count in opened if count)


def paths_of(job: Job, entry: Entry) -> dict[Path, tuple[str, ...]]:
    """The links of each path that an entry's transport takes."""
    transport = job.transport_of(entry)
    only = (transport.path or 1) if transport.one_path else None
    return {
        (host, number): links
        for host in hosts_of(entry)
        for number, links in enumerate(job.description.user(host).paths, start=1)
        if only in (None, number)
    }


def bottlenecks(job: Job, forward: bool) -> dict[str, Shape]:
    """The shape of every link that has a capacity, in one direction."""
    return {link: mean_shape(job, link, forward) for link in job.description.links}


def flow(job: Job, index: int) -> Flow:
    """Links are filled to 93-97 % in the direction of the payload, less under loss, in
    even parts for all paths over them, and paths to what their narrowest link has."""
    entry = job.traffic[index]
    if entry.served is not None:
        return _passed_on(job, index, entry.served)
    is_mptcp = job.transport_of(entry).is_mptcp
    payload = MPTCP_BYTES if is_mptcp else TCP_BYTES
    used = paths_of(job, entry)
    rates = _rates(job, index)
    # MPTCP gets more of the sum of the paths if they are alike.
    spread = (max(rates.values()) - min(rates.values())) / max(rates.values())
    share = (1 - 0.2 * spread) * payload / FRAME_BYTES
    total_bps = share * 1e6 * sum(rates.values())
    seconds = entry.duration_s
    each: tuple[Transfer, ...] = ()
    transfers = getattr(fake_of(entry), "transfers", None)
    if transfers is not None:
        each = tuple(transfers(entry, job.seed, total_bps))
        seconds = max(one.end_ns for one in each) / NS - entry.start_s
        share *= 8 * sum(one.received for one in each) / (total_bps * seconds)
    elif seconds is None:
        requests = entry.request_count
        amount = (entry.bytes or 0) * (requests or 1)
        seconds = amount * 8 / total_bps
    path_bytes = {
        path: int(share * 1e6 * rate * seconds / 8) for path, rate in rates.items()
    }
    link_bytes: Counter[str] = Counter()
    for path, count in path_bytes.items():
        link_bytes.update(dict.fromkeys(used[path], count))
    return Flow(
        begin_s=float(entry.start_s),
        seconds=float(seconds),
        bytes=sum(path_bytes.values()),
        path_bytes=path_bytes,
        link_bytes=link_bytes,
        payload_bytes=payload,
        retransmits=sum(path_bytes.values()) // payload // 500,
        reverse=entry.reverse,
        transfers=each,
    )


def _rates(job: Job, index: int) -> dict[Path, float]:
    """The rate of each path of an entry in Mbit/s; in all, no more than its proxies
    can pass on."""
    entry = job.traffic[index]
    shapes = bottlenecks(job, forward=not entry.reverse)
    load = Counter(
        link
        for other in job.traffic
        for links in paths_of(job, other).values()
        for link in links
    )

    def own(number: int) -> dict[Path, float]:
        return {
            path: min(
                _rate_mbps(shapes[link]) * _utilisation(job, number, link) / load[link]
                for link in links
                if link in shapes
            )
            for path, links in paths_of(job, job.traffic[number]).items()
        }

    rates = own(index)
    behind = [
        sum(own(number).values())
        for number, other in enumerate(job.traffic)
        if other.served == index
    ]
    share = min(1.0, *(rate / sum(rates.values()) for rate in behind), 1.0)
    return {path: share * rate for path, rate in rates.items()}


def _passed_on(job: Job, index: int, served: int) -> Flow:
    """The bytes that a proxy passes on: those of its entry, over the paths of its own
    host in proportion to their rates."""
    came, used = flow(job, served), paths_of(job, job.traffic[index])
    rates = _rates(job, index)
    path_bytes = {
        path: int(came.bytes * rate / sum(rates.values()))
        for path, rate in rates.items()
    }
    link_bytes: Counter[str] = Counter()
    for path, count in path_bytes.items():
        link_bytes.update(dict.fromkeys(used[path], count))
    return replace(
        came,
        path_bytes=path_bytes,
        link_bytes=link_bytes,
        bytes=sum(path_bytes.values()),
    )


def virtual_s(flows: Sequence[Flow]) -> float:
    """When the last flow ends, in seconds after the beginning of the traffic."""
    return max((each.begin_s + each.seconds for each in flows), default=0.0)


def packets(flows: Sequence[Flow], link: str, reverse: bool) -> int:
    """The number of full packets that carried payload over a link.

    reverse : of the direction towards users
    """
    return sum(
        math.ceil(flow.link_bytes.get(link, 0) / flow.payload_bytes)
        for flow in flows
        if flow.reverse == reverse
    )


def _rate_mbps(shape: Shape) -> float:
    """The link's utilisation, limited by the Mathis formula under random loss."""
    assert shape.capacity_mbps is not None
    if not shape.loss_percent:
        return shape.capacity_mbps
    rtt_s = max(2 * shape.delay_ms, 1.0) / 1e3
    root = math.sqrt(2 * shape.loss_percent / 100 / 3)
    return min(shape.capacity_mbps, 8e-6 * TCP_BYTES / (rtt_s * root))


def _utilisation(job: Job, index: int, link: str) -> float:
    noise = hashlib.sha256(f"{job.seed}/{index}/{link}".encode()).digest()
    low, high = UTILISATION
    return low + (high - low) * int.from_bytes(noise[:4]) / 2**32
