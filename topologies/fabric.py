"""A network as orders to the fabric of the guest's kernel.

    client ---[ path1 forward ]--- server        server ---[ path1 backward ]--- client

The fabric (kernel/overlay/net/lab/) knows links in one direction, ports and paths. A
port is the interface of a host. A path is a chain of links between two addresses.
There are no routers, so a host has the same names and addresses as in the network of
namespaces, and everything between hosts costs one event per packet and link.

This file uses the standard library only.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from topologies import capturing
from topologies.description import Description
from topologies.parameters import unusual
from topologies.queues import RED, Discipline
from topologies.shaping import BURST_PACKETS as BURST_PACKETS
from topologies.shaping import FRAME_BYTES, Shape
from topologies.wiring import Port, Wiring

CHOICES = ("rotate", "hash", "random")
"""Choice of one of several paths between two addresses for a new flow: the next in
turn, by a hash of its addresses and ports, or at random."""
UP, DOWN = "up", "down"
PACKETS = "packets"
LIMITS = ("bytes", PACKETS)
"""Contents of a queue of N packets: the bytes of N full packets, as a tbf does, or N
packets of any size."""
MOST_BURST_PACKETS = 100_000
MOST_GATHER_MS = 10.0
IN_TURN, FIRST, DIRECT = "in_turn", "first", "direct"
ACKS = (IN_TURN, FIRST, DIRECT)
"""Travel of TCP segments without data: like all others, before others that wait in the
host, or to the other end at once."""
RED_AS_BUILT = {
    "probability_percent": 10.0,
    "averaging": 16,
    "gentle": True,
    "ecn": False,
}
"""The options of the fabric's RED that have one value."""


@dataclass(frozen=True)
class Way:
    """One direction of a link: what packets wait for and how long they travel.

    link : name of the link; several ways may belong to a link that is a class of links
    name : its name as a place to capture at, unique in the network
    place : (node, interface), as the network of namespaces has it
    shape : of this direction
    delay_first : whether packets are delayed before the queue, as by netem before tbf,
        and not behind it
    burst_packets : depth of the token bucket, in full packets; 0 for none
    from_host : whether a host sends into it directly
    acks_first : whether TCP segments without data are sent before others that wait
    """

    link: str
    name: str
    place: tuple[str, str]
    shape: Shape
    delay_first: bool = False
    burst_packets: int = 0
    from_host: bool = False
    acks_first: bool = False


@dataclass(frozen=True)
class Table:
    """A network for the fabric.

    ways : all directions of links; a path names them by their positions
    ports : the ports of each host
    paths : by (address from, address to), the alternatives, each a chain of ways
    acks_direct : whether TCP segments without data reach the other end at once, over no
        way
    """

    ways: tuple[Way, ...]
    ports: Mapping[str, tuple[Port, ...]]
    paths: Mapping[tuple[str, str], tuple[tuple[int, ...], ...]]
    acks_direct: bool = False

    @property
    def places(self) -> set[str]:
        """Names of all places to capture at: interfaces of hosts, and ways."""
        ports = ((h, port.interface) for h, all_ in self.ports.items() for port in all_)
        return {*capturing.places(ports), *self.captures}

    @property
    def captures(self) -> dict[str, int]:
        """Names at which packets behind a queue can be captured, to the way.

        A way has a name of its own. The interface that has the queue in a network of
        namespaces names it too, if no other interface is called like that.
        """
        names = Counter(way.place[1] for way in self.ways)
        names.update(port.interface for ports in self.ports.values() for port in ports)
        found = {way.name: number for number, way in enumerate(self.ways)}
        for number, way in enumerate(self.ways):
            if names[way.place[1]] == 1:
                found.setdefault(way.place[1], number)
        return found


def fault(shapes: Mapping[str, Shape]) -> str:
    """Reason why the fabric cannot have such links; empty if it can."""
    for name, shape in shapes.items():
        if shape.tclink:
            return f"{name} is a TCLink of Mininet's, which the fabric does not have"
        for way in (shape, shape.down):
            if way is None:
                continue
            for field, found in unusual(way):
                value = f"{found.key} {getattr(way, field):g}"
                refusal = found.on_fabric or "the fabric has links without it"
                return f"{name} has {value}; {refusal}"
            if way.overhead_bytes or way.at_sender:
                return f"{name} has a tunnel or its sender's queue, and the fabric not"
            if way.impairments:
                return f"{name} has impairments, which the fabric does not have"
            if reason := discipline_fault(way.discipline):
                return f"{name} has {reason}"
    return ""


