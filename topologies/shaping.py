"""The shape of a link: capacity, delay, queue, loss and jitter of each direction.

A shape becomes the lines for `tc` that build it on an interface.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from topologies import impairments, queues
from topologies.impairments import Impairments
from topologies.parameters import DOWN, Trait, trait, traits, unusual
from topologies.queues import CAKE, Discipline
from topologies.queues import FRAME_BYTES as FRAME_BYTES

MTU_BYTES = 1500
ETHERNET_BYTES = FRAME_BYTES - MTU_BYTES
LEAST_MTU_BYTES, MOST_MTU_BYTES = 576, 9216
"""The least that every host of IPv4 takes (RFC 791), and usual jumbo frames."""
MOST_OVERHEAD_BYTES = 500
"""Of a tunnel: more than several tunnels inside one another add."""
LEAST_QUEUE_PACKETS = 10
BURST_PACKETS = 2
"""The depth of a link's token bucket, in full packets, unless the link has another."""
MOST_BURST_PACKETS, MOST_BURST_S = 10_000, 200.0
"""The deepest bucket, and the longest time to fill it, which tc has in 32 bits."""
BURST_BYTES = BURST_PACKETS * FRAME_BYTES
SENDER_HANDLE = "3:"
"""Handle of the netem of a link that is on its sender, which limits the rate too."""
DELAY_LINE_PACKETS = 1_000_000
"""Limit of the delay line. It is large, because the delay line must never drop."""
TCLINK_BURST = "15k cburst 1600"
"""The burst that Mininet's TCLink sets, and the cburst that tc adds on machines with
high-resolution timers. The smaller one limits bursts: one packet."""
MOST_QUEUE_PACKETS = 1_000_000
"""tc counts the bytes of a queue in 32 bits, which is 2.8 million full packets."""
ORDERING_RATE_MBPS = 10_000
"""netem keeps packets in order under jitter only if it also has a rate. Over links of
up to this capacity it is this rate."""
ORDERING_FACTOR = 10
"""Over faster links, the rate is this many times the capacity."""


def ordering_rate_mbps(capacity_mbps: float | None) -> int:
    """The rate of a delay line that keeps packets in order, in whole Mbit/s.

    The rate is never below the link's capacity, so that the link stays the bottleneck.
    """
    capacity_mbps = capacity_mbps or 0.0
    if capacity_mbps <= ORDERING_RATE_MBPS:
        return ORDERING_RATE_MBPS
    return math.ceil(ORDERING_FACTOR * capacity_mbps)


def queue_packets(
    queueing_delay_ms: float, capacity_mbps: float, mtu_bytes: int = MTU_BYTES
) -> int:
    """The size of a queue that drains within the maximum queueing delay, in packets.

        queue = 10^3 x delay x capacity / (8 x MTU)     (thesis eq. 3.2)

    It is at least 10 packets. The thesis leaves the rounding open; this rounds down.
    """
    packets = 1e3 * queueing_delay_ms * capacity_mbps / (8 * mtu_bytes)
    return max(LEAST_QUEUE_PACKETS, math.floor(packets))


def packet_time_ms(capacity_mbps: float) -> float:
    """The time in which a link sends a full packet, ms, rounded to the nanosecond."""
    return round(FRAME_BYTES * 8 / capacity_mbps / 1e3, 6)


def _bucket_fault(way: "Shape") -> str:
    """Reason why a direction has no token bucket of its own; empty if it has one."""
    if way.tclink:
        return "a TCLink of Mininet's has a bucket of 15,000 bytes"
    if way.capacity_mbps is None:
        return "without a capacity there is no token bucket"
    if way.discipline and way.discipline.name == CAKE:
        return "cake has no token bucket"
    seconds = way.bucket_packets * way.frame_bytes * 8 / (way.capacity_mbps * 1e6)
    if seconds > MOST_BURST_S:
        return f"takes {seconds:.0f} s to fill; {MOST_BURST_S:g} s at most"
    return ""


