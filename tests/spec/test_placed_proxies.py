"""Proxies with `at`: hosts that the network of a file does not have."""

from typing import Any

import pytest

from jobs import dump, load
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

FILE = """\
name: placed
topology: TOPOLOGY
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic:
  - {tool: iperf3, from: CLIENT, to: SERVER, duration: 5 s, via: VIA}
MORE"""
ROUTER, VPS = "{host: router, at: client}", "{host: vps, at: server}"


def file(
    via: str, topology: str = "two_path", ends: str = "client server", more: str = ""
) -> str:
    client, server = ends.split()
    text = FILE.replace("TOPOLOGY", topology).replace("MORE", more)
    return text.replace("CLIENT", client).replace("SERVER", server).replace("VIA", via)


def job(*args: str) -> Any:
    (run,) = make_plan(loads(file(*args)), {}).runs
    return load(dump(run.job))


def chains(made: Any) -> dict[str, tuple[str, list[list[str]]]]:
    return {
        user.host: (user.server, [list(path) for path in user.paths])
        for user in made.users
    }


BOTH = [["path1"], ["path2"]]


@pytest.mark.parametrize(
    ("via", "wanted"),
    [
        (
            ROUTER,
            {"client": ("router", [["to_router"]]), "router": ("server", BOTH)},
        ),
        (VPS, {"client": ("vps", BOTH), "vps": ("server", [["to_server"]])}),
        (
            f"[{ROUTER}, {VPS}]",
            {
                "client": ("router", [["to_router"]]),
                "router": ("vps", BOTH),
                "vps": ("server", [["to_server"]]),
            },
        ),
        (
            "[{host: a, at: client}, {host: b, at: client}]",
            {
                "client": ("a", [["to_a"]]),
                "a": ("b", [["to_b"]]),
                "b": ("server", BOTH),
            },
        ),
    ],
)
def test_a_proxy_takes_over_paths_or_ends_them(via: str, wanted: Any) -> None:
    made = job(via)
    assert chains(made) == wanted
    ideal = {link.name: link for link in made.links if link.name.startswith("to_")}
    assert {*ideal} == {
        link for _, paths in wanted.values() for path in paths for link in path
    } - {"path1", "path2"}
    assert all(
        (link.capacity_mbps, link.delay_ms) == (None, 0.0) for link in ideal.values()
    )
    opened = [(entry.source, entry.destination) for entry in made.traffic]
    names = list(wanted)
    assert opened == list(zip(names, [*names[1:], "server"], strict=True))


def test_topologies_of_files_and_networks_have_them_too() -> None:
    made = job(ROUTER, "two_links", "multi server_multi")
    assert chains(made)["router"] == ("server_multi", [["link1"], ["link2"]])
    assert chains(made)["single1"] == ("server_single1", [["link1"]])
    (multi,) = (user for user in made.users if user.host == "multi")
    (router,) = (user for user in made.users if user.host == "router")
    assert (multi.count, router.count) == ("multi.users", None)
    network = "\nnetwork: {links: {a: {}, b: {}}, users: {u: {paths: [a, b], to: s}}}"
    text = file(VPS, "x", "u s").replace("topology: x", network.strip())
    (run,) = make_plan(loads(text), {}).runs
    assert chains(run.job)["vps"] == ("s", [["to_s"]])


def test_entries_share_a_proxy_that_one_of_them_places() -> None:
    more = "  - {tool: curl, from: client, to: server, size: 1 MB, via: router}\n"
    made = job(ROUTER, "two_path", "client server", more)
    assert [entry.source for entry in made.traffic] == ["client"] * 2 + ["router"] * 2


def test_a_file_without_a_place_has_the_usual_network() -> None:
    text = file(ROUTER).replace(", via: {host: router, at: client}", "")
    (run,) = make_plan(loads(text), {}).runs
    assert (run.job.topology, run.job.network) == ("two_path", None)


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("router",), "write 'via: {host: router, at: client}' for one before the"),
        (("{host: router, at: middle}",), "unknown end 'middle'"),
        (("{host: server, at: client}",), "'server' is a host of the network; take"),
        (("{host: path1, at: client}",), "two_path has no host 'path1'"),
        (("{host: a-b, at: client}",), "'a-b' cannot be a name; use up to 30 letters"),
        (
            (f"[{VPS}, {ROUTER}]",),
            "a proxy at the client comes first; list it before the others",
        ),
        ((ROUTER, "minitopo"), "minitopo has no place for a proxy; use two_path, or"),
        (
            (
                ROUTER,
                "two_path",
                "client server",
                "  - {tool: curl, from: client, to: server, size: 1 MB}\n",
            ),
            "client reaches router only; write 'via: router'",
        ),
    ],
)
def test_what_cannot_be_placed_is_refused_in_one_line(
    args: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        loads(file(*args))
    assert reason in str(error.value)
    assert "Traceback" not in str(error.value)
