"""The key `expect` of a traffic entry."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
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
            {"only": MPTCP},
            "client has connections of traffic[1] too, and its kernel counts both",
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
        loads(spec(*whole, cases=cases))
    assert reason in str(error.value)
