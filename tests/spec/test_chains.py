"""Networks of chains of links, as plain values."""

import pytest

import topologies
from topologies import chains
from topologies.description import Description, User
from topologies.parameters import link_parameters
from topologies.shaping import Shape, link_shape


def description(*paths: tuple[str, ...]) -> Description:
    links = sorted({link for path in paths for link in path})
    parameters = [p for link in links for p in link_parameters(link, shared=True)]
    return Description("made", tuple(parameters), (User("u", "server_u", paths),))


def shapes(made: Description) -> dict[str, Shape]:
    return {link: link_shape(made.defaults(), link) for link in made.all_links}


@pytest.mark.parametrize("name", topologies.names())
def test_names_and_addresses_are_unique_and_fit(name: str) -> None:
    found = topologies.describe(name)
    wiring = topologies.wire(name, topologies.resolve(name, found.defaults()))
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


def test_paths_that_part_behind_a_shared_link_are_refused() -> None:
    made = description(("a", "b"), ("a", "c"))
    with pytest.raises(ValueError, match="a-b: two routes to 10"):
        chains.wire(made, shapes(made))


def test_paths_that_join_are_not() -> None:
    made = description(("a", "c"), ("b", "c"))
    wiring = chains.wire(made, shapes(made))
    assert [link.link for link in wiring.links] == ["a", "c", "b"]
