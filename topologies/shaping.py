"""The two equal directions of a link: capacity, delay, queue, loss and jitter."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

MTU_BYTES = 1500
FRAME_BYTES = 1514
"""A full packet as the queueing disciplines count it: MTU and Ethernet header."""
LEAST_QUEUE_PACKETS = 10
BURST_BYTES = 2 * FRAME_BYTES
DELAY_LINE_PACKETS = 1_000_000
"""Packets under way in the delay line, which must never drop one itself."""
TCLINK_BURST = "15k cburst 1600"
"""What Mininet's TCLink gives its bucket, and what tc adds where timers are of high
resolution: no burst at all, since the lesser of the two bounds it."""
ORDERING_RATE_MBPS = 10_000
"""netem keeps packets in order under jitter only when it also has a rate."""


def queue_packets(queueing_delay_ms: float, capacity_mbps: float) -> int:
    """Queue size in packets that drains in the maximum queueing delay.

    Thesis eq. 3.2, 10^3 x delay x capacity / (8 x MTU), at least 10 packets.
    The thesis leaves the rounding open; a part of a packet is dropped here.
    """
    packets = 1e3 * queueing_delay_ms * capacity_mbps / (8 * MTU_BYTES)
    return max(LEAST_QUEUE_PACKETS, math.floor(packets))


def packet_time_ms(capacity_mbps: float) -> float:
    """How long a full packet takes on a link, to the nanosecond."""
    return round(FRAME_BYTES * 8 / capacity_mbps / 1e3, 6)


@dataclass(frozen=True)
class Shape:
    """What one interface of a router does to the packets that leave it.

    The plan resolves the shape of every link once and writes it into the job
    (`to_json`); the guest and the analysis read it from there (`from_json`).

    capacity_mbps : float, rate of the link layer, 10^6 bit/s; None for a mere
        delay line, which has no queue
    delay_ms : float, one-way propagation delay
    queue_packets : int, of full packets, beside the one that is being sent
    loss_percent : float, random and independent, before the queue
    jitter_ms : float, delay varies uniformly by plus or minus this much
    tclink : bool, whether it is made as Mininet's TCLink makes it: one queue, in
        front of the bucket, holds what is under way and what waits
    """

    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int = 0
    loss_percent: float = 0.0
    jitter_ms: float = 0.0
    tclink: bool = False

    def tc_commands(self, interface: str) -> list[str]:
        """Lines for `tc -batch`: a netem delay line with the tbf bottleneck
        behind it, as tc-netem(8) shows; or with tclink the htb bottleneck in
        front of it, and the delay line's limit for a queue."""
        on = f"dev {interface}"
        line = f"delay {self.delay_ms * 1e3:.3f}us"
        if self.jitter_ms:
            line += f" {self.jitter_ms * 1e3:.3f}us rate {ORDERING_RATE_MBPS}mbit"
        if self.loss_percent:
            line += f" loss {self.loss_percent:.7g}%"
        if self.capacity_mbps is None:
            return [_delay_line(on, "root handle 1:", DELAY_LINE_PACKETS, line)]
        rate_bps = round(self.capacity_mbps * 1e6)
        if self.tclink:
            return [
                f"qdisc add {on} root handle 5: htb default 1",
                f"class add {on} parent 5: classid 5:1 htb "
                f"rate {rate_bps}bit burst {TCLINK_BURST}",
                _delay_line(on, "parent 5:1 handle 10:", self.queue_packets, line),
            ]
        return [
            _delay_line(on, "root handle 1:", DELAY_LINE_PACKETS, line),
            f"qdisc add {on} parent 1:1 handle 10: tbf rate {rate_bps}bit "
            f"burst {BURST_BYTES} limit {self.queue_packets * FRAME_BYTES}",
        ]


def _delay_line(on: str, place: str, limit_packets: int, line: str) -> str:
    return f"qdisc add {on} {place} netem limit {limit_packets} {line}"


def link_shape(parameters: Mapping[str, float | None], link: str) -> Shape:
    """The shape that the canonical parameters `<link>.*` give.

    Jitter that is not set (null) is one packet time.
    """

    def value(name: str) -> float:
        return parameters.get(f"{link}.{name}") or 0.0

    if f"{link}.capacity_mbps" not in parameters:
        return Shape(None, value("delay_ms"))
    capacity_mbps = value("capacity_mbps")
    packets = parameters.get(f"{link}.queue_packets")
    jitter_ms = parameters.get(f"{link}.jitter_ms", 0.0)
    return Shape(
        capacity_mbps=capacity_mbps,
        delay_ms=value("delay_ms"),
        queue_packets=int(packets)
        if packets
        else queue_packets(value("queueing_delay_ms"), capacity_mbps),
        loss_percent=value("loss_percent"),
        jitter_ms=packet_time_ms(capacity_mbps) if jitter_ms is None else jitter_ms,
    )


def to_json(shapes: Mapping[str, Shape]) -> list[dict[str, Any]]:
    """The links of a job: one object per link, in the order of `shapes`."""
    return [{"name": name, **asdict(shape)} for name, shape in shapes.items()]


def from_json(links: Sequence[Mapping[str, Any]]) -> dict[str, Shape]:
    """The inverse of `to_json`. Raises KeyError or TypeError for other objects."""
    shapes = {}
    for link in links:
        fields = dict(link)
        name = str(fields.pop("name"))
        shapes[name] = Shape(**fields)
    return shapes
