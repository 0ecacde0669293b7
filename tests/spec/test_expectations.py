"""The key `expect` of a traffic entry."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan, middlebox_expectations
from tests.spec.files import text

IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}


def spec(*entries: dict[str, Any], **sections: Any) -> str:
    sections = {"cases": {"only": MPTCP}, **sections}
    return text(design=None, traffic=list(entries), **sections)


def job(*entries: dict[str, Any]) -> Any:
    (run,) = make_plan(loads(spec(*entries)), {}).runs
    return run


def test_it_is_in_the_report_and_not_in_the_id() -> None:
    wanted = {"mptcp": "fallback", "subflows": 1, "completes": False}
    plain, expecting = job(IPERF3), job({**IPERF3, "expect": wanted})
    assert expecting.id == plain.id
    assert dump(expecting.job)["report"].pop("expect") == [
        {"mptcp": "fallback", "subflows": 1, "completes": "no"}
    ]
    assert "expect" not in dump(plain.job)["report"]
    found = loads(spec({**IPERF3, "expect": wanted}))
    assert found.digest != loads(spec(IPERF3)).digest


def test_an_entry_without_one_has_none() -> None:
    other = {**IPERF3, "tool": "cbr", "rate": "1 Mbit/s"}
    run = job({**IPERF3, "expect": {"subflows": "any"}, "name": "a"}, other)
    assert dump(run.job)["report"]["expect"] == [{"subflows": 0}, None]


@pytest.mark.parametrize(
    "wanted, reason",
    [
        ({}, "expects nothing; give mptcp, subflows or completes"),
        ({"mptcp": False}, "'false' is for the transport; write 'mptcp: fallback'"),
        ({"mptcp": "kept"}, "'kept' is not one of true, fallback, any"),
        ({"subflows": 0}, "0 is not within 1 to 9; the first subflow counts"),
        ({"subflows": "two"}, "'two' is neither a whole number nor 'any'"),
        ({"completes": "maybe"}, "'maybe' is not one of true, false, any"),
        (
            {"mptcp": "fallback", "subflows": 2},
            "a connection that fell back to TCP has one subflow; write 'subflows: 1'",
        ),
        ({"subflow": 2}, "unknown key; did you mean 'subflows'?"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    wanted: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        loads(spec({**IPERF3, "expect": wanted}))
    assert reason in str(error.value)
    assert str(error.value).count("\n") == 0


@pytest.mark.parametrize(
    "entries, cases, reason",
    [
        ([{}], {"only": TCP}, "of mptcp, and no case is; take it away"),
        (
            [{}, {"expect": None, "port": 99}],
            {"only": MPTCP, "old": {**MPTCP, "kernel": "old"}},
            "client has connections of traffic[1] too, and the kernel of the case old"
            " writes no events by which they are told apart; give one of them other",
        ),
        (
            [{"tool": "cbr", "rate": "1 Mbit/s"}],
            {"only": MPTCP},
            "cbr sends datagrams, without a connection; add 'over: connection'",
        ),
    ],
)
def test_what_nobody_can_judge_is_refused(
    entries: list[dict[str, Any]], cases: dict[str, Any], reason: str
) -> None:
    whole = [{**IPERF3, "expect": {"subflows": 2}, **one} for one in entries]
    with pytest.raises(UserError, match="expect") as error:
        loads(spec(*whole, cases=cases, kernels={"old": {"lab": "none"}}))
    assert reason in str(error.value)


def test_entries_of_the_same_hosts_are_told_apart_by_events() -> None:
    wanted = {"subflows": 2}
    run = job({**IPERF3, "expect": wanted}, {**IPERF3, "accepts": "tcp"})
    assert dump(run.job)["report"]["expect"] == [{"subflows": 2}, None]


ROUTER = {
    "links": {"lan": {}, "dsl": {}, "lte": {}},
    "users": {
        "laptop": {"paths": ["lan"], "to": "router"},
        "router": {"paths": ["dsl", "lte"], "to": "server"},
    },
}
LAPTOP = {**IPERF3, "from": "laptop"}
BOX = {"path1": [{"proxy": True}]}
OF_MPTCP = {"path1": [{"proxy": {"accepts": "mptcp"}}]}


def told(entry: dict[str, Any], wanted: dict[str, Any], **sections: Any) -> str:
    """The line that refuses an expectation; empty if nothing does."""
    if entry["from"] == "laptop":
        sections |= {"topology": None, "network": ROUTER, "parameters": {}}
    found = loads(spec({**entry, "expect": wanted}, **sections))
    return "\n".join(middlebox_expectations.faults(found, make_plan(found, {})))


@pytest.mark.parametrize(
    "entry, sections, wanted, reason",
    [
        (
            {**IPERF3, "accepts": "tcp"},
            {},
            {"mptcp": True},
            "traffic[0].expect.mptcp: only: the entry has 'accepts: tcp', so every"
            " connection is plain TCP; write 'mptcp: fallback' or 'any'",
        ),
        (
            {**IPERF3, "opens": "tcp"},
            {},
            {"subflows": 2},
            "the entry has 'opens: tcp', so its connections are plain TCP; write"
            " 'subflows: 1' or 'any'",
        ),
        (
            IPERF3,
            {"cases": {"only": {**MPTCP, "hosts": {"server": {"mptcp": False}}}}},
            {"mptcp": True},
            "hosts.server has 'mptcp: false', so every connection is plain TCP",
        ),
        (
            IPERF3,
            {"cases": {"only": {**MPTCP, "hosts": {"client": {"mptcp": False}}}}},
            {"mptcp": True},
            "hosts.client has 'mptcp: false', so its connections are plain TCP",
        ),
        (
            {**LAPTOP, "via": {"host": "router", "accepts": "tcp"}},
            {},
            {"mptcp": True},
            "the proxy on router accepts plain TCP, so every connection is plain TCP",
        ),
        (
            {**LAPTOP, "via": "router", "accepts": "tcp"},
            {},
            {"mptcp": "fallback"},
            "the proxy on router accepts MPTCP, so connections up to there stay MPTCP;"
            " write 'mptcp: true' or 'any'",
        ),
        (
            {**LAPTOP, "via": "router"},
            {},
            {"subflows": 2},
            "laptop has 1 path to the proxy on router, and 'expect' is about the"
            " connections up to there; write at most 1",
        ),
        (
            IPERF3,
            {"middlebox": BOX},
            {"mptcp": True},
            "the proxy at path1 answers every connection with plain TCP; write",
        ),
        (
            {**IPERF3, "accepts": "tcp"},
            {"middlebox": OF_MPTCP},
            {"mptcp": "fallback"},
            "the proxy at path1 accepts MPTCP, so connections up to there stay MPTCP",
        ),
        (
            IPERF3,
            {"middlebox": OF_MPTCP},
            {"subflows": 2},
            "the proxy at path1 keeps subflows from joining: it has either the first"
            " subflow or this one, and not both; write at most 1",
        ),
        (
            IPERF3,
            {"middlebox": {"path2": [{"proxy": {"accepts": "mptcp"}}]}},
            {"subflows": 2},
            "the proxy at path2 keeps subflows from joining",
        ),
    ],
)
def test_what_a_proxy_or_a_program_excludes_is_one_line(
    entry: dict[str, Any], sections: dict[str, Any], wanted: dict[str, Any], reason: str
) -> None:
    line = told(entry, wanted, **sections)
    assert reason in line
    assert line.count("\n") == 0


@pytest.mark.parametrize(
    "entry, sections, wanted",
    [
        ({**IPERF3, "accepts": "tcp"}, {}, {"mptcp": "fallback", "subflows": 1}),
        ({**IPERF3, "accepts": "tcp"}, {"middlebox": OF_MPTCP}, {"mptcp": True}),
        (IPERF3, {"middlebox": OF_MPTCP}, {"mptcp": True, "subflows": 1}),
        (IPERF3, {}, {"mptcp": "fallback"}),
        ({**LAPTOP, "via": "router"}, {}, {"mptcp": True, "subflows": 1}),
        (
            {**IPERF3, "via": {"host": "router", "at": "client"}},
            {"hosts": {"server": {"mptcp": False}}},
            {"mptcp": True},
        ),
        (
            {**LAPTOP, "via": {"host": "router", "accepts": "tcp"}},
            {},
            {"mptcp": "fallback"},
        ),
        (
            {**LAPTOP, "via": "router"},
            {"changes": {"lan": {"at": {"0 s": {"loss": "100 %"}}}}},
            {"mptcp": "fallback"},
        ),
        (IPERF3, {"middlebox": OF_MPTCP, "cases": {"only": TCP}}, {"completes": True}),
    ],
)
def test_what_can_be_met_is_not_refused(
    entry: dict[str, Any], sections: dict[str, Any], wanted: dict[str, Any]
) -> None:
    assert told(entry, wanted, **sections) == ""


def test_an_entry_says_what_its_programs_speak() -> None:
    """In cases of MPTCP alone; without it, jobs and files are as before."""
    cases = {"mptcp": MPTCP, "tcp": TCP}
    plain, asked = (
        loads(spec({**IPERF3, **more}, cases=cases))
        for more in ({}, {"accepts": "tcp", "opens": "mptcp"})
    )
    before, after = (make_plan(one, {}).runs for one in (plain, asked))
    assert [run.case for run in before if run.id in {r.id for r in after}] == ["tcp"]
    found = {run.case: dump(run.job)["traffic"][0] for run in after}
    assert found["mptcp"]["sockets"] == {"accepts": "tcp", "opens": "mptcp"}
    assert "sockets" not in found["tcp"]
    assert all("sockets" not in dump(run.job)["traffic"][0] for run in before)
    assert plain.digest != asked.digest
    assert "accepts" not in plain.digest


@pytest.mark.parametrize(
    "entry, reason",
    [
        ({"accepts": "plain"}, "traffic[0].accepts: unknown protocol 'plain'"),
        (
            {"tool": "cbr", "rate": "1 Mbit/s", "accepts": "tcp"},
            "cbr sends datagrams, without a connection; take it away",
        ),
        (
            {"tool": "flows", "opens": "tcp"},
            "its connections have the protocol of their transport; give it 'transport'",
        ),
    ],
)
def test_sockets_that_cannot_be_are_refused(entry: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as error:
        loads(spec({**IPERF3, **entry}))
    assert reason in str(error.value)
