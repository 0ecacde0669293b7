"""Further addresses of servers, added to a network that is wired already.

A server has one address in the wiring of a topology. A further address stands on the
same interface. Every router that knows the way to the first address gets the same way
to the further one, so that any path leads to any address. A client that has not chosen
its own address yet takes the path to which the server's address belongs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from topologies.description import Description, User
from topologies.wiring import Node, Port, Wiring


def extended(
    wiring: Wiring, description: Description, more: Mapping[str, Mapping[str, str]]
) -> Wiring:
    """The wiring with further addresses.

    more : server to link to address
    """
    for server, addresses in more.items():
        for link, address in addresses.items():
            wiring = _with(wiring, description, server, link, address)
    return wiring


def path_with(user: User, link: str) -> int | None:
    """The number, from 1, of a user's first path with a link; None if there is none."""
    numbered = enumerate(user.paths, start=1)
    return next((number for number, path in numbered if link in path), None)


def _with(
    wiring: Wiring, description: Description, server: str, link: str, address: str
) -> Wiring:
    port = wiring.ports[server][0]
    users = {u.host: u for u in description.users if u.server == server}
    nodes = []
    for node in wiring.nodes:
        lines = list(_copied(node, port.address, address))
        if node.name == server:
            lines = [f"addr add {address}/32 dev {port.interface}"]
        elif node.name in users:
            number = path_with(users[node.name], link)
            lines += _to_path(node, number, address) if number else ()
        elif not lines:
            lines += _across(wiring, node.name, server, address)
        nodes.append(replace(node, configuration=(*node.configuration, *lines)))
    ports = {**wiring.ports}
    ports[server] = (*ports[server], Port(port.interface, address))
    return replace(wiring, nodes=tuple(nodes), ports=ports)


def _copied(node: Node, known: str, address: str) -> Iterator[str]:
    """The routes and rules to a known address, for another one."""
    for line in node.configuration:
        words = line.split()
        if words[:2] == ["route", "add"] and words[2] == known:
            yield " ".join([*words[:2], address, *words[3:]])
        if words[:2] == ["rule", "add"] and words[-4:-2] == ["to", known]:
            yield " ".join([*words[:-3], address, *words[-2:]])


def _to_path(node: Node, number: int, address: str) -> Iterator[str]:
    """The route of a user's host by one of its paths, whose table has the number."""
    for line in node.configuration:
        if line.startswith("route add default ") and line.endswith(f" table {number}"):
            way = line.removeprefix("route add default ")
            yield f"route add {address} {way.removesuffix(f' table {number}')}"


def _across(wiring: Wiring, router: str, server: str, address: str) -> Iterator[str]:
    """The route of a router that is wired to the server."""
    for wire in wiring.wires:
        for here, there in ((wire.one, wire.two), (wire.two, wire.one)):
            if (here.node, there.node) == (router, server) and there.address:
                yield f"route add {address} via {there.address.partition('/')[0]}"
                return