def discipline_fault(discipline: Discipline | None) -> str:
    """Reason why a link of the fabric cannot have a discipline; empty if it can."""
    if discipline is None:
        return ""
    if discipline.name != RED:
        return f"{discipline.name}; the fabric has drop_tail and red"
    for key, value in RED_AS_BUILT.items():
        if discipline.value(key) != value:
            words = f"{key} {discipline.value(key)}"
            return f"red with {words}; the red of the fabric has {value}"
    return ""


def table(
    description: Description, wiring: Wiring, shapes: Mapping[str, Shape]
) -> Table:
    """The table of a network whose paths are chains of links.

    Its links do what they do in namespaces: delay first, then a queue with a bucket.

    wiring : the same network as namespaces, for its names and addresses
    """
    ways: list[Way] = []
    numbers: dict[str, tuple[int, int]] = {}
    for place in wiring.links:
        shape = shapes[place.link]
        forward = replace(shape, down=None)
        numbers[place.link] = (len(ways), len(ways) + 1)
        for name, at, one in (
            (UP, place.forward, forward),
            (DOWN, place.backward, shape.down or forward),
        ):
            way = Way(place.link, f"{place.link}-{name}", at, one, delay_first=True)
            ways.append(replace(way, burst_packets=BURST_PACKETS))
    paths: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {}
    for user in description.users:
        server = wiring.ports[user.server][0].address
        for links, port in zip(user.paths, wiring.ports[user.host], strict=True):
            there = tuple(numbers[link][0] for link in links)
            back = tuple(numbers[link][1] for link in reversed(links))
            paths[port.address, server] = (there,)
            paths[server, port.address] = (back,)
    return Table(tuple(ways), wiring.ports, paths)


def with_bursts(table: Table, packets: int) -> Table:
    """The same network with token buckets of another depth; 0 for none."""
    ways = (replace(way, burst_packets=packets) for way in table.ways)
    return replace(table, ways=tuple(ways))


def with_acks_first(table: Table) -> Table:
    """The same network, in which hosts send segments without data first."""
    ways = (replace(way, acks_first=way.from_host) for way in table.ways)
    return replace(table, ways=tuple(ways))


def offload_orders(gather_ms: float | None) -> Iterator[str]:
    """The orders, before all links, for hosts that hand down whole segments."""
    if gather_ms is not None:
        yield f"offload {round(gather_ms * 1e6)}"


def direct_orders(table: Table) -> Iterator[str]:
    """The orders for segments without data that take no way: a link behind all others,
    which has neither a queue nor a delay."""
    if table.acks_direct:
        number = len(table.ways)
        yield f"link {number} 0 0 0 0 0 0"
        yield f"bare_over {number}"


def link_orders(ways: Sequence[Way], limit: str = LIMITS[0]) -> Iterator[str]:
    """The orders that make the links. limit : one of LIMITS"""
    for number, way in enumerate(ways):
        shape = way.shape
        bps = 0 if shape.capacity_mbps is None else round(shape.capacity_mbps * 1e6)
        values = (
            bps,
            round(shape.delay_ms * 1e6),
            0 if limit == PACKETS else shape.queue_packets * FRAME_BYTES,
            shape.queue_packets if limit == PACKETS else 0,
            round(shape.loss_percent / 100 * 2**32),
            round(shape.jitter_ms * 1e6),
        )
        yield f"link {number} {' '.join(map(str, values))}"
        if way.delay_first:
            yield f"delay_first {number}"
        if way.burst_packets and bps:
            yield f"burst {number} {way.burst_packets * FRAME_BYTES}"
        if way.acks_first:
            yield f"bare_first {number}"
        if shape.discipline is not None:
            low, high = (
                round(1000 * shape.discipline.value(key) / FRAME_BYTES)
                for key in ("min_bytes", "max_bytes")
            )
            yield f"red {number} {low} {high}"


def path_orders(
    paths: Mapping[tuple[str, str], Sequence[Sequence[int]]],
) -> Iterator[str]:
    """The orders that make the paths, alternatives in order."""
    for (start, end), alternatives in paths.items():
        for ways in alternatives:
            yield f"path {start} {end} {' '.join(map(str, ways))}"


def host_lines(ports: Sequence[Port]) -> Iterator[str]:
    """The lines for `ip -batch` that give a host its addresses and routes.

    A packet leaves through the port of its source address, and through the first port
    if it has none yet.
    """
    for number, port in enumerate(ports, start=1):
        yield f"addr add {port.address}/32 dev {port.interface}"
        yield f"link set dev {port.interface} up"
        yield f"route add default dev {port.interface} metric {number}"
        if len(ports) > 1:
            yield f"route add default dev {port.interface} table {number}"
            yield f"rule add from {port.address} table {number}"
