"""Networks of chains of links, as plain values."""

import ipaddress
import re

import pytest

import topologies
from mpbench.guest import network
from mpbench.spec import builtin
from topologies import chains
from topologies.description import Description, User
from topologies.parameters import delay_parameter, link_parameters
from topologies.shaping import Shape, link_shape


def description(*paths: tuple[str, ...]) -> Description:
    links = sorted({link for path in paths for link in path})
    parameters = [p for link in links for p in link_parameters(link, shared=True)]
    return Description("made", tuple(parameters), (User("u", "server_u", paths),))


def shapes(made: Description) -> dict[str, Shape]:
    return {link: link_shape(made.defaults(), link) for link in made.all_links}


@pytest.mark.parametrize("name", builtin.names())
def test_names_and_addresses_are_unique_and_fit(name: str) -> None:
    found = builtin.describe(name)
    wiring = topologies.wire(found, topologies.resolve(found, found.defaults()))
    ends = [end for wire in wiring.wires for end in (wire.one, wire.two)]
    places = [(end.node, end.interface) for end in ends]
    assert len(set(places)) == len(places)
    assert all(len(end.interface) < 16 for end in ends)
    addresses = [end.address for end in ends]
    assert len(set(addresses)) == len(addresses)
    assert {end.node for end in ends} == {node.name for node in wiring.nodes}
    for user in found.users:
        assert len(wiring.ports[user.host]) == len(user.paths)
    shaped = {end.node for end in ends if end.shape is not None}
    assert not shaped & set(found.hosts)
    assert {link.link for link in wiring.links} >= set(found.links)


def test_paths_that_part_behind_a_shared_link_are_routed_by_source() -> None:
    made = description(("a", "b"), ("a", "c"))
    wiring = chains.wire(made, shapes(made))
    first, second = (port.address for port in wiring.ports["u"])
    assert first != second
    (parting,) = (node for node in wiring.nodes if node.name == "a-b")
    server = wiring.ports["server_u"][0].address
    ways = [line for line in parting.configuration if server in line]
    assert [line.split(" via ")[0] for line in ways] == [
        f"route add {server}",
        f"route add {server}",
        f"rule add from {second} to {server} table 1",
    ]
    assert ways[1].endswith(" table 1") and "table" not in ways[0]


def test_a_link_that_only_delays_may_belong_to_several_paths() -> None:
    made = Description(
        "made",
        (*link_parameters("a", shared=True), delay_parameter("far", 5.0)),
        (User("u", "s", (("far",), ("far", "a"))), User("v", "s", (("far", "a"),))),
    )
    wiring = chains.wire(made, shapes(made))
    (far,) = (link for link in wiring.links if link.link == "far")
    assert (far.forward[0], far.backward[0]) == ("far-a", "far-b")
    assert len({port.address for port in wiring.ports["u"]}) == 2
    assert len(wiring.ports["s"]) == 1


def test_paths_that_join_are_not() -> None:
    made = description(("a", "c"), ("b", "c"))
    wiring = chains.wire(made, shapes(made))
    assert [link.link for link in wiring.links] == ["a", "c", "b"]


def test_a_large_network_has_unique_addresses() -> None:
    """More wires than the last byte of a MAC address or of a subnet can count."""
    paths = [tuple(f"l{n}x{hop}" for hop in range(5)) for n in range(99)]
    links = [link for path in paths for link in path]
    parameters = [p for link in links for p in link_parameters(link, shared=True)]
    users = tuple(User(f"u{n}", f"s{n}", (path,)) for n, path in enumerate(paths))
    made = Description("made", tuple(parameters), users)
    wiring = chains.wire(made, shapes(made))
    assert len(wiring.wires) > 255
    ends = [end for wire in wiring.wires for end in (wire.one, wire.two)]
    found = [ipaddress.ip_interface(str(end.address)) for end in ends]
    assert len({each.ip for each in found}) == len(found)
    assert len({each.network for each in found}) == len(wiring.wires)
    macs = {network._mac(n, end) for n in range(len(wiring.wires)) for end in (1, 2)}
    assert len(macs) == len(ends)
    assert all(re.fullmatch(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", mac) for mac in macs)


@pytest.mark.parametrize("links", [("a",), ("a", "b")])
def test_each_end_of_a_link_shapes_what_leaves_it(links: tuple[str, ...]) -> None:
    """Users send with 10 Mbit/s and receive with 50."""
    made = description(links)
    both = shapes(made)
    down = Shape(50.0, 5.0, 100)
    both["a"] = Shape(10.0, 5.0, 20, down=down)
    wiring = chains.wire(made, both)
    ends = [end for wire in wiring.wires for end in (wire.one, wire.two)]
    at = {(end.node, end.interface): end.shape for end in ends}
    (place,) = (one for one in wiring.links if one.link == "a")
    assert at[place.forward] == Shape(10.0, 5.0, 20)
    assert at[place.backward] == down
    assert (place.forward[0], place.backward[0]) == ("a-a", "a-b")
    assert sum(shape is not None for shape in at.values()) == 2 * len(links)
