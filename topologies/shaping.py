"""The shape of a link: capacity, delay, queue, loss and jitter of each direction.

A shape becomes the lines for `tc` that build it on an interface.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from topologies.parameters import DOWN

MTU_BYTES = 1500
FRAME_BYTES = 1514
"""Size of a full packet for the queueing disciplines: MTU and Ethernet header."""
LEAST_QUEUE_PACKETS = 10
BURST_BYTES = 2 * FRAME_BYTES
DELAY_LINE_PACKETS = 1_000_000
"""Limit of the delay line. It is large, because the delay line must never drop."""
TCLINK_BURST = "15k cburst 1600"
"""The burst that Mininet's TCLink sets, and the cburst that tc adds on machines with
high-resolution timers. The smaller one limits bursts: one packet."""
ORDERING_RATE_MBPS = 10_000
"""netem keeps packets in order under jitter only if it also has a rate. This rate is
too high to matter otherwise."""


def queue_packets(queueing_delay_ms: float, capacity_mbps: float) -> int:
    """The size of a queue that drains within the maximum queueing delay, in packets.

        queue = 10^3 x delay x capacity / (8 x MTU)     (thesis eq. 3.2)

    It is at least 10 packets. The thesis leaves the rounding open; this rounds down.
    """
    packets = 1e3 * queueing_delay_ms * capacity_mbps / (8 * MTU_BYTES)
    return max(LEAST_QUEUE_PACKETS, math.floor(packets))


def packet_time_ms(capacity_mbps: float) -> float:
    """The time in which a link sends a full packet, ms, rounded to the nanosecond."""
    return round(FRAME_BYTES * 8 / capacity_mbps / 1e3, 6)


@dataclass(frozen=True)
class Shape:
    """What one interface of a router does to the packets that leave through it.

    The plan resolves the shape of every link once and writes it into the job
    (`to_json`). The guest and the analysis read it from there (`from_json`).

    capacity_mbps : rate of the link layer in 10^6 bit/s; None for a link that only
        delays and has no queue
    delay_ms : one-way propagation delay
    queue_packets : number of full packets that can wait, in addition to the one that
        is being sent
    loss_percent : independent random loss before the queue, 0-100
    jitter_ms : the delay varies uniformly by plus or minus this much
    tclink : True to build the link as Mininet's TCLink does: a single queue holds
        both the packets that wait and those on the way
    down : the shape of the link's direction towards users; None if both directions
        are alike
    """

    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int = 0
    loss_percent: float = 0.0
    jitter_ms: float = 0.0
    tclink: bool = False
    down: "Shape | None" = None

    def tc_commands(self, interface: str) -> list[str]:
        """The lines for `tc -batch` that give an interface this shape.

        A netem delay line comes first and a tbf bottleneck with its queue second, as
        in tc-netem(8). With `tclink`, an htb bottleneck takes its packets from the
        delay line, whose limit is the queue.
        """
        device = f"dev {interface}"
        options = f"delay {self.delay_ms * 1e3:.3f}us"
        if self.jitter_ms:
            options += f" {self.jitter_ms * 1e3:.3f}us rate {ORDERING_RATE_MBPS}mbit"
        if self.loss_percent:
            options += f" loss {self.loss_percent:.7g}%"
        if self.capacity_mbps is None:
            return [_netem(device, "root handle 1:", DELAY_LINE_PACKETS, options)]
        rate_bps = round(self.capacity_mbps * 1e6)
        if self.tclink:
            return [
                f"qdisc add {device} root handle 5: htb default 1",
                f"class add {device} parent 5: classid 5:1 htb "
                f"rate {rate_bps}bit burst {TCLINK_BURST}",
                _netem(device, "parent 5:1 handle 10:", self.queue_packets, options),
            ]
        return [
            _netem(device, "root handle 1:", DELAY_LINE_PACKETS, options),
            f"qdisc add {device} parent 1:1 handle 10: tbf rate {rate_bps}bit "
            f"burst {BURST_BYTES} limit {self.queue_packets * FRAME_BYTES}",
        ]


def _netem(device: str, position: str, limit_packets: int, options: str) -> str:
    return f"qdisc add {device} {position} netem limit {limit_packets} {options}"


def link_shape(parameters: Mapping[str, float | None], link: str) -> Shape:
    """The shape of a link, from the parameters whose keys begin with `<link>.`.

    parameters : value by canonical key; a missing key counts as 0. If the queue is
        None, it follows from the queueing delay. A jitter of None is one packet time.
    """

    def value(name: str) -> float:
        return parameters.get(f"{link}.{name}") or 0.0

    def direction(prefix: str) -> Shape:
        """One direction. prefix : what its own parameters begin with"""

        def own(name: str) -> float:
            number = parameters.get(f"{link}.{prefix}{name}")
            return value(name) if number is None else number

        if f"{link}.capacity_mbps" not in parameters:
            return Shape(None, own("delay_ms"))
        capacity_mbps = own("capacity_mbps")
        packets = own("queue_packets")
        jitter_ms = parameters.get(f"{link}.jitter_ms", 0.0)
        return Shape(
            capacity_mbps=capacity_mbps,
            delay_ms=own("delay_ms"),
            queue_packets=int(packets)
            if packets
            else queue_packets(value("queueing_delay_ms"), capacity_mbps),
            loss_percent=own("loss_percent"),
            jitter_ms=packet_time_ms(capacity_mbps) if jitter_ms is None else jitter_ms,
        )

    up = direction("")
    if f"{link}.{DOWN}delay_ms" not in parameters:
        return up
    return replace(up, down=direction(DOWN))


def to_json(shapes: Mapping[str, Shape]) -> list[dict[str, Any]]:
    """The links of a job: one object per link, in the order of `shapes`."""
    return [{"name": name, **_fields(shape)} for name, shape in shapes.items()]


def _fields(shape: Shape) -> dict[str, Any]:
    fields = asdict(shape)
    del fields["down"]
    return fields if shape.down is None else {**fields, "down": _fields(shape.down)}


def from_json(links: Sequence[Mapping[str, Any]]) -> dict[str, Shape]:
    """The shapes by link name: the inverse of `to_json`.

    Raises KeyError or TypeError for objects that `to_json` did not make.
    """
    shapes = {}
    for link in links:
        fields = dict(link)
        name = str(fields.pop("name"))
        down = fields.pop("down", None)
        shapes[name] = Shape(**fields, down=None if down is None else Shape(**down))
    return shapes
