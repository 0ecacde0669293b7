"""Networks of users whose paths are chains of links. Paths may share links.

A link is a pair of routers:

    user --- link1-a ===== link1-b --- server

`link1-a` shapes the packets that users send, and `link1-b` shapes the packets that
come back. Whatever comes before and after a link on a path is wired to the link's two
ends. A link without a capacity is a single router that delays both directions, and it
belongs to one path only. Wires between links and hosts are ideal.

Routers forward by destination address. A user has an address on each path, but a
server has only one. So if two paths of a user share a link, they must also share all
links behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from topologies.description import Description, User
from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Node, Port, Wire, Wiring


@dataclass
class _Builder:
    """The parts of a network, which grow path by path.

    between : (node, next node) to the addresses of both, without a prefix length
    interfaces : (node, other node) to the name of the node's interface on that wire
    counts : node to its number of interfaces
    routes : node to destination address to the address of the next hop
    """

    shapes: Mapping[str, Shape]
    between: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    interfaces: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    routes: dict[str, dict[str, str]] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)

    def nodes_of(self, link: str) -> tuple[str, ...]:
        """The routers of a link: two, or one if the link has no capacity."""
        if self.shapes[link].capacity_mbps is None:
            return (link,)
        return (f"{link}-a", f"{link}-b")

    def connect(self, first: str, second: str, subnet: str) -> None:
        """Wire two nodes, unless they are wired already.

        subnet : the first three bytes of both addresses, such as `10.1.2`
        """
        if (first, second) in self.between:
            return
        addresses = (f"{subnet}.1", f"{subnet}.2")
        self.between[first, second] = addresses
        ends = []
        for node, peer, address in (
            (first, second, addresses[0]),
            (second, first, addresses[1]),
        ):
            self.counts[node] = self.counts.get(node, 0) + 1
            name = f"eth{self.counts[node]}"
            self.interfaces[node, peer] = name
            shape = self._shape(first, second, node)
            ends.append(End(node, name, f"{address}/24", shape))
        self.wires.append(Wire(*ends))

    def _shape(self, first: str, second: str, node: str) -> Shape | None:
        """The shape of a node's interface on the wire between two nodes."""
        for link, shape in self.shapes.items():
            routers = self.nodes_of(link)
            if routers == (first, second) or routers == (node,):
                return shape
        return None

    def route(self, node: str, destination: str, next_hop: str) -> None:
        """Add a route. Raises ValueError if the node has another to that address."""
        known = self.routes.setdefault(node, {}).setdefault(destination, next_hop)
        if known != next_hop:
            raise ValueError(
                f"{node}: two routes to {destination}; paths of a user that share a"
                " link must share all links behind it"
            )


def wire(description: Description, shapes: Mapping[str, Shape]) -> Wiring:
    """The network of a topology whose paths are chains of links.

    shapes : every link's shape by its name

    Raises ValueError if two paths of a user share a link but not all links behind it.
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
        server_interface = build.interfaces[user.server, chains[0][-2]]
        ports[user.server] = (Port(server_interface, server),)
        lines = tuple(_user_routes(build, ports[user.host], chains))
        nodes[user.host] = Node(user.host, configuration=lines)
    hosts = {*nodes, *(user.server for user in description.users)}
    for name in dict.fromkeys(name for pair in build.between for name in pair):
        lines = tuple(f"route add {d} via {hop}" for d, hop in _hops(build, name))
        nodes.setdefault(name, Node(name, name not in hosts, lines))
    return Wiring(
        nodes=tuple(nodes.values()),
        wires=tuple(build.wires),
        links=tuple(_place(build, link) for link in links),
        ports=ports,
    )


def _chain(build: _Builder, user: User, path: Sequence[str]) -> list[str]:
    """The nodes along a path, from the user's host to the server."""
    inner = [node for link in path for node in build.nodes_of(link)]
    return [user.host, *inner, user.server]


def _connect(build: _Builder, chain: list[str], user: int, path: int) -> None:
    """Wire the nodes along a path. user, path : their numbers, from 1"""
    last = len(chain) - 2
    for step, (node, next_node) in enumerate(pairwise(chain)):
        if step == 0:
            subnet = f"10.{user}.{path}"
        elif step == last:
            subnet = f"10.{100 + user}.{path}"
        else:
            subnet = f"10.200.{len(build.wires)}"
        build.connect(node, next_node, subnet)


def _route(build: _Builder, chains: list[list[str]], server: str) -> None:
    """Add the routes along a user's paths. server : the server's address"""
    for chain in chains:
        user = build.between[chain[0], chain[1]][0]
        for before, here, after in zip(chain, chain[1:], chain[2:], strict=False):
            build.route(here, server, build.between[here, after][1])
            build.route(here, user, build.between[before, here][0])
        build.route(chain[-1], user, build.between[chain[-2], chain[-1]][0])


def _hops(build: _Builder, node: str) -> Iterator[tuple[str, str]]:
    """A node's (destination, next hop), without the hosts that it is wired to."""
    for destination, hop in build.routes.get(node, {}).items():
        if destination != hop:
            yield destination, hop


def _user_routes(
    build: _Builder, ports: Sequence[Port], chains: Sequence[Sequence[str]]
) -> Iterator[str]:
    """The lines for `ip -batch` on a user's host.

    A packet takes the path of its source address, and path 1 if it has none yet.
    """
    for path, (port, chain) in enumerate(zip(ports, chains, strict=True), start=1):
        via = f"via {build.between[chain[0], chain[1]][1]} dev {port.interface}"
        yield f"route add default {via} metric {path}"
        yield f"route add default {via} table {path}"
        yield f"rule add from {port.address} table {path}"


def _place(build: _Builder, link: str) -> LinkPlace:
    """The interfaces that shape a link."""
    routers = build.nodes_of(link)
    first, last = routers[0], routers[-1]
    if first != last:
        return LinkPlace(
            link,
            forward=(first, build.interfaces[first, last]),
            backward=(last, build.interfaces[last, first]),
        )
    (before,) = (node for node, next_node in build.between if next_node == first)
    (after,) = (next_node for node, next_node in build.between if node == first)
    return LinkPlace(
        link,
        forward=(first, build.interfaces[first, after]),
        backward=(first, build.interfaces[first, before]),
    )