@dataclass(frozen=True)
class Shape:
    """Shaping of the packets that leave through one interface of a router.

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
    discipline : how the queue is managed; None for drop tail
    impairments : what else happens to packets before the queue; None for nothing
    down : the shape of the link's direction towards users; None if both directions
        are alike
    mtu_bytes : the largest IP packet that the link carries
    bucket_packets : so many full packets leave at once after a rest
    overhead_bytes : what a tunnel adds to each packet; 0 for no tunnel
    tunnel_at_host : True if the tunnel begins on the hosts of users, which know the
        mtu inside of it
    at_sender : True if the packets wait on the host that sends them, and not in a
        router
    """

    capacity_mbps: float | None
    delay_ms: float
    queue_packets: int = 0
    loss_percent: float = 0.0
    jitter_ms: float = 0.0
    tclink: bool = False
    discipline: Discipline | None = None
    impairments: Impairments | None = None
    down: "Shape | None" = None
    mtu_bytes: int = trait(
        MTU_BYTES,
        Trait(
            key="mtu",
            unit="bytes",
            low=LEAST_MTU_BYTES,
            high=MOST_MTU_BYTES,
            example=1400,
            whole=True,
            alike=True,
            doc="Largest IP packet in bytes, 576 to 9216; 1500 if not said.",
        ),
    )
    bucket_packets: int = trait(
        BURST_PACKETS,
        Trait(
            key="bucket",
            unit="packets",
            low=1,
            high=MOST_BURST_PACKETS,
            example=10,
            whole=True,
            data=True,
            doc="Depth of the token bucket, in full packets or as data; 2 if not said.",
            on_fabric="all links of a fabric have one; write fabric: {burst: 4}",
            fault=_bucket_fault,
        ),
    )
    overhead_bytes: int = 0
    tunnel_at_host: bool = False
    at_sender: bool = False

    @property
    def frame_bytes(self) -> int:
        """Size of a full packet for tc, with its Ethernet header and its tunnel's."""
        return self.mtu_bytes + self.overhead_bytes + ETHERNET_BYTES

    @property
    def hides_mtu(self) -> bool:
        """Whether users learn the mtu from routers only."""
        return bool(self.overhead_bytes) and not self.tunnel_at_host

    @property
    def one_netem(self) -> bool:
        """Whether a single netem on the sender delays, loses and limits the rate."""
        return self.at_sender and bool(
            self.delay_ms or self.jitter_ms or self.loss_percent or self.impairments
        )

    def tc_commands(self, interface: str) -> list[str]:
        """The lines for `tc -batch` that give an interface this shape.

        tc counts the bytes of a tunnel with each packet, at the root of all others.
        """
        lines = self._commands(interface)
        if self.overhead_bytes:
            stab = f" stab overhead {self.overhead_bytes} linklayer ethernet"
            head, kind = re.split(r"(?<=:)(?= \w)", lines[0], maxsplit=1)
            lines[0] = f"{head}{stab}{kind}"
        return lines

    def _commands(self, interface: str) -> list[str]:
        """The lines of `tc_commands`, without a tunnel.

        A netem delay line comes first and a tbf bottleneck with its queue second, as
        in tc-netem(8); `topologies.queues` says how disciplines join them. With
        `tclink`, an htb bottleneck takes its packets from the
        delay line, whose limit is the queue.
        """
        device = f"dev {interface}"
        if self.one_netem:
            return [self._sender_line(device)]
        lines, parent = ([], "") if self.at_sender else self._delay_lines(device)
        if self.capacity_mbps is None:
            return lines
        rate_bps = round(self.capacity_mbps * 1e6)
        if self.tclink:
            return [
                f"qdisc add {device} root handle 5: htb default 1",
                f"class add {device} parent 5: classid 5:1 htb "
                f"rate {rate_bps}bit burst {TCLINK_BURST}",
                *lines,
            ]
        managed, packets = self.discipline, self.queue_packets
        at = f"parent {parent}" if parent else "root"
        place = f"{device} {at} handle 10:"
        if managed is not None and managed.name == CAKE:
            return [*lines, queues.tc_command(managed, place, packets, rate_bps)]
        burst = self.bucket_packets * self.frame_bytes
        lines.append(
            f"qdisc add {place} tbf rate {rate_bps}bit "
            f"burst {burst} limit {packets * self.frame_bytes}"
        )
        if managed is not None:
            place = f"{device} parent 10:1 handle 20:"
            lines.append(queues.tc_command(managed, place, packets, rate_bps))
        return lines

    def _sender_line(self, device: str) -> str:
        """The line that adds all of a link as one netem, whose queue has the packets
        that wait and those on the way."""
        more = self.impairments or Impairments()
        words = f"delay {self.delay_ms * 1e3:.3f}us"
        if self.jitter_ms:
            words += f" {self.jitter_ms * 1e3:.3f}us"
        words += impairments.options(more)
        if self.loss_percent:
            words += f" loss {self.loss_percent:.7g}%"
        if more.reordering:
            words += impairments.reorder_option(more.reordering)
        limit = DELAY_LINE_PACKETS
        if self.capacity_mbps is not None:
            limit = self.queue_packets
            words += f" rate {round(self.capacity_mbps * 1e6)}bit"
        return _netem(device, f"root handle {SENDER_HANDLE}", limit, words)

    def _delay_lines(self, device: str) -> tuple[list[str], str]:
        """The lines that add the delay line, and the parent of what follows it.

        Packets that are to leave the delay line earlier pass by a first part of it.
        """
        more = self.impairments or Impairments()
        order, first_ms = more.reordering, 0.0
        if order and order.by_ms is not None and order.by_ms < self.delay_ms:
            first_ms = order.by_ms
        delay = f"delay {(self.delay_ms - first_ms) * 1e3:.3f}us"
        if self.jitter_ms:
            rate_mbps = ordering_rate_mbps(self.capacity_mbps)
            delay += f" {self.jitter_ms * 1e3:.3f}us rate {rate_mbps}mbit"
        losses = impairments.options(more)
        if self.loss_percent:
            losses += f" loss {self.loss_percent:.7g}%"
        if order:
            losses += impairments.reorder_option(order)
        if self.tclink:
            limit = self.queue_packets
            return [_netem(device, "parent 5:1 handle 10:", limit, delay + losses)], ""
        limit, root = DELAY_LINE_PACKETS, "root handle 1:"
        if not first_ms:
            return [_netem(device, root, limit, delay + losses)], "1:1"
        first = f"delay {first_ms * 1e3:.3f}us{losses}"
        second = _netem(device, "parent 1:1 handle 2:", limit, delay)
        return [_netem(device, root, limit, first), second], "2:1"


