"""What each link was and carried, read back from its queueing disciplines."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.run.job import FRAME_BYTES, label
from analysis.run.readers.outcome import LinkEnds
from analysis.run.readers.qdiscs import Qdisc


@dataclass(frozen=True)
class Direction:
    """One direction of a link.

    rate_mbps : None for a link that only delays
    queue_packets : room of the bottleneck's queue in full packets; None if tc does
        not say
    bytes : frames that left, headers included
    queue_drops : packets that the full queue refused
    other_drops : packets lost in the disciplines before the queue: random loss, or
        a delay line that is too short
    """

    rate_mbps: float | None
    delay_ms: float
    jitter_ms: float
    loss_percent: float
    queue_packets: float | None
    bytes: int
    queue_drops: int
    other_drops: int


@dataclass(frozen=True)
class ObservedLink:
    name: str
    forward: Direction
    backward: Direction

    def direction(self, forward: bool) -> Direction:
        return self.forward if forward else self.backward


def read_back(
    ends: Sequence[LinkEnds], qdiscs: Sequence[Qdisc]
) -> tuple[ObservedLink, ...]:
    """Raises ValueError if a link is not shaped where the guest says it is."""
    return tuple(
        ObservedLink(
            end.link,
            _direction(end.link, end.forward, qdiscs),
            _direction(end.link, end.backward, qdiscs),
        )
        for end in ends
    )


def _direction(link: str, place: tuple[str, str], qdiscs: Sequence[Qdisc]) -> Direction:
    mine = [q for q in qdiscs if (q.node, q.interface) == place]
    where = f"{label(link)}: {place[1]} on {place[0]}"
    limiters = [q for q in mine if q.rate_mbps is not None]
    roots = [q for q in mine if q.parent is None]
    lines = [q for q in mine if q.kind == "netem"]
    if len(roots) != 1 or len(limiters) > 1 or not (limiters or lines):
        raise ValueError(f"{where}: {len(limiters)} tbf or htb; a bottleneck has 1")
    limiter = limiters[0] if limiters else None
    queue_drops = limiter.drops if limiter else 0
    return Direction(
        rate_mbps=limiter.rate_mbps if limiter else None,
        delay_ms=sum(q.delay_ms for q in lines),
        jitter_ms=sum(q.jitter_ms for q in lines),
        loss_percent=max((q.loss_percent for q in lines), default=0.0),
        queue_packets=_queue(limiter, mine) if limiter else 0.0,
        bytes=roots[0].bytes,
        queue_drops=queue_drops,
        other_drops=max(q.drops for q in mine) - queue_drops,
    )


def _queue(limiter: Qdisc, mine: Sequence[Qdisc]) -> float | None:
    """Of the discipline below the limiter, if there is one; else of itself."""
    below = [q for q in mine if q.parent and q.parent.startswith(limiter.handle)]
    queue = below[0] if below else limiter
    if queue.limit_packets is not None:
        return float(queue.limit_packets)
    return None if queue.limit_bytes is None else queue.limit_bytes / FRAME_BYTES
