"""The settings and counters of links, read back from their queueing disciplines."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from analysis.run import disciplines
from analysis.run.disciplines import Traits
from analysis.run.labels import label
from analysis.run.readers.outcome import LinkEnds
from analysis.run.readers.qdiscs import FABRIC, Qdisc
from jobs import FRAME_BYTES

NETEM = "netem"


@dataclass(frozen=True)
class Direction:
    """One direction of a link.

    rate_mbps : rate in 10^6 bit/s; None for a link that only delays
    delay_ms, jitter_ms, loss_percent : settings of the delay line
    queue_packets : capacity of the bottleneck's queue in full packets; None if tc
        does not show it
    bytes : size of the frames that left, including headers
    packets : number of these frames
    queue_drops : packets that the queue dropped, because it was full or early
    other_drops : packets lost before the queue, by random loss or because the delay
        line was full
    traits : the discipline of the queue, and what else happens to packets
    byte_seconds : the integral over time of the bytes that wait; None if the network
        does not count it
    order_mbps : the rate with which the delay line keeps packets in order; None if it
        has none
    one_netem : whether the queue and the delay line are one netem, which counts random
        losses and drops of its queue together
    """

    rate_mbps: float | None
    delay_ms: float
    jitter_ms: float
    loss_percent: float
    queue_packets: float | None
    bytes: int
    queue_drops: int
    other_drops: int
    traits: Traits = field(default_factory=Traits)
    packets: int = 0
    byte_seconds: float | None = None
    order_mbps: float | None = None
    one_netem: bool = False


@dataclass(frozen=True)
class ObservedLink:
    """One link, as tc showed it at the end of a run.

    forward : the direction of what users send
    backward : the direction of what comes back to users
    """

    name: str
    forward: Direction
    backward: Direction

    def direction(self, forward: bool) -> Direction:
        """The forward direction, or the backward one."""
        return self.forward if forward else self.backward


def read_back(
    ends: Sequence[LinkEnds], qdiscs: Sequence[Qdisc]
) -> tuple[ObservedLink, ...]:
    """The links, from the interfaces that shape them and all queueing disciplines.

    A link that has several places is a class of links, whose counters are added up.

    Raises ValueError if a link is not shaped at the interfaces that the guest reports,
    or if the links of a class have other settings than one another.
    """
    at: dict[tuple[str, str], list[Qdisc]] = {}
    for qdisc in qdiscs:
        at.setdefault((qdisc.node, qdisc.interface), []).append(qdisc)
    found: dict[str, list[tuple[Direction, Direction]]] = {}
    for end in ends:
        forward = _direction(end.link, end.forward, at.get(end.forward, []))
        backward = _direction(end.link, end.backward, at.get(end.backward, []))
        found.setdefault(end.link, []).append((forward, backward))
    return tuple(
        ObservedLink(
            name,
            _together(name, [forward for forward, _ in directions]),
            _together(name, [backward for _, backward in directions]),
        )
        for name, directions in found.items()
    )


def _together(link: str, directions: Sequence[Direction]) -> Direction:
    """One direction of all links of a class."""
    waited = [each.byte_seconds for each in directions if each.byte_seconds is not None]
    total_waited = sum(waited) if waited else None
    directions = [replace(each, byte_seconds=total_waited) for each in directions]
    first = directions[0]
    sums = [0, 0, 0, 0]
    for each in directions:
        counts = (each.bytes, each.packets, each.queue_drops, each.other_drops)
        sums = [known + more for known, more in zip(sums, counts, strict=True)]
        if _with_counts(each, (0, 0, 0, 0)) != _with_counts(first, (0, 0, 0, 0)):
            raise ValueError(f"{label(link)}: its links differ from one another")
    return _with_counts(first, sums)


def _with_counts(direction: Direction, counts: Sequence[int]) -> Direction:
    """A direction with other bytes, packets, drops of the queue and other drops."""
    count, packets, queue_drops, other_drops = counts
    return replace(
        direction,
        bytes=count,
        packets=packets,
        queue_drops=queue_drops,
        other_drops=other_drops,
    )


def _direction(
    link: str, place: tuple[str, str], at_interface: Sequence[Qdisc]
) -> Direction:
    """One direction of a link.

    place : the (node, interface) that shapes it
    at_interface : the disciplines there
    """
    where = f"{label(link)}: {place[1]} on {place[0]}"
    limiters = [q for q in at_interface if q.rate_mbps is not None]
    roots = [q for q in at_interface if q.parent is None]
    delay_lines = [q for q in at_interface if q.kind in (NETEM, FABRIC)]
    if len(roots) != 1 or len(limiters) > 1 or not (limiters or delay_lines):
        raise ValueError(f"{where}: {len(limiters)} rate limits; a bottleneck has 1")
    limiter = limiters[0] if limiters else None
    queue_drops = limiter.drops - limiter.lost if limiter else 0
    return Direction(
        rate_mbps=limiter.rate_mbps if limiter else None,
        delay_ms=sum(q.delay_ms for q in delay_lines),
        jitter_ms=sum(q.jitter_ms for q in delay_lines),
        loss_percent=max((q.loss_percent for q in delay_lines), default=0.0),
        queue_packets=_queue_packets(limiter, at_interface) if limiter else 0.0,
        bytes=roots[0].bytes,
        queue_drops=queue_drops,
        # A parent counts the drops of its children too.
        other_drops=max(q.drops for q in at_interface) - queue_drops,
        traits=disciplines.observed(at_interface),
        packets=roots[0].packets,
        byte_seconds=_byte_seconds(limiter),
        order_mbps=min(
            (q.order_mbps for q in delay_lines if q.order_mbps), default=None
        ),
        one_netem=limiter is not None and limiter.kind == NETEM,
    )


def _byte_seconds(limiter: Qdisc | None) -> float | None:
    waited = limiter.document.get("byte_seconds") if limiter else None
    return None if waited is None else float(waited)


def _queue_packets(limiter: Qdisc, at_interface: Sequence[Qdisc]) -> float | None:
    """The capacity of a bottleneck's queue in full packets; None if it is not known.

    The queue is the discipline below the limiter, or else the limiter itself.
    """
    if limiter.kind == disciplines.CAKE:
        return None
    children = [
        q for q in at_interface if q.parent and q.parent.startswith(limiter.handle)
    ]
    queue = children[0] if children else limiter
    if queue.limit_packets is not None:
        return float(queue.limit_packets)
    return None if queue.limit_bytes is None else queue.limit_bytes / FRAME_BYTES
