"""The section `hosts:`, and the key of cases."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.spec.files import text

IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
SIGNAL = {"link": "path2", "flags": "signal"}
SERVER = {"addresses": {"path2": "10.250.0.2"}, "endpoints": [SIGNAL]}


def spec(hosts: dict[str, Any], case: dict[str, Any] | None = None, **more: Any) -> str:
    cases = {"only": {**MPTCP, **({"hosts": case} if case else {})}}
    found = {"traffic": [IPERF3], "cases": cases, **more}
    return text(design=None, hosts=hosts, **found)


def job(hosts: dict[str, Any], case: dict[str, Any] | None = None) -> dict[str, Any]:
    (run,) = make_plan(loads(spec(hosts, case)), {}).runs
    return dump(run.job)


def test_without_settings_nothing_changes() -> None:
    plain = loads(text(design=None, traffic=[IPERF3], cases={"only": MPTCP}))
    assert loads(spec({})).digest == plain.digest
    assert "hosts" not in job({})


def test_settings_are_part_of_the_job() -> None:
    limits = {"subflows": 2, "add_addr_accepted": 1}
    client = {"endpoints": [], "limits": limits, "sysctls": {"net.ipv4.tcp_sack": 0}}
    made = job({"server": SERVER, "client": client})
    assert made["hosts"] == {
        "client": {
            "sysctls": {"net.ipv4.tcp_sack": "0"},
            "limits": limits,
            "endpoints": [],
        },
        "server": {
            "addresses": {"path2": "10.250.0.2"},
            "endpoints": [{"link": "path2", "flags": ["signal"]}],
        },
    }
    known = job_format.load(made)
    assert dump(known) == made
    assert known.wiring.ports["server"][1].address == "10.250.0.2"
    lines = {node.name: node.configuration for node in known.wiring.nodes}
    assert "addr add 10.250.0.2/32 dev server-eth1" in lines["server"]
    assert "route add 10.250.0.2 via 10.0.2.1 dev client-eth2" in lines["client"]


def test_a_case_counts_more_key_by_key() -> None:
    made = job(
        {"server": SERVER}, {"server": {"endpoints": []}, "client": {"mptcp": False}}
    )
    assert made["hosts"] == {
        "client": {"mptcp": False},
        "server": {"addresses": {"path2": "10.250.0.2"}, "endpoints": []},
    }


def test_an_address_stands_for_its_link() -> None:
    by_address = {"address": "10.250.0.2", "flags": ["backup", "signal"]}
    made = job({"server": {**SERVER, "endpoints": [by_address]}})
    (endpoint,) = made["hosts"]["server"]["endpoints"]
    assert endpoint == {"link": "path2", "flags": ["signal", "backup"]}


@pytest.mark.parametrize(
    "hosts, reason",
    [
        ({"servr": {}}, "two_path has no such host; did you mean 'server'?"),
        (
            {"server": {"endpoints": [{"address": "10.9.9.9", "flags": "signal"}]}},
            "server does not have the address 10.9.9.9; it has none under 'addresses'",
        ),
        (
            {"server": {**SERVER, "endpoints": [{**SIGNAL, "link": "path1"}]}},
            "server has no address on 'path1'; it has path2",
        ),
        (
            {"client": {"endpoints": [{"link": "path3", "flags": "subflow"}]}},
            "client has no address on 'path3'; it has path1, path2",
        ),
        (
            {"client": {"endpoints": [SIGNAL]}},
            "nothing listens on client, so nobody could join; give a 'port', or write",
        ),
        (
            {"server": {**SERVER, "endpoints": [SIGNAL, {**SIGNAL, "port": 1}]}},
            "the address has an endpoint already; join their flags",
        ),
        (
            {"server": {**SERVER, "endpoints": [{**SIGNAL, "flags": "signl"}]}},
            "unknown flag 'signl'; did you mean 'signal'?",
        ),
        (
            {"client": {"endpoints": [{"flags": "subflow", "port": 5}]}},
            "only a signal endpoint has one; take it away",
        ),
        (
            {"server": {"endpoints": [{"flags": ["fullmesh", "signal"]}]}},
            "the kernel refuses fullmesh together with signal",
        ),
        (
            {"client": {"addresses": {"path2": "10.250.0.2"}}},
            "client has one address per path; only a server can have more",
        ),
        ({"server": {"addresses": {"path2": "10.2.0.9"}}}, "may be another host's"),
        ({"server": {"addresses": {"path2": "8.8.8.8"}}}, "is not a private address"),
        ({"server": {"addresses": {"path2": 7}}}, "write e.g. 10.250.0.2"),
        (
            {"server": {"addresses": {"path9": "10.250.0.2"}}},
            "no path to server has a link 'path9'; did you mean",
        ),
        (
            {"client": {"limits": {"subflows": 9}}},
            "9 is above 8, the greatest value that works",
        ),
        ({"client": {"sysctls": {"net.mptcp.scheduler": "x"}}}, "a key of its own"),
    ],
)
def test_what_a_host_cannot_have_is_refused_in_one_line(
    hosts: dict[str, Any], reason: str
) -> None:
    for given in (spec(hosts), spec({}, hosts)):
        with pytest.raises(UserError) as error:
            loads(given)
        assert reason in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "hosts, wanted, reason",
    [
        (
            {"server": {"mptcp": False}},
            {"mptcp": True},
            "hosts.server has 'mptcp: false'; take one of them away",
        ),
        (
            {"client": {"limits": {"subflows": 1}}},
            {"subflows": 3},
            "hosts.client allows 1 further subflow; write at most 2",
        ),
    ],
)
def test_settings_and_expectations_that_exclude_one_another(
    hosts: dict[str, Any], wanted: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError, match="expect") as error:
        loads(spec(hosts, traffic=[{**IPERF3, "expect": wanted}]))
    assert reason in str(error.value)


def test_hosts_of_the_fabric_have_none() -> None:
    with pytest.raises(UserError, match="hosts of the fabric have no settings"):
        loads(spec({"client": {"mptcp": False}}, fabric=True))
