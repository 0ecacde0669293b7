"""Wirings as jobs hold them: those of topologies that stand in a user's own file.

A template is a wiring whose ends name the link that shapes them, in place of a shape.
Jobs hold it, so that neither a guest nor a reader of results needs the file.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from topologies.description import Description
from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Node, Port, Wire, Wiring

MOST_PARTS = 2000
"""Nodes, wires or lines of a template."""

_NODE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
_INTERFACE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")
_SUBNET = re.compile(_ADDRESS.pattern + r"/[0-9]{1,2}")
_LINE = re.compile(r"(route|rule|neigh) add [A-Za-z0-9./ _-]{1,200}")
"""Configuration of a node: lines for `ip -batch` about its own tables."""


def to_json(wiring: Wiring, shapes: Mapping[str, Shape]) -> dict[str, Any]:
    """The template of a wiring.

    shapes : those that the wiring was made from, each an object of its own

    Raises ValueError, in one line, if an end has another shape, since a template has
    to hold for all values of the parameters.
    """
    by_identity = {id(shape): link for link, shape in shapes.items()}

    def end(given: End) -> dict[str, Any]:
        if given.shape is not None and id(given.shape) not in by_identity:
            raise ValueError(
                f"wire: {given.interface} has a shape of its own; give it one of those"
                " that wire gets, unchanged"
            )
        return {
            "node": given.node,
            "interface": given.interface,
            "address": given.address,
            "link": by_identity.get(id(given.shape)),
        }

    return {
        "nodes": [
            {
                "name": node.name,
                "router": node.router,
                "configuration": list(node.configuration),
                "offloads": node.offloads,
            }
            for node in wiring.nodes
        ],
        "wires": [[end(wire.one), end(wire.two)] for wire in wiring.wires],
        "links": [
            {
                "link": place.link,
                "forward": list(place.forward),
                "backward": list(place.backward),
            }
            for place in wiring.links
        ],
        "ports": {
            host: [{"interface": p.interface, "address": p.address} for p in ports]
            for host, ports in wiring.ports.items()
        },
    }


def wire(template: Mapping[str, Any], shapes: Mapping[str, Shape]) -> Wiring:
    """The wiring with shapes; the inverse of `to_json`."""

    def end(given: Mapping[str, Any]) -> End:
        shape = None if given["link"] is None else shapes[given["link"]]
        return End(given["node"], given["interface"], given["address"], shape)

    return Wiring(
        nodes=tuple(
            Node(n["name"], n["router"], tuple(n["configuration"]), n["offloads"])
            for n in template["nodes"]
        ),
        wires=tuple(Wire(end(one), end(two)) for one, two in template["wires"]),
        links=tuple(
            LinkPlace(p["link"], tuple(p["forward"]), tuple(p["backward"]))
            for p in template["links"]
        ),
        ports={
            host: tuple(Port(p["interface"], p["address"]) for p in ports)
            for host, ports in template["ports"].items()
        },
    )


def check(template: Any, description: Description) -> None:
    """Raises ValueError, in one line, if a template is not a network of a description.

    A template may come from a stranger's file, so that every word of it is looked at.
    """
    try:
        _check(template, description)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"wiring: {type(error).__name__}: {error}"[:200]) from None


def _check(template: Mapping[str, Any], description: Description) -> None:
    _keys(template, ("nodes", "wires", "links", "ports"))
    for key in ("nodes", "wires", "links"):
        if not isinstance(template[key], list) or len(template[key]) > MOST_PARTS:
            raise ValueError(f"wiring: {key}: not a list of up to {MOST_PARTS}")
    nodes = set()
    for node in template["nodes"]:
        _keys(node, ("name", "router", "configuration", "offloads"))
        _match(_NODE, node["name"], "the name of a node")
        if node["name"] in nodes:
            raise ValueError(f"wiring: two nodes are called '{node['name']}'")
        nodes.add(node["name"])
        if not all(isinstance(node[key], bool) for key in ("router", "offloads")):
            raise ValueError(f"wiring: {node['name']}: router or offloads is no bool")
        if len(node["configuration"]) > MOST_PARTS:
            raise ValueError(f"wiring: {node['name']}: too many lines")
        for line in node["configuration"]:
            _match(_LINE, line, "a line such as 'route add default via 10.0.1.1'")
    ends: dict[tuple[str, str], str | None] = {}
    for wire_ends in template["wires"]:
        one, two = wire_ends
        for end in (one, two):
            _keys(end, ("node", "interface", "address", "link"))
            place = (end["node"], end["interface"])
            _match(_INTERFACE, end["interface"], "the name of an interface")
            if end["node"] not in nodes or place in ends:
                raise ValueError(f"wiring: {place[1]}: no such node, or there already")
            if end["address"] is not None:
                _match(_SUBNET, end["address"], "an address such as 10.0.1.2/24")
            if end["link"] not in (None, *description.all_links):
                raise ValueError(f"wiring: no link '{end['link']}'")
            ends[place] = end["link"]
    _check_links(template, ends, description.all_links)
    _check_ports(template, ends, description)


def _check_links(
    template: Mapping[str, Any],
    ends: Mapping[tuple[str, str], str | None],
    links: Collection[str],
) -> None:
    for place in template["links"]:
        _keys(place, ("link", "forward", "backward"))
        for way in ("forward", "backward"):
            node, interface = place[way]
            if ends.get((node, interface)) != place["link"]:
                raise ValueError(
                    f"wiring: {interface} does not have the shape of {place['link']}"
                )
    if sorted(place["link"] for place in template["links"]) != sorted(links):
        raise ValueError(f"wiring: needs a place of each link: {', '.join(links)}")


def _check_ports(
    template: Mapping[str, Any],
    ends: Mapping[tuple[str, str], str | None],
    description: Description,
) -> None:
    ports = template["ports"]
    counts = {user.host: len(user.paths) for user in description.users}
    needed = {host: counts.get(host, 1) for host in description.hosts}
    if set(ports) != set(needed):
        raise ValueError(f"wiring: needs ports of {', '.join(needed)}")
    for host, count in needed.items():
        if len(ports[host]) != count:
            raise ValueError(
                f"wiring: {host} has {len(ports[host])} ports, not {count}"
            )
        for port in ports[host]:
            _keys(port, ("interface", "address"))
            _match(_ADDRESS, port["address"], "an address such as 10.0.1.2")
            if (host, port["interface"]) not in ends:
                raise ValueError(f"wiring: {host} has no {port['interface']}")


def _keys(value: Mapping[str, Any], keys: Collection[str]) -> None:
    if not isinstance(value, dict) or set(value) != set(keys):
        raise ValueError(f"wiring: expected the keys {', '.join(keys)}")


def _match(pattern: re.Pattern[str], value: Any, what: str) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise ValueError(f"wiring: {str(value)[:40]!r} is not {what}")
