"""Users whose paths are chains of links, some of them shared.

A link is a pair of routers:

    user --- link1-a ===== link1-b --- server

`link1-a` shapes what users send through it, `link1-b` what comes back; whoever
uses the link is wired to its ends, and links that follow one another to each
other. A link without a capacity is one router, which delays either direction,
and belongs to one path. All other wires are ideal.

Routing goes by destination: a user has an address on each path, a server one,
so two paths of a user that share a link must go on alike behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from topologies.description import Description, User
from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Node, Port, Wire, Wiring


@dataclass
class _Builder:
    """What is gathered while paths are followed one by one.

    between : (node, next node) to the addresses of the two, without length
    interfaces : (node, other node) to the interface there
    routes : node to destination to its next hop's address
    """

    shapes: Mapping[str, Shape]
    between: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    interfaces: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    routes: dict[str, dict[str, str]] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)

    def nodes_of(self, link: str) -> tuple[str, ...]:
        if self.shapes[link].capacity_mbps is None:
            return (link,)
        return (f"{link}-a", f"{link}-b")

    def connect(self, one: str, two: str, subnet: str) -> None:
        """Wire `one` to `two` unless they are; `subnet` is `10.1.2`."""
        if (one, two) in self.between:
            return
        addresses = (f"{subnet}.1", f"{subnet}.2")
        self.between[one, two] = addresses
        ends = []
        for here, there, address in ((one, two, 0), (two, one, 1)):
            self.counts[here] = self.counts.get(here, 0) + 1
            name = f"eth{self.counts[here]}"
            self.interfaces[here, there] = name
            shape = self._shape(one, two, here)
            ends.append(End(here, name, f"{addresses[address]}/24", shape))
        self.wires.append(Wire(*ends))

    def _shape(self, one: str, two: str, here: str) -> Shape | None:
        for link, shape in self.shapes.items():
            inside = self.nodes_of(link)
            if inside == (one, two) or inside == (here,):
                return shape
        return None

    def route(self, node: str, destination: str, next_hop: str) -> None:
        known = self.routes.setdefault(node, {}).setdefault(destination, next_hop)
        if known != next_hop:
            raise ValueError(f"{node}: two ways to {destination}")


def wire(description: Description, shapes: Mapping[str, Shape]) -> Wiring:
    """The network of a topology whose users' paths are chains of its links.

    shapes : every link's shape by its name

    Raises ValueError if two paths of a user share a link and part behind it.
    """
    links = dict.fromkeys(
        link for user in description.users for path in user.paths for link in path
    )
    build = _Builder({link: shapes[link] for link in links})
    nodes: dict[str, Node] = {}
    ports: dict[str, tuple[Port, ...]] = {}
    for number, user in enumerate(description.users, start=1):
        chains = [_chain(build, user, path) for path in user.paths]
        for path, chain in enumerate(chains, start=1):
            _connect(build, chain, number, path)
        server = build.between[chains[0][-2], user.server][1]
        _route(build, chains, server)
        ports[user.host] = tuple(
            Port(build.interfaces[c[0], c[1]], build.between[c[0], c[1]][0])
            for c in chains
        )
        port = build.interfaces[user.server, chains[0][-2]]
        ports[user.server] = (Port(port, server),)
        nodes[user.host] = Node(
            user.host, configuration=tuple(_choices(build, ports[user.host], chains))
        )
    hosts = {*nodes, *(user.server for user in description.users)}
    for node in dict.fromkeys(name for pair in build.between for name in pair):
        lines = [f"route add {d} via {hop}" for d, hop in _hops(build, node)]
        nodes.setdefault(node, Node(node, node not in hosts, tuple(lines)))
    return Wiring(
        nodes=tuple(nodes.values()),
        wires=tuple(build.wires),
        links=tuple(_place(build, link) for link in links),
        ports=ports,
    )


def _chain(build: _Builder, user: User, path: Sequence[str]) -> list[str]:
    """The nodes that a path goes through, both ends included."""
    inner = [node for link in path for node in build.nodes_of(link)]
    return [user.host, *inner, user.server]


def _connect(build: _Builder, chain: list[str], user: int, path: int) -> None:
    last = len(chain) - 2
    for step, (one, two) in enumerate(pairwise(chain)):
        if step == 0:
            subnet = f"10.{user}.{path}"
        elif step == last:
            subnet = f"10.{100 + user}.{path}"
        else:
            subnet = f"10.200.{len(build.wires)}"
        build.connect(one, two, subnet)


def _route(build: _Builder, chains: list[list[str]], server: str) -> None:
    for chain in chains:
        user = build.between[chain[0], chain[1]][0]
        for before, here, after in zip(chain, chain[1:], chain[2:], strict=False):
            build.route(here, server, build.between[here, after][1])
            build.route(here, user, build.between[before, here][0])
        build.route(chain[-1], user, build.between[chain[-2], chain[-1]][0])


def _hops(build: _Builder, node: str) -> Iterator[tuple[str, str]]:
    """The routes of a node to what it is not wired to itself."""
    for destination, hop in build.routes.get(node, {}).items():
        if destination != hop:
            yield destination, hop


def _choices(
    build: _Builder, ports: Sequence[Port], chains: Sequence[Sequence[str]]
) -> Iterator[str]:
    """A user's routes: by its source address, by its first path otherwise."""
    for path, (port, chain) in enumerate(zip(ports, chains, strict=True), start=1):
        via = f"via {build.between[chain[0], chain[1]][1]} dev {port.interface}"
        yield f"route add default {via} metric {path}"
        yield f"route add default {via} table {path}"
        yield f"rule add from {port.address} table {path}"


def _place(build: _Builder, link: str) -> LinkPlace:
    inside = build.nodes_of(link)
    first, last = inside[0], inside[-1]
    if first != last:
        there, back = build.interfaces[first, last], build.interfaces[last, first]
        return LinkPlace(link, (first, there), (last, back))
    (before,) = (one for one, two in build.between if two == first)
    (after,) = (two for one, two in build.between if one == first)
    there, back = build.interfaces[first, after], build.interfaces[first, before]
    return LinkPlace(link, (first, there), (first, back))
