"""The settings and counters of links, read back from their queueing disciplines."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis.run import disciplines
from analysis.run.disciplines import Traits
from analysis.run.job import FRAME_BYTES, label
from analysis.run.readers.outcome import LinkEnds
from analysis.run.readers.qdiscs import FABRIC, Qdisc


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

    Raises ValueError if a link is not shaped at the interfaces that the guest reports.
    """
    return tuple(
        ObservedLink(
            end.link,
            _direction(end.link, end.forward, qdiscs),
            _direction(end.link, end.backward, qdiscs),
        )
        for end in ends
    )


def _direction(link: str, place: tuple[str, str], qdiscs: Sequence[Qdisc]) -> Direction:
    """One direction of a link. place : the (node, interface) that shapes it"""
    at_interface = [q for q in qdiscs if (q.node, q.interface) == place]
    where = f"{label(link)}: {place[1]} on {place[0]}"
    limiters = [q for q in at_interface if q.rate_mbps is not None]
    roots = [q for q in at_interface if q.parent is None]
    delay_lines = [q for q in at_interface if q.kind in ("netem", FABRIC)]
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
    )


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
