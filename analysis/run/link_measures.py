"""Loss, drops and queues of links, by direction, and the goodput over what can be."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from analysis.run import changed_links, link_traffic, queue_means, tools
from analysis.run.artefacts import Artefacts
from analysis.run.link_traffic import WAYS
from analysis.run.observed_links import Direction, ObservedLink
from analysis.run.payload import BYTES
from jobs import FRAME_BYTES


def columns(run: Artefacts, measured_s: float | None) -> dict[str, Any]:
    """The columns of every bottleneck link and direction.

    measured_s : the time over which the goodput is a mean; None if it is not known

    LINK.WAY.loss_probability : the share of the packets that reached the link and were
        lost there, at random or by its queue, 0-1; None if none reached it
    LINK.WAY.drops_per_s : these packets per second
    LINK.WAY.busy_s : how long the link was sending, of a class of links the mean; None
        if its capacity changes
    LINK.WAY.mean_queue_packets : the mean over time of the bytes that wait, in full
        packets; of a class of links, the mean over its links. On the fabric, the packet
        being sent does not count; elsewhere there are means of recorded queues only

    The way is `up` for what users send, and `down` for the direction towards them. Over
    all bottlenecks that are used, in the directions of the data:

    loss_probability : the share of packets lost
    mean_queue_packets : the mean of the links' mean queues
    """
    found: dict[str, Any] = {}
    places = Counter(end.link for end in run.outcome.links)
    sampled = _sampled(run, measured_s)
    for link in _bottlenecks(run):
        for way, forward in WAYS.items():
            one = link.direction(forward)
            prefix = f"{link.name}.{way}."
            found[f"{prefix}loss_probability"] = _loss([one])
            if measured_s:
                found[f"{prefix}drops_per_s"] = _drops(one) / measured_s
            found[f"{prefix}busy_s"] = _busy_s(run, link.name, one, places[link.name])
            if measured_s and one.byte_seconds is not None:
                mean = one.byte_seconds / measured_s / places[link.name] / FRAME_BYTES
                found[f"{prefix}mean_queue_packets"] = mean
            elif sampled:
                found[f"{prefix}mean_queue_packets"] = sampled[f"{link.name}.{way}"]
    used = {link.name for link in run.used_links}
    ways = {way for way, forward in WAYS.items() if forward in _directions(run)}
    names = [f"{link.name}.{way}" for link in _bottlenecks(run) for way in ways]
    names = [name for name in names if name.rpartition(".")[0] in used]
    found["loss_probability"] = _loss(
        [
            link.direction(WAYS[way])
            for link in _bottlenecks(run)
            for way in ways
            if link.name in used
        ]
    )
    queues = [found.get(f"{name}.mean_queue_packets") for name in names]
    known = [queue for queue in queues if queue is not None]
    if known:
        found["mean_queue_packets"] = sum(known) / len(known)
    return found


def _busy_s(run: Artefacts, name: str, one: Direction, places: int) -> float | None:
    """The time that the frames of a direction take at its rate, in seconds."""
    if changed_links.changes(run.job, name) or not one.rate_mbps:
        return None
    return 8e-6 * one.bytes / one.rate_mbps / places


def _sampled(run: Artefacts, measured_s: float | None) -> dict[str, float | None]:
    """The mean queues from samples, in the time measured; empty without samples."""
    if run.queues is None or run.queues.sums or not measured_s:
        return {}
    begin_s = min(entry.start_s for entry in run.traffic)
    return queue_means.by_link(run, begin_s, begin_s + measured_s)


def payload_utilisation(
    run: Artefacts,
    moved: Sequence[tools.Flow | None],
    seconds: float | None,
    capacities: Sequence[float],
) -> float | None:
    """The goodput over what the links used can carry of it.

    moved : what the receiver of each entry read, in the job's order; None if the
        entry's tool does not say, or if it is background
    seconds : the time over which the goodput is a mean
    capacities : of each link used, 10^6 bit/s

    1428 of the 1514 bytes of a full frame are data over MPTCP, and 1448 over TCP. None
    if the goodput of an entry or the capacity is not known.
    """
    pairs = list(zip(run.traffic, moved, strict=True))
    unknown = any(flow is None and not entry.background for entry, flow in pairs)
    if not seconds or not capacities or unknown:
        return None
    frames = 0.0
    for entry, flow in pairs:
        payload = BYTES[entry.transport.protocol]
        frames += (flow.bytes if flow else 0) * FRAME_BYTES / payload
    return 8e-6 * frames / seconds / sum(capacities)


def wire_bytes_per_byte(
    run: Artefacts, moved: Sequence[tools.Flow | None]
) -> float | None:
    """Bytes of frames on the wire over bytes that arrived, in the data's direction.

    moved : what the receiver of each entry read, in the job's order; None if the
        entry's tool does not say

    The frames are counted at the interfaces of the hosts that open connections, with
    headers, retransmissions, reinjections and copies. A full packet has 1.05. None if
    the hosts' interfaces or the goodput of an entry are not known.
    """
    if any(flow is None for flow in moved):
        return None
    delivered = sum(flow.bytes for flow in moved if flow is not None)
    carried: dict[tuple[str, bool, int], int] = {}
    for whole in run.traffic:
        for entry in whole.by_host:
            counts = link_traffic.path_bytes(run, entry)
            for number, count in counts.items():
                carried[entry.source, entry.forward, number] = count
    if not carried or not delivered:
        return None
    return sum(carried.values()) / delivered


def _bottlenecks(run: Artefacts) -> Iterator[ObservedLink]:
    return (link for link in run.links if link.forward.rate_mbps is not None)


def _directions(run: Artefacts) -> set[bool]:
    return {entry.forward for entry in run.traffic}


def _drops(one: Direction) -> int:
    return one.queue_drops + one.other_drops


def _loss(directions: Sequence[Direction]) -> float | None:
    dropped = sum(map(_drops, directions))
    reached = dropped + sum(one.packets for one in directions)
    return dropped / reached if reached else None
