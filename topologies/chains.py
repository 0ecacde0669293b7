"""Networks of users whose paths are chains of links. Paths may share links.

A link is a pair of routers:

    user --- link1-a ===== link1-b --- server

`link1-a` shapes the packets that users send, and `link1-b` shapes the packets that
come back. Whatever comes before and after a link on a path is wired to the link's two
ends. A link that has no capacity and belongs to a single path is a single router that
delays both directions. Wires between links and hosts are ideal.

A user has an interface and an address on each path; a server has one address. A user
that is another one's server has an address for that too. Routers
forward by destination. Where paths of a user part behind a link that they share, the
router forwards by source address too.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from topologies.description import Description, User
from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Node, Port, Wire, Wiring

SUBNETS_PER_BYTE = 256


@dataclass(frozen=True)
class _Hop:
    """A wire on a path, from one node to the next.

    path : number of the path, if the wire joins a user to the first link of the path
        and another path of the user begins with that link too; else 0
    """

    node: str
    next_node: str
    path: int = 0


@dataclass
class _Builder:
    """The parts of a network, which grow path by path.

    shapes : shape by link
    alone : links that belong to a single path
    between : hop to the addresses of both nodes, without a prefix length
    interfaces : (hop, node) to the name of the node's interface on that wire
    counts : node to its number of interfaces
    routes : node to destination address to {source address: address of the next hop};
        the source is empty where a route holds for all packets to the destination
    """

    shapes: Mapping[str, Shape]
    alone: frozenset[str]
    between: dict[_Hop, tuple[str, str]] = field(default_factory=dict)
    interfaces: dict[tuple[_Hop, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    routes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_nodes = {self.nodes_of(link): link for link in self.shapes}

    def nodes_of(self, link: str) -> tuple[str, ...]:
        """The routers of a link."""
        if self.shapes[link].capacity_mbps is None and link in self.alone:
            return (link,)
        return (f"{link}-a", f"{link}-b")

    def connect(self, hop: _Hop, subnet: str) -> None:
        """Wire the two nodes of a hop, unless they are wired already.

        subnet : the first three bytes of both addresses, such as `10.1.2`
        """
        if hop in self.between:
            return
        addresses = (f"{subnet}.1", f"{subnet}.2")
        self.between[hop] = addresses
        ends = []
        for node, address in zip((hop.node, hop.next_node), addresses, strict=True):
            self.counts[node] = self.counts.get(node, 0) + 1
            name = f"eth{self.counts[node]}"
            self.interfaces[hop, node] = name
            ends.append(End(node, name, f"{address}/24", self._shape(hop, node)))
        self.wires.append(Wire(*ends))

    def _shape(self, hop: _Hop, node: str) -> Shape | None:
        """The shape of a node's interface on the wire of a hop.

        The first node of a hop sends towards the server, the other towards the user.
        """
        pair = (hop.node, hop.next_node)
        link = self.by_nodes.get(pair) or self.by_nodes.get((node,))
        if link is None:
            return None
        shape = self.shapes[link]
        if shape.down is None:
            return shape
        return replace(shape, down=None) if node == hop.node else shape.down

    def route(
        self, node: str, destination: str, next_hop: str, source: str = ""
    ) -> None:
        """Add a route, which holds for packets from one source or from all."""
        self.routes.setdefault(node, {}).setdefault(destination, {})[source] = next_hop


def wire(description: Description, shapes: Mapping[str, Shape]) -> Wiring:
    """The network of a topology whose paths are chains of links.

    shapes : every link's shape by its name
    """
    uses = Counter(
        link for user in description.users for path in user.paths for link in path
    )
    alone = frozenset(link for link, count in uses.items() if count == 1)
    build = _Builder({link: shapes[link] for link in uses}, alone)
    nodes: dict[str, Node] = {}
    ports: dict[str, tuple[Port, ...]] = {}
    entrances: dict[str, Port] = {}
    users = {user.host for user in description.users}
    for number, user in enumerate(description.users, start=1):
        chains = list(_chains(build, user))
        for path, chain in enumerate(chains, start=1):
            _connect(build, chain, number, path)
        ports[user.host] = tuple(
            Port(build.interfaces[chain[0], user.host], build.between[chain[0]][0])
            for chain in chains
        )
        last = chains[0][-1]
        port = Port(build.interfaces[last, user.server], build.between[last][1])
        if user.server in users:
            server = entrances.setdefault(user.server, port).address
        else:
            server = ports.setdefault(user.server, (port,))[0].address
        _route(build, chains, server)
        lines = tuple(_user_routes(build, ports[user.host], chains))
        nodes[user.host] = Node(user.host, configuration=lines)
    for name in entrances:
        lines = (*nodes[name].configuration, *_lines(build, name))
        nodes[name] = replace(nodes[name], configuration=lines)
    hosts = {*nodes, *(user.server for user in description.users)}
    names = (name for hop in build.between for name in (hop.node, hop.next_node))
    for name in dict.fromkeys(names):
        lines = tuple(_lines(build, name))
        nodes.setdefault(name, Node(name, name not in hosts, lines))
    return Wiring(
        nodes=tuple(nodes.values()),
        wires=tuple(build.wires),
        links=tuple(_place(build, link) for link in uses),
        ports=ports,
        entrances=entrances,
    )


def _chains(build: _Builder, user: User) -> Iterator[list[_Hop]]:
    """The hops of each path, from the user's host to the server."""
    first_links: set[str] = set()
    for number, path in enumerate(user.paths, start=1):
        inner = [node for link in path for node in build.nodes_of(link)]
        hops = [_Hop(*pair) for pair in pairwise([user.host, *inner, user.server])]
        if path[0] in first_links:
            hops[0] = _Hop(user.host, inner[0], number)
        first_links.add(path[0])
        yield hops


