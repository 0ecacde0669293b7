"""Drawings of networks: what they hold, and that nothing lies over anything else."""

from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mpbench.drawing.lanes import Box, arrange
from mpbench.drawing.picture import Picture, of_experiment, of_topology
from mpbench.drawing.svg import svg
from mpbench.drawing.text import text
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.spec.builtin import describe, names
from tests.calls import Command
from tests.spec.test_networks import PAPERS, SAME, network

SCENARIO_A = Path(__file__).parents[2] / "docs" / "images" / "scenario-a.svg"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(links: dict[str, Any], users: dict[str, Any], **more: Any) -> Picture:
    return of_experiment(network(links, users, **more))


def whole(picture: Picture) -> None:
    """Every path is a lane with its links in order, and boxes lie side by side."""
    layout = arrange(picture)
    paths = {(lane.user, lane.path): lane.links for lane in layout.lanes}
    assert paths == {
        (number, path): links
        for number, user in enumerate(picture.users)
        for path, links in enumerate(user.paths, start=1)
    }
    for number, columns in enumerate(layout.columns):
        assert list(columns) == sorted(set(columns))
        names = [
            box.name
            for column in columns
            for box in layout.links
            if box.column == column and box.first <= number <= box.last
        ]
        assert tuple(names) == layout.lanes[number].links
    assert not any(_overlap(*pair) for pair in combinations(layout.links, 2))
    firsts = [box.name for box in layout.links if not box.again]
    assert sorted(firsts) == sorted(picture.links)


def _overlap(one: Box, two: Box) -> bool:
    apart = one.last < two.first or two.last < one.first
    return one.column == two.column and not apart


@pytest.mark.parametrize("name", [*PAPERS, *SAME])
def test_networks_of_papers(name: str) -> None:
    picture = drawn(*{**PAPERS, **SAME}[name])
    whole(picture)
    root = ElementTree.fromstring(svg(picture))
    words = {element.text for element in root.iter(f"{SVG}text")}
    hosts = {name for user in picture.users for name in (user.host, user.server)}
    assert words >= hosts | set(picture.links)
    shown = text(picture)
    assert all(name in shown for name in hosts | set(picture.links))


@pytest.mark.parametrize("name", names())
def test_built_in_topologies(name: str, command: Command, tmp_path: Path) -> None:
    picture = of_topology(describe(name))
    whole(picture)
    done = command("network", name, "--out", tmp_path / "n.svg")
    assert done.status == 0 and done.out.startswith(text(picture))
    assert (tmp_path / "n.svg").read_text() == svg(picture)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("two_pth", "two_pth: no such file; as a topology: unknown topology"),
        ("two_pth", "did you mean 'two_path'?"),
        ("fattree-k3", "an even number of ports; write k2 or k4"),
        ("two_pth.yaml", "no such file"),
    ],
)
def test_a_name_of_nothing(name: str, words: str, command: Command) -> None:
    done = command("network", name)
    assert done.status == 2 and words in done.err


@st.composite
def networks(draw: st.DrawFn) -> Picture:
    links = [f"l{number}" for number in range(draw(st.integers(1, 6)))]
    path = st.lists(st.sampled_from(links), min_size=1, max_size=4, unique=True)
    users = {
        f"u{number}": [
            " ".join(links)
            for links in draw(st.lists(path, min_size=1, max_size=3, unique_by=tuple))
        ]
        for number in range(draw(st.integers(1, 6)))
    }
    used = {link for paths in users.values() for way in paths for link in way.split()}
    return drawn({link: {} for link in sorted(used)}, users)


@given(networks())
@settings(max_examples=60, deadline=None)
def test_any_network(picture: Picture) -> None:
    whole(picture)
    ElementTree.fromstring(svg(picture))
    assert text(picture) == text(picture)


def test_an_mtu_is_in_the_drawing() -> None:
    links = {"one": {"mtu": 1400}, "two": {}}
    assert "mtu 1400" in text(drawn(links, {"client": ["one", "two"]}))


def test_users_are_ordered_so_that_links_need_few_boxes() -> None:
    """Users of one link, of both, and of the other, mixed: two boxes are enough."""
    users = {"a": ["X"], "b": ["Y"], "c": ["X"], "d": ["X", "Y"], "e": ["Y"]}
    layout = arrange(drawn({"X": {}, "Y": {}}, users))
    assert len(layout.links) == 2


