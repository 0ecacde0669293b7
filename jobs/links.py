"""The links of a job, as the plan resolved them from the parameters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from jobs import reading
from jobs.marks import Bounds, Made
from jobs.values import Milliseconds, Name, Percent
from topologies import impairments, queues
from topologies.impairments import BurstLoss, Impairments, Reordering
from topologies.parameters import traits, unusual
from topologies.queues import Discipline
from topologies.shaping import (
    BURST_PACKETS,
    LEAST_MTU_BYTES,
    MOST_OVERHEAD_BYTES,
    Shape,
    plain,
)

MOST_QUEUE_PACKETS = 10**9


@dataclass(frozen=True, kw_only=True)
class Link(Shape):
    """One link: the shape of its direction from users, and of the other in `down`.

    name : such as `path1`, `link1` or `bottleneck`
    """

    name: Name

    @classmethod
    def of(cls, name: str, shape: Shape) -> "Link":
        """The link of a name and a shape."""
        own = {field.name: getattr(shape, field.name) for field in fields(Shape)}
        return cls(name=name, **own)

    def direction(self, forward: bool) -> Shape:
        """The shape of the direction from users, or of the one towards them."""
        return self if forward or self.down is None else self.down

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, **plain(self)}

    def check(self) -> None:
        _check(self)
        down = self.down
        if down and (down.capacity_mbps is None) != (self.capacity_mbps is None):
            raise ValueError("one direction has a capacity, and the other has none")
        if down and down.down:
            raise ValueError("down: has no other direction")
        for name, found in traits(Shape).items():
            alike = down is None or getattr(down, name) == getattr(self, name)
            if found.alike and not alike:
                raise ValueError(f"down: {name}: both directions have the same")
        for key in ("overhead_bytes", "tunnel_at_host") if down else ():
            if getattr(down, key) != getattr(self, key):
                raise ValueError(f"down: {key}: both directions have the same")
        if down:
            _check(down)


def _check(way: Shape) -> None:
    """Raises ValueError for traits that a direction cannot have together."""
    if way.discipline and (way.tclink or way.capacity_mbps is None):
        raise ValueError("a discipline needs a queue of its own")
    for _, found in unusual(way):
        if reason := found.fault(way):
            raise ValueError(reason)
    if reason := tunnel_fault(way) or sender_fault(way):
        raise ValueError(reason)
    if way.impairments is None:
        return
    if way.tclink:
        raise ValueError("tclink has no impairments but loss")
    if reason := impairments.fault(
        way.impairments, way.delay_ms, way.jitter_ms, way.loss_percent
    ):
        raise ValueError(reason)


def tunnel_fault(way: Shape) -> str:
    """Reason why a direction has no tunnel; empty if it has one, or none is asked."""
    if way.overhead_bytes and way.tclink:
        return "a TCLink of Mininet's has no tunnel"
    if way.overhead_bytes and way.mtu_bytes < LEAST_MTU_BYTES:
        return f"packets inside have {way.mtu_bytes} bytes; at least {LEAST_MTU_BYTES}"
    return ""


def sender_fault(way: Shape) -> str:
    """Reason why a direction cannot be on the host that sends; empty if it can."""
    if not way.at_sender:
        return ""
    order = way.impairments.reordering if way.impairments else None
    if way.tclink:
        return "a TCLink of Mininet's stays where it is"
    if way.one_netem and way.discipline is not None:
        reason = f"one netem has the delay and the queue, and no {way.discipline.name}"
        return f"{reason}; give the delay and losses to another link of the path"
    if way.one_netem and way.bucket_packets != BURST_PACKETS:
        return "a netem has no token bucket; take 'bucket' away, or the delay"
    if order and order.by_ms is not None:
        return "reordering 'by' needs two netems; take 'by' away"
    if not way.one_netem and way.capacity_mbps is None:
        return "it has no delay and no capacity, so there is nothing to shape"
    return ""


def any_at_sender(links: Iterable[Link]) -> bool:
    """Whether a direction of a link is on its sender's interface."""
    return any(
        link.direction(forward).at_sender for link in links for forward in (True, False)
    )


def of_shapes(shapes: Mapping[str, Shape]) -> tuple[Link, ...]:
    """The links of a network, from its shapes by name."""
    return tuple(Link.of(name, shape) for name, shape in shapes.items())


def _of_traits(record: type) -> dict[str, Any]:
    """The annotation of each trait of a record."""
    return {
        name: Annotated[int if found.whole else float, Bounds(found.low, found.high)]
        for name, found in traits(record).items()
    }


_NUMBERS = {
    "capacity_mbps": Annotated[float, Bounds(above=0, most=1e6)] | None,
    "delay_ms": Milliseconds,
    "queue_packets": Annotated[int, Bounds(0, MOST_QUEUE_PACKETS)],
    "loss_percent": Percent,
    "jitter_ms": Milliseconds,
    "tclink": bool,
}
reading.foreign(
    Shape,
    {
        **_NUMBERS,
        "discipline": Annotated[Discipline, Made(queues.from_json)] | None,
        "impairments": Impairments | None,
        "down": Shape | None,
        **_of_traits(Shape),
        "overhead_bytes": Annotated[int, Bounds(0, MOST_OVERHEAD_BYTES)],
        "tunnel_at_host": bool,
        "at_sender": bool,
    },
    required=tuple(_NUMBERS),
)
reading.foreign(
    BurstLoss,
    {
        "enter_percent": Percent,
        "leave_percent": Annotated[float, Bounds(above=0, most=100)],
        "bad_percent": Percent,
        "good_percent": Percent,
    },
    required=("bad_percent", "good_percent"),
)
reading.foreign(
    Reordering,
    {
        "share_percent": Percent,
        "correlation_percent": Percent,
        "by_ms": Annotated[float, Bounds(above=0, most=1e6)] | None,
    },
    required=("correlation_percent", "by_ms"),
)
reading.foreign(
    Impairments,
    {
        "burst_loss": BurstLoss | None,
        "reordering": Reordering | None,
        **_of_traits(Impairments),
    },
)
