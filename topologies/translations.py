"""Routes back to routers that translate addresses.

Behind a router with NAT, packets come from the router's own address on the far side of
its link. Every node that knows the way to a user's address on a path with this link
gets the same way to the router's address.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from topologies.description import Description
from topologies.wiring import Node, Wiring


def routed(wiring: Wiring, description: Description, links: Iterable[str]) -> Wiring:
    """The wiring with routes to the routers of some links. links : with NAT"""
    for link in links:
        place = next(place for place in wiring.links if place.link == link)
        translated = _address(wiring, place.forward)
        users = list(_users(wiring, description, link))
        nodes = [_with(node, users, translated) for node in wiring.nodes]
        wiring = replace(wiring, nodes=tuple(nodes))
    return wiring


def _address(wiring: Wiring, place: tuple[str, str]) -> str:
    for wire in wiring.wires:
        for end in (wire.one, wire.two):
            if (end.node, end.interface) == place and end.address:
                return end.address.partition("/")[0]
    raise ValueError(f"{place[1]} of {place[0]} has no address to translate to")


def _users(wiring: Wiring, description: Description, link: str) -> Iterator[str]:
    """The addresses of users on paths with a link."""
    for user in description.users:
        for path, port in zip(user.paths, wiring.ports[user.host], strict=True):
            if link in path:
                yield port.address


def _with(node: Node, users: list[str], translated: str) -> Node:
    """A node with a way to the address, as it has one to the first of the users."""
    for address in users:
        for line in node.configuration:
            words = line.split()
            if words[:4] == ["route", "add", address, "via"] and words[4] != translated:
                more = " ".join([*words[:2], translated, *words[3:]])
                return replace(node, configuration=(*node.configuration, more))
    return node
