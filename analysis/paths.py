"""What each path was and carried, read back from its queueing disciplines."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.asked import FRAME_BYTES
from analysis.readers.outcome import PathEnds
from analysis.readers.qdiscs import Qdisc


@dataclass(frozen=True)
class Direction:
    """One direction of a path.

    queue_packets : room of the bottleneck's queue in full packets; None if tc does
        not say
    bytes : frames that left, headers included
    queue_drops : packets that the full queue refused
    other_drops : packets lost in the disciplines before the queue: random loss, or
        a delay line that is too short
    """

    rate_mbps: float
    delay_ms: float
    jitter_ms: float
    loss_percent: float
    queue_packets: float | None
    bytes: int
    queue_drops: int
    other_drops: int


@dataclass(frozen=True)
class PathSeen:
    number: int
    forward: Direction
    backward: Direction

    def direction(self, forward: bool) -> Direction:
        return self.forward if forward else self.backward


def seen(ends: Sequence[PathEnds], qdiscs: Sequence[Qdisc]) -> tuple[PathSeen, ...]:
    """Raises ValueError if a path has no bottleneck where the guest says it is."""
    return tuple(
        PathSeen(
            end.path,
            _direction(end.path, end.forward, qdiscs),
            _direction(end.path, end.backward, qdiscs),
        )
        for end in ends
    )


def _direction(path: int, place: tuple[str, str], qdiscs: Sequence[Qdisc]) -> Direction:
    mine = [q for q in qdiscs if (q.node, q.interface) == place]
    where = f"path {path}: {place[1]} on {place[0]}"
    limiters = [q for q in mine if q.rate_mbps is not None]
    roots = [q for q in mine if q.parent is None]
    if len(limiters) != 1 or len(roots) != 1:
        raise ValueError(f"{where}: {len(limiters)} tbf; a bottleneck has 1")
    tbf, root = limiters[0], roots[0]
    assert tbf.rate_mbps is not None
    lines = [q for q in mine if q.kind == "netem"]
    return Direction(
        rate_mbps=tbf.rate_mbps,
        delay_ms=sum(q.delay_ms for q in lines),
        jitter_ms=sum(q.jitter_ms for q in lines),
        loss_percent=max((q.loss_percent for q in lines), default=0.0),
        queue_packets=_queue(tbf, mine),
        bytes=root.bytes,
        queue_drops=tbf.drops,
        other_drops=root.drops - tbf.drops,
    )


def _queue(tbf: Qdisc, mine: Sequence[Qdisc]) -> float | None:
    """Of the discipline below tbf, if there is one; else of tbf itself."""
    below = [q for q in mine if q.parent and q.parent.startswith(tbf.handle)]
    queue = below[0] if below else tbf
    if queue.limit_packets is not None:
        return float(queue.limit_packets)
    return None if queue.limit_bytes is None else queue.limit_bytes / FRAME_BYTES
