"""The JSON Schema: valid itself, passes what loads, refuses typing errors."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from mpbench.experiment_files import loads
from mpbench.spec.json_schema import json_schema
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, SCHEDULERS
from tests.spec.files import TEXT, text

ROOT = Path(__file__).parents[2]
SHIPPED = [
    path
    for folder in ("experiments", "studies/causes", "studies/exploration")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
    if path.parent.name != "parts" and "configurations" not in path.parts
]


def complaints(document: Any) -> list[str]:
    return [error.json_path for error in validator().iter_errors(document)]


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema())


def test_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_experiments(path: Path) -> None:
    assert complaints(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


def test_every_short_form_passes() -> None:
    entry = {"tool": "iperf3", "from": "client", "to": "server", "size": "1 MB"}
    document = text(
        parameters={"path1.loss": 0, "path2.queue": 100},
        design={
            "points": 2,
            "start": 3,
            "factors": {
                "path1.delay": {"min": 0, "max": "1 ms", "step": "1 us"},
                "path2.delay": ["1 ms", 0],
                "path2.loss": {"values": [0, 1], "unit": "%"},
            },
        },
        traffic=[{**entry, "read": "packet"}],
        hosts={
            "server": {
                "addresses": {"path2": "10.250.0.2"},
                "endpoints": [{"link": "path2", "flags": "signal"}],
                "at": {"3 s": {"endpoints": {"path2": "none"}}},
            }
        },
        time_limit="2 min",
    )
    loads(document)
    assert complaints(yaml.safe_load(document)) == []


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("name: small", "nam: small", "$"),
        ("two_path", "twopath", "$.topology"),
        ("points: 4", "points: 0", "$.design.points"),
        ("path1.capacity", "path1.capcity", "$.design.factors"),
        ("max: 100", "mx: 100", "$.design.factors['path1.capacity']"),
        ("lia", "lai", "$.cases.mptcp.congestion_control"),
        ("path: 1", "path: one", "$.cases.tcp1.path"),
        ("30 s", "30", "$.traffic[0].duration"),
        ("30 s", "30 s, read: often", "$.traffic[0].read"),
    ],
)
def test_typing_errors_are_refused(old: str, new: str, path: str) -> None:
    assert old in TEXT
    assert path in complaints(yaml.safe_load(TEXT.replace(old, new)))


NETWORK = """\
name: net
network:
  links:
    A: {capacity: {up: 5 Mbit/s, down: = 2 * A.capacity}, queue: 30}
    B..C: {like: A, delay: 5 ms}
    D: {}
  users:
    u: [A, B C]
    v: A
    w: {paths: [D], users: 3, to: s}
parameters: {A.delay: = 2 ms * w.users}
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic: [{tool: iperf3, from: u, to: server_u, duration: 5 s}]
"""


def test_a_network_passes() -> None:
    loads(NETWORK)
    assert complaints(yaml.safe_load(NETWORK)) == []


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("like: A", "lke: A", "$.network.links['B..C']"),
        ("down:", "dwn:", "$.network.links.A.capacity"),
        ("links:", "link:", "$.network"),
        ("v: A", "v: {path: A}", "$.network.users.v"),
        ("v: A", "v: []", "$.network.users.v"),
        ("A.delay", "A.dely", "$.parameters"),
        ("network:", "networks:", "$"),
    ],
)
def test_typing_errors_in_a_network_are_refused(old: str, new: str, path: str) -> None:
    assert old in NETWORK
    assert path in complaints(yaml.safe_load(NETWORK.replace(old, new)))


def test_a_network_is_whole_unless_a_file_is_included() -> None:
    document = yaml.safe_load(text())
    del document["topology"]
    document["network"] = {"links": {"wifi": {}}}
    assert complaints(document) == ["$"]
    assert complaints({**document, "include": "base.yaml"}) == []


ADDING: list[dict[str, Any]] = [
    {"kernels": {"mine": {"patches": "mine.patch"}}},
    {"plugins": {"controllers": "mine.c"}},
    {"include": "parts/kernels.yaml"},
]


@pytest.mark.parametrize("section", ADDING, ids=lambda section: next(iter(section)))
@pytest.mark.parametrize("key", ["congestion_control", "scheduler"])
@pytest.mark.parametrize("value", ["mine", {"name": "mine", "gain": 3}])
def test_names_that_a_file_adds_pass(
    section: dict[str, Any], key: str, value: object
) -> None:
    document = yaml.safe_load(text())
    case = document["cases"]["mptcp"]
    case[key] = value
    assert f"$.cases.mptcp.{key}" in complaints(document)
    assert complaints(document | section) == []


@pytest.mark.parametrize("key", ["congestion_control", "scheduler"])
@pytest.mark.parametrize("value", ["Two words", {"gain": 3}])
def test_what_is_no_name_is_refused_beside_added_ones(key: str, value: object) -> None:
    document = yaml.safe_load(text()) | ADDING[0]
    document["cases"]["mptcp"][key] = value
    assert complaints(document) == [f"$.cases.mptcp.{key}"]


def test_a_program_of_quic_has_names_of_its_own() -> None:
    document = yaml.safe_load(text())
    document["cases"]["tcp1"] = {
        "protocol": "quic",
        "program": "picoquic",
        "congestion_control": "bbr1",
        "path": 1,
    }
    assert complaints(document) == []


def test_known_names_keep_their_parameters_beside_added_ones() -> None:
    document = yaml.safe_load(text()) | ADDING[0]
    document["cases"]["mptcp"]["congestion_control"] = {"name": "lia", "q": 3}
    assert complaints(document) == ["$.cases.mptcp.congestion_control"]


@pytest.mark.parametrize(
    ("key", "names"),
    [("congestion_control", CONGESTION_CONTROLS), ("scheduler", SCHEDULERS)],
)
def test_known_names_stay_suggestions(key: str, names: tuple[str, ...]) -> None:
    first = json_schema()["$defs"]["Case"]["properties"][key]["anyOf"][0]
    assert first == {"type": "string", "enum": [*names]}