def _netem(device: str, position: str, limit_packets: int, options: str) -> str:
    return f"qdisc add {device} {position} netem limit {limit_packets} {options}"


def link_shape(parameters: Mapping[str, float | None], link: str) -> Shape:
    """The shape of a link, from the parameters whose keys begin with `<link>.`.

    parameters : value by canonical key; a missing key counts as 0. If the queue is
        None, it follows from the queueing delay. A jitter of None is one packet time,
        or the delay if that is less.
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
        longest_ms = own("queueing_delay_ms")
        if (
            prefix
            and parameters.get(f"{link}.{prefix}queue_packets") is None
            and parameters.get(f"{link}.{prefix}queueing_delay_ms") is not None
        ):
            packets = 0.0
        delay_ms = own("delay_ms")
        jitter_ms = parameters.get(f"{link}.jitter_ms", 0.0)
        if jitter_ms is None:
            jitter_ms = min(packet_time_ms(capacity_mbps), delay_ms)
        return Shape(
            capacity_mbps=capacity_mbps,
            delay_ms=delay_ms,
            queue_packets=int(packets)
            if packets
            else queue_packets(longest_ms, capacity_mbps),
            loss_percent=own("loss_percent"),
            jitter_ms=jitter_ms,
        )

    up = direction("")
    if f"{link}.{DOWN}delay_ms" not in parameters:
        return up
    return replace(up, down=direction(DOWN))


OWN = ("overhead_bytes", "tunnel_at_host", "at_sender")
"""Traits with keys of their own in files."""
LATER = ("discipline", "impairments", "down", *traits(Shape), *OWN)
"""Keys that a job has only where a link has another value than usual."""


def plain(shape: Shape) -> dict[str, Any]:
    """The numbers and traits of a shape as a job has them."""
    found = {
        field.name: getattr(shape, field.name)
        for field in fields(Shape)
        if field.name not in LATER
    }
    found |= {name: getattr(shape, name) for name, _ in unusual(shape)}
    found |= {name: value for name in OWN if (value := getattr(shape, name))}
    if shape.discipline is not None:
        found["discipline"] = shape.discipline.to_json()
    if shape.impairments is not None:
        found["impairments"] = shape.impairments.to_json()
    return found if shape.down is None else {**found, "down": plain(shape.down)}
