"""MTUs of interfaces, where links carry other packets than those of Ethernet.

The interfaces that shape a link have its mtu. A user's interface has the least of its
path, as a device has that of its access network, so that TCP's segments fit. Links
whose mtu users do not know are left out of that: hosts learn it by path MTU discovery.
All other interfaces carry what any link carries.
"""

from collections.abc import Collection, Mapping

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
    for place in wiring.links:
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
    return result
