"""MTUs of interfaces, where links carry other packets than those of Ethernet.

The interfaces that shape a link have its mtu. A user's interface has the least of its
path, as a device has that of its access network, so that TCP's segments fit. Links
whose mtu users do not know are left out of that: hosts learn it by path MTU discovery.
All other interfaces carry what any link carries.

A router tells of an mtu where packets leave it, and an interface drops what comes in
and is too large without a word. So where a single router shapes a link that users do
not know, its interfaces carry what any link carries, and its routes have the mtu.
"""

from collections.abc import Collection, Iterator, Mapping

from topologies.description import Description
from topologies.shaping import MTU_BYTES, Shape
from topologies.wiring import Wiring


def lines(
    description: Description,
    wiring: Wiring,
    shapes: Mapping[str, Shape],
    unknown: Collection[str] = (),
) -> dict[str, list[str]]:
    """Lines for `ip -batch` by node; none if every link has the usual mtu.

    unknown : links whose mtu users do not know
    """
    mtus = {name: shape.mtu_bytes for name, shape in shapes.items()}
    if set(mtus.values()) <= {MTU_BYTES}:
        return {}
    most = max(MTU_BYTES, *mtus.values())
    found = {
        (end.node, end.interface): most
        for wire in wiring.wires
        for end in (wire.one, wire.two)
    }
    of_routes: dict[str, int] = {}
    for place in wiring.links:
        if place.link in unknown and place.forward[0] == place.backward[0]:
            of_routes[place.forward[0]] = mtus[place.link]
        else:
            found[place.forward] = found[place.backward] = mtus[place.link]
    for user in description.users:
        for path, port in zip(user.paths, wiring.ports[user.host], strict=True):
            known = (mtus[link] for link in path if link not in unknown)
            least = min(known, default=MTU_BYTES)
            before = found[user.host, port.interface]
            found[user.host, port.interface] = min(before, least)
    result: dict[str, list[str]] = {}
    for (node, interface), mtu in found.items():
        if mtu != MTU_BYTES:
            line = f"link set dev {interface} mtu {mtu}"
            result.setdefault(node, []).append(line)
    for node, mtu in of_routes.items():
        result.setdefault(node, []).extend(_routes(wiring, node, mtu))
    return result


def _routes(wiring: Wiring, router: str, mtu: int) -> Iterator[str]:
    """The routes of a router, those to its neighbours included, with an mtu."""
    for wire in wiring.wires:
        for here, there in ((wire.one, wire.two), (wire.two, wire.one)):
            if here.node == router and there.address:
                to = there.address.partition("/")[0]
                yield f"route add {to} dev {here.interface} mtu {mtu}"
    for node in wiring.nodes:
        if node.name == router:
            for line in node.configuration:
                if line.startswith("route add "):
                    yield f"{line.replace('add', 'replace', 1)} mtu {mtu}"