def _connect(build: _Builder, chain: list[_Hop], user: int, path: int) -> None:
    """Wire the nodes along a path. user, path : their numbers, from 1"""
    last = len(chain) - 1
    for step, hop in enumerate(chain):
        if step == 0:
            subnet = f"10.{user}.{path}"
        elif step == last:
            subnet = f"10.{100 + user}.{path}"
        else:
            more, number = divmod(len(build.wires), SUBNETS_PER_BYTE)
            subnet = f"10.{200 + more}.{number}"
        build.connect(hop, subnet)


def _route(build: _Builder, chains: list[list[_Hop]], server: str) -> None:
    """Add the routes along a user's paths. server : the server's address"""
    for chain in chains:
        user = build.between[chain[0]][0]
        for before, after in pairwise(chain):
            here = before.next_node
            build.route(here, server, build.between[after][1], source=user)
            build.route(here, user, build.between[before][0])
        build.route(chain[-1].next_node, user, build.between[chain[-1]][0])


def _lines(build: _Builder, node: str) -> Iterator[str]:
    """A node's lines for `ip -batch`, without routes to hosts that it is wired to.

    Where packets to a destination leave by several ways, the first way is that of most
    packets, and each source that takes another way has a table of its own.
    """
    table = 0
    for destination, hops in build.routes.get(node, {}).items():
        usual = next(iter(hops.values()))
        if destination != usual:
            yield f"route add {destination} via {usual}"
        for source, hop in hops.items():
            if hop != usual:
                table += 1
                yield f"route add {destination} via {hop} table {table}"
                yield f"rule add from {source} to {destination} table {table}"


def _user_routes(
    build: _Builder, ports: Sequence[Port], chains: Sequence[Sequence[_Hop]]
) -> Iterator[str]:
    """The lines for `ip -batch` on a user's host.

    A packet takes the path of its source address, and path 1 if it has none yet.
    """
    for path, (port, chain) in enumerate(zip(ports, chains, strict=True), start=1):
        via = f"via {build.between[chain[0]][1]} dev {port.interface}"
        yield f"route add default {via} metric {path}"
        yield f"route add default {via} table {path}"
        yield f"rule add from {port.address} table {path}"


def _place(build: _Builder, link: str) -> LinkPlace:
    """The interfaces that shape a link."""
    routers = build.nodes_of(link)
    first, last = routers[0], routers[-1]
    if first != last:
        hop = _Hop(first, last)
        return LinkPlace(
            link,
            forward=(first, build.interfaces[hop, first]),
            backward=(last, build.interfaces[hop, last]),
        )
    (before,) = (hop for hop in build.between if hop.next_node == first)
    (after,) = (hop for hop in build.between if hop.node == first)
    return LinkPlace(
        link,
        forward=(first, build.interfaces[after, first]),
        backward=(first, build.interfaces[before, first]),
    )
