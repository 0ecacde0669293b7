"""`mpbench doctor --mptcp`, on what guests and a machine answered."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from mpbench.commands import doctor
from mpbench.doctor import mptcp_state
from mpbench.doctor.mptcp_reasons import reasons
from mpbench.doctor.mptcp_state import Endpoint, State, parse

CAPTURED = Path(__file__).parent / "captured"
ASKS_NOT = "as a client, it asks for no subflow: it has no endpoint with the flag"
ONE_ADDRESS = "it has one address of a kind"
SAID = {
    "well-client": [],
    "default": [ASKS_NOT, ONE_ADDRESS, "no connection has begun with MPTCP's option"],
    "limit-client": ["the limit `subflows` is 0"],
    "gone-client": [
        "it has an endpoint on 10.0.2.2, which is no address of this machine",
        ONE_ADDRESS,
        "2 joins failed, because an endpoint's address is not on this machine",
    ],
    "backup-client": ["as a client, it opens subflows from 10.0.2.2 as a backup"],
    "binds-client": ["2 of 2 subflows asked for got no answer with the option"],
    "binds-server": [
        "as a server, it announces 10.250.0.2, and the program on port 9001 listens at"
        " 10.2.0.2 only"
    ],
    "refuses-client": [
        ASKS_NOT,
        "peers announced an address 2 times, and the limit `add_addr_accepted` is 0",
    ],
    "rejects-server": [
        "the limit `subflows` is 0",
        "2 joins of clients were refused, as beyond the limit `subflows`",
    ],
    "closed-client": ["connections were opened, and no subflow was asked for although"],
    "closed-server": [
        "as a server, it forbids subflows to the address that a client connected to"
    ],
    "well-server": [],
    "plain-client": ["2 connections became plain TCP: the SYN/ACK came back without"],
}


def captured(name: str) -> State:
    text = (CAPTURED / f"{name}.txt").read_text()
    _, *parts = re.split(r"^== (\w+)\n", text, flags=re.MULTILINE)
    return parse(dict(zip(parts[::2], parts[1::2], strict=True)))


def said(state: State) -> list[str]:
    return [reason.sentence for reason in reasons(state)]


@pytest.mark.parametrize("name", SAID)
def test_the_reasons_of_a_captured_machine(name: str) -> None:
    found = said(captured(name))
    assert len(found) == len(SAID[name]), found
    for sentence, start in zip(found, SAID[name], strict=True):
        assert sentence.startswith(start)


def test_every_capture_is_judged() -> None:
    assert {path.stem for path in CAPTURED.glob("*.txt")} == SAID.keys()


def test_a_captured_state() -> None:
    state = captured("backup-client")
    assert state.endpoints == (
        Endpoint("10.0.2.2", ("subflow", "backup"), "client-eth2"),
    )
    assert state.addresses == ("10.0.1.2", "10.0.2.2")
    assert (state.subflows, state.add_addr_accepted) == (8, 0)
    assert state.counters["MPJoinSynTx"] == 2
    assert captured("binds-server").listeners == (("10.2.0.2", 9001),)


WELL = captured("well-client")


def counted(**counters: int) -> State:
    return replace(WELL, counters={**WELL.counters, **counters})


@pytest.mark.parametrize(
    ("state", "start"),
    [
        (replace(WELL, settings={}), "this kernel has no MPTCP"),
        (replace(WELL, settings={"enabled": "0"}), "net.mptcp.enabled is 0"),
        (replace(WELL, settings={"pm_type": "1"}), "a daemon decides about subflows"),
        (
            replace(WELL, subflows=None, endpoints=None, add_addr_accepted=None),
            "`ip mptcp limits` gives no answer",
        ),
        (
            replace(WELL, endpoints=(WELL.endpoints or ()) * 2, subflows=1),
            "as a client, it has 2 endpoints to open subflows from, and the limit",
        ),
        (counted(Blackhole=2), "SYNs with MPTCP's option got no answer"),
        (counted(MPJoinSynTx=3), "1 of 3 subflows asked for got no answer"),
        (counted(MPJoinSynAckNoMPJoin=1), "1 join had answers without MPTCP's option"),
        (counted(MPJoinNoTokenFound=1), "1 join of clients belonged to no connection"),
        (counted(SubflowStale=2, SubflowRecover=1), "2 subflows went stale"),
        (counted(DataCsumErr=1), "1 checksum of data failed"),
    ],
)
def test_one_reason_more_than_a_machine_that_is_well(state: State, start: str) -> None:
    (found,) = said(state)
    assert found.startswith(start)


def test_stale_subflows_that_came_back_are_no_reason() -> None:
    assert said(counted(SubflowStale=2, SubflowRecover=2)) == []


@pytest.mark.parametrize(
    ("listeners", "number"),
    [
        ((("10.2.0.2", 80),), 1),
        ((("10.2.0.2", 80), ("10.250.0.2", 80)), 0),
        ((("0.0.0.0", 80),), 0),
        ((("127.0.0.1", 80),), 0),
        ((("10.2.0.2", 80), ("10.250.0.2", 81)), 1),
    ],
)
def test_listeners_cover_an_announced_address(
    listeners: tuple[tuple[str, int], ...], number: int
) -> None:
    state = replace(captured("binds-server"), listeners=listeners)
    assert len(said(state)) == number


def test_addresses_and_listeners_of_ipv6() -> None:
    state = parse(
        {
            "limits": '{"subflows":2,"add_addr_accepted":1}',
            "endpoint": "",
            "addr": "2: eth0    inet6 fd00::2/64 scope global \\ valid_lft forever\n"
            "2: eth0    inet6 fe80::1/64 scope link \\ valid_lft forever\n",
            "sysctls": "enabled 1\nscheduler default\n",
            "netstat": "",
            "tcp": "",
            "tcp6": "  sl local remote st\n"
            f"   0: {'0' * 32}:0050 {'0' * 32}:0000 0A 0\n",
        }
    )
    assert (state.subflows, state.add_addr_accepted) == (2, 1)
    assert state.addresses == ("fd00::2",)
    assert state.listeners == (("0.0.0.0", 80),)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mptcp_state, "look", lambda: captured("limit-client"))
    done = CliRunner().invoke(doctor.command, ["--mptcp"])
    assert done.exit_code == 1
    assert "  setting    the limit `subflows` is 0: " in done.output
    assert "remedy: ip mptcp limits set subflows 8" in done.output
    answer = json.loads(
        CliRunner().invoke(doctor.command, ["--mptcp", "--json"]).output
    )
    assert answer["applies"] and answer["state"]["subflows"] == 0
    monkeypatch.setattr(mptcp_state, "look", lambda: WELL)
    assert CliRunner().invoke(doctor.command, ["--mptcp"]).exit_code == 0


def test_this_machine_answers() -> None:
    done = CliRunner().invoke(doctor.command, ["--mptcp"])
    assert done.exit_code in (0, 1)
    assert done.output.startswith("MPTCP of this network namespace: ")


def test_not_together_with_a_backend() -> None:
    from mpbench.errors import UserError

    done = CliRunner().invoke(doctor.command, ["--mptcp", "--backend", "native"])
    assert isinstance(done.exception, UserError)
