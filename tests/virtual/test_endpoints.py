"""Endpoints, limits and servers without MPTCP, in guests."""

from pathlib import Path
from typing import Any

import pytest

from analysis.run.explain import explain
from analysis.run.row import row
from mpbench.backends.base import Bounds

from .lab import Lab, job_of

MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
FAST = {"path1.capacity": "20 Mbit/s", "path2.capacity": "20 Mbit/s"}
SIGNAL = {"link": "path2", "flags": ["signal"]}
SERVER = {"addresses": {"path2": "10.250.0.2"}, "endpoints": [SIGNAL]}
CLIENT = {"endpoints": [], "limits": {"subflows": 2, "add_addr_accepted": 1}}
TRAFFIC = {"tool": "iperf3", "from": "client", "to": "server", "duration": "4 s"}


def measured(folder: Path, hosts: dict[str, Any], **spec: Any) -> dict[str, Any]:
    known: dict[str, Any] = {"topology": "two_path", "parameters": FAST}
    known |= {"cases": {"only": MPTCP}, "traffic": [TRAFFIC]}
    job = job_of(folder, hosts=hosts, **{**known, **spec})
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(folder).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


def fates(row: dict[str, Any]) -> tuple[int, ...]:
    """Further subflows of both connections: asked for, joined, refused, lost."""
    names = ("asked", "joined", "refused", "lost")
    return tuple(row[f"subflows_{name}"] for name in names)


@pytest.mark.parametrize(
    "change, fate, both",
    [
        ({}, (2, 2, 0, 0), True),
        ({"client": {"limits": {"add_addr_accepted": 0}}}, (0, 0, 0, 0), False),
        ({"server": {"limits": {"subflows": 0}}}, (2, 0, 2, 0), False),
        (
            {"server": {"endpoints": [{**SIGNAL, "flags": ["signal", "backup"]}]}},
            (2, 2, 0, 0),
            False,
        ),
        ({"server": {"endpoints": [{**SIGNAL, "port": 5300}]}}, (2, 2, 0, 0), True),
        (
            {"client": {"endpoints": [{"link": "path2", "flags": ["laminar"]}]}},
            (2, 2, 0, 0),
            True,
        ),
    ],
)
def test_an_announced_address(
    tmp_path: Path, change: dict[str, Any], fate: tuple[int, ...], both: bool
) -> None:
    """Over both paths 40 Mbit/s can pass, over one of them 20."""
    hosts = {"server": SERVER, "client": CLIENT}
    case = {**MPTCP, "hosts": change}
    found = measured(tmp_path, hosts, cases={"only": case})
    assert fates(found) == fate
    assert found["goodput_mbps"] == pytest.approx(36.5 if both else 18.6, abs=0.6)


def test_a_full_mesh_joins_every_address_of_the_server(tmp_path: Path) -> None:
    mesh = {"link": "path2", "flags": ["subflow", "fullmesh"]}
    client = {"endpoints": [mesh], "limits": {"subflows": 4, "add_addr_accepted": 1}}
    found = measured(tmp_path, {"server": SERVER, "client": client})
    assert found["subflows"] >= 3
    assert found["subflows_joined"] == found["subflows_asked"]


def test_a_plain_listener(tmp_path: Path) -> None:
    expect = {"mptcp": "fallback", "subflows": 1, "completes": True}
    found = measured(
        tmp_path,
        {"server": {"mptcp": False}},
        traffic=[{**TRAFFIC, "expect": expect}],
    )
    assert found["protocol_at_end"] == "tcp"
    assert found["fallback"].startswith("the server's listener does not speak MPTCP")


def test_listeners_of_one_host_with_and_without_mptcp(tmp_path: Path) -> None:
    """Beside each other at the same time, on ports of their own."""
    short = {**TRAFFIC, "duration": "2 s"}
    plain = {"mptcp": "fallback", "subflows": 1}
    found = measured(
        tmp_path,
        {},
        traffic=[
            {**short, "name": "new", "expect": {"mptcp": True, "subflows": 2}},
            {**short, "name": "old", "accepts": "tcp", "expect": plain},
            {**short, "name": "asks-not", "opens": "tcp", "expect": plain},
        ],
    )
    of = {name: found[f"{name}.protocol_at_end"] for name in ("new", "old", "asks-not")}
    assert of == {"new": "mptcp", "old": "tcp", "asks-not": "tcp"}
    assert found["new.subflows_joined"] == 2
    assert found["old.fallback"].startswith("the server's listener does not speak")
    assert found["asks-not.fallback"] is None
    said = [one.sentence for one in explain(tmp_path / "run1")]
    assert "the listener of the server does not speak MPTCP" in " ".join(said)