TEXT = """\
name: scenario-a
network:
  links:
    server:  {capacity: = 1 Mbit/s * type1.users, delay: 20 ms}
    shared:  {capacity: 10 Mbit/s, delay: 20 ms}
    private: {delay: 20 ms}
  users:
    type1: {paths: [private server, shared server], users: 10}
    type2: {paths: [shared], users: 10}
design:
  points: 9
  factors: {shared.loss: {min: 0.1 %, max: 1 %}, type2.users: {min: 5, max: 30}}
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: type1, to: server_type1, duration: 5 s}
"""


def test_the_text_word_by_word() -> None:
    assert text(of_experiment(loads(TEXT))) == (
        "paths, from users to servers: [link] (link that only delays)\n"
        "  type1 (10 users)       1 --( private )--[ server ]-- server_type1\n"
        "                         2 --[ shared  ]--[ server ]-- server_type1\n"
        "  type2 (5 to 30 users)  1 --[ shared  ]-------------- server_type2\n"
        "\n"
        "links (* varies in the design)\n"
        "  server   10 Mbit/s (= 1 Mbit/s * type1.users), 20 ms, queue 100 ms; type1\n"
        "  shared   10 Mbit/s, 20 ms, queue 100 ms, loss 0.1 to 1 %*; type1, type2\n"
        "  private  only delays: 20 ms; type1\n"
    )


def test_what_varies_is_red_in_the_drawing() -> None:
    root = ElementTree.fromstring(svg(of_experiment(loads(TEXT))))
    texts = root.iter(f"{SVG}text")
    red = {element.text for element in texts if element.get("fill") == "#a3171d"}
    assert red == {"loss 0.1 to 1 %", "5 to 30 users", "Red values vary in the design."}


@pytest.mark.parametrize("users", [1, 30])
def test_every_parameter_is_in_the_drawing(users: int) -> None:
    """In the box of the link, or below where lanes are too low for all of it."""
    both = {"up": "10 Mbit/s", "down": "40 Mbit/s"}
    link = {"capacity": both, "delay": "35 ms", "queue": 70, "loss": "2 %"}
    names = [f"u{number}" for number in range(1, users + 1)]
    links = {name.replace("u", "l"): link for name in names}
    picture = drawn(links, {name: [name.replace("u", "l")] for name in names})
    root = ElementTree.fromstring(svg(picture))
    words = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
    for shown in ("10 Mbit/s", "down 40 Mbit/s", "35 ms", "70 packets", "loss 2 %"):
        assert words.count(shown) >= users


def test_a_link_like_one_that_varies_says_so() -> None:
    more = {
        "design": {"method": "grid", "factors": {"A.queue": [10, 20, 40, 80, 160]}},
    }
    picture = drawn({"A": {}, "B": {"like": "A"}}, {"u": ["A", "B"]}, **more)
    shown = {p.text for p in picture.links["B"].parameters if p.varies}
    assert shown == {"as A.queue"}
    assert "10 to 160 packets, 5 values" in {
        p.text for p in picture.links["A"].parameters
    }


def test_a_drawing_has_a_bounded_number_of_lanes() -> None:
    ways = ["A"] + [f"A b{number}" for number in range(1, 90)]
    users = {"u1..3": ways}
    links: dict[str, Any] = {"A": {}, "b1..89": {}}
    picture = drawn(
        links,
        users,
        cases={"tcp": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
    )
    assert arrange(picture).hidden == 70
    assert "Not drawn: 70 more paths." in svg(picture)
    assert "and 70 more paths" in text(picture)


def test_nothing_in_a_drawing_is_markup(tmp_path: Path, command: Command) -> None:
    values = yaml.safe_load(TEXT)
    values["network"]["links"]["server"]["capacity"] = "= 1 Mbit/s * type1.users <b>"
    with pytest.raises(UserError, match="'<' cannot be used here"):
        loads(yaml.safe_dump(values))
    file = tmp_path / "f.yaml"
    file.write_text(TEXT)
    done = command("network", file, "--out", tmp_path)
    assert done.status == 2 and "Traceback" not in done.err
    done = command("network", file, "--out", tmp_path / "none" / "n.svg")
    assert done.status == 2 and "give another file by --out" in done.err
    done = command("network", tmp_path / "none.yaml")
    assert done.status == 2 and "no such file" in done.err


def test_the_drawing_of_the_documentation_is_todays() -> None:
    assert SCENARIO_A.read_text(encoding="utf-8") == svg(of_experiment(loads(TEXT)))