def test_a_server_of_a_network_with_an_address_on_a_link(tmp_path: Path) -> None:
    network = {
        "links": {
            "wifi": {"capacity": "20 Mbit/s"},
            "lte": {"capacity": "20 Mbit/s"},
            "backbone": {"delay": "1 ms"},
        },
        "users": {
            "u": {"paths": ["wifi backbone", "lte backbone"]},
        },
    }
    server = {
        "addresses": {"lte": "10.250.0.2"},
        "endpoints": [{"address": "10.250.0.2", "flags": "signal"}],
    }
    found = measured(
        tmp_path,
        {"server_u": server, "u": CLIENT},
        topology=None,
        parameters={},
        network=network,
        traffic=[{**TRAFFIC, "from": "u", "to": "server_u"}],
    )
    assert fates(found) == (2, 2, 0, 0)
    assert found["goodput_mbps"] == pytest.approx(36.5, abs=0.6)


LINK2 = {"endpoints": [{"link": "path2", "flags": "subflow"}]}
BACKUP = {"endpoints": {"path2": ["subflow", "backup"]}}


def at(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    return {"at": {"2 s": first, "5 s": then}}


@pytest.mark.parametrize(
    "server, client, both",
    [
        (
            {
                "addresses": {"path2": "10.250.0.2"},
                **at(
                    {"endpoints": {"path2": "signal"}},
                    {"endpoints": {"path2": "none"}},
                ),
            },
            CLIENT,
            (False, True, False),
        ),
        (
            {},
            {
                **LINK2,
                **at({"addresses": {"path2": False}}, {"addresses": {"path2": True}}),
            },
            (True, False, True),
        ),
        (
            {},
            {
                **LINK2,
                **at(
                    {"addresses": {"path2": False}, "endpoints": {"path2": "none"}},
                    {"addresses": {"path2": True}, "endpoints": {"path2": "subflow"}},
                ),
            },
            (True, False, True),
        ),
        (
            {},
            {**LINK2, **at(BACKUP, {"endpoints": {"path2": "subflow"}})},
            (True, False, True),
        ),
    ],
)
def test_endpoints_and_addresses_change(
    tmp_path: Path,
    server: dict[str, Any],
    client: dict[str, Any],
    both: tuple[bool, ...],
) -> None:
    """Over both paths more than 30 Mbit/s can pass, over one of them 20."""
    found = measured(
        tmp_path,
        {"server": server, "client": client},
        traffic=[{**TRAFFIC, "duration": "9 s"}],
        phases={"a": "0 s..2 s", "b": "3 s..5 s", "c": "6 s..9 s"},
    )
    seen = tuple(found[f"{phase}.goodput_mbps"] > 28 for phase in "abc")
    assert seen == both


def test_a_script_in_user_space(tmp_path: Path) -> None:
    """Both ends follow a script: a subflow, a backup, an announced address, and the
    end of each. Times follow from it, so the numbers do."""
    client = {
        "1 s": {"create": "path2"},
        "1.5 s": {"set_flags": {"path2": "backup"}},
        "2 s": {"destroy": "path2"},
        "2.6 s": {"create": {"path2": "10.250.0.2"}},
        "2.7 s": {"create": "path2"},
    }
    server = {"2.5 s": {"announce": "path2"}, "3 s": {"remove": "path2"}}
    hosts = {
        "client": {"pm": "userspace", "at": client},
        "server": {
            "pm": "userspace",
            "addresses": SERVER["addresses"],
            "at": server,
        },
    }
    found = measured(tmp_path, hosts)
    assert fates(found)[:3] == (6, 6, 0)
    folder = next(tmp_path.rglob("host-changes.csv")).parent
    states = [line.split(",")[4] for line in _lines(folder / "host-changes.csv")]
    assert states == [
        "create 2",
        "set_flags 2",
        "destroy 2",
        "announce 2",
        "create 2",
        "create 2",
        "remove 2",
    ]
    names = [line.split(",")[7] for line in _lines(folder / "events.csv")]
    assert names.count("MPPrioRx") == names.count("AddAddr") == 2
    assert names.count("RmAddr") == 2


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()[1:]
