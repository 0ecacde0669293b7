"""Checks of runs leave out what the file provokes, and nothing beside it."""

from typing import Any

import pytest

from analysis.run import tools, validity
from analysis.run.tools import Lasted
from tests.analysis.test_validity import (
    LONG,
    STEADY,
    TCP,
    one_connection,
    thing,
)


def provoking(**more: Any) -> Any:
    """A network that provokes what `more` says, and nothing else."""
    return thing(**{**vars(STEADY), **more})


def second(run: Any, **more: Any) -> Any:
    """Add an entry like the first of a run, and return it."""
    entry = thing(**{**vars(run.traffic[0]), **more})
    entry.by_host = (entry,)
    run.traffic, run.reports = (*run.traffic, entry), ("said", "said")
    return entry


def plain(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run of TCP in which one connection tried MPTCP."""
    run = one_connection(monkeypatch, LONG)
    run.traffic[0].transport = TCP
    run.counters["client"]["MPCapableSYNTX"] = 1
    return run


TRIED = ["plain TCP asked for, but 1 connection tried MPTCP"]


def test_one_entry_that_may_fall_back_explains_an_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = plain(monkeypatch)
    assert list(validity.no_fallback(run)) == TRIED
    other = second(run)
    run.provoked = provoking(may_fall_back=lambda entry, _: entry is other)
    assert list(validity.no_fallback(run)) == []


def test_entries_of_other_hosts_explain_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = plain(monkeypatch)
    other = second(run, sources=("elsewhere",), source="elsewhere")
    run.provoked = provoking(may_fall_back=lambda entry, _: entry is other)
    assert list(validity.no_fallback(run)) == TRIED


def test_a_path_that_goes_dark_later_explains_no_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = plain(monkeypatch)
    run.provoked = provoking(may_fall_back=lambda _, within_s: within_s > 0.1)
    assert list(validity.no_fallback(run)) == TRIED


def test_one_entry_that_may_fall_back_explains_missing_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG)
    other = second(run)
    run.counters["client"]["MPCapableSYNACKRX"] = 1
    (said,) = validity.no_fallback(run)
    assert said == "1 MPTCP connections, but the traffic needs 2"
    run.provoked = provoking(may_fall_back=lambda entry, _: entry is other)
    assert list(validity.no_fallback(run)) == []


def test_the_entry_with_the_most_subflows_says_how_many_are_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG)
    other = second(run)
    run.counters["client"] |= {"MPJoinSynAckRx": 9}
    run.counters["server"] |= {"MPJoinAckRx": 9}
    run.provoked = provoking(joining=lambda entry, _: 2 if entry is other else 1)
    (said,) = validity.subflows_established(run)
    assert said == "2 connections of client ended with fewer than 3 subflows"


@pytest.mark.parametrize("subflows, excused", [(0, True), (1, False)])
def test_a_connection_that_may_fall_back_needs_no_subflow(
    monkeypatch: pytest.MonkeyPatch, subflows: int, excused: bool
) -> None:
    """A connection of one subflow did not fall back, and lacks the other one."""
    run = one_connection(monkeypatch, Lasted(1, 9.0, ((9.0, subflows),)))
    run.provoked = provoking(joining=lambda *_: 1, may_fall_back=lambda *_: True)
    assert (list(validity.subflows_established(run)) == []) == excused
    run.provoked = provoking(joining=lambda *_: 1, may_fall_back=lambda *_: False)
    assert list(validity.subflows_established(run))


def test_each_pair_expects_the_subflows_of_its_first_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=3, MPJoinAckRx=3)
    (entry,) = run.traffic
    entry.by_host = tuple(
        thing(**{**vars(entry), "source": host}) for host in ("server", "client")
    )
    run.provoked = provoking(joining=lambda e, _: 3 if e.source == "client" else 1)
    one = Lasted(1, 9.0, ((9.0, 4),))
    monkeypatch.setattr(tools, "tool", lambda name: thing(lasted=lambda *_: one))
    assert list(validity.subflows_established(run)) == []
    run.counters["server"]["MPJoinAckRx"] = 2
    (said,) = validity.subflows_established(run)
    assert said == "2 of 3 further subflows joined (server)"


@pytest.mark.parametrize(
    "excused, ends, told",
    [((), False, 1), ((0,), False, 0), ((), True, 0), ((1,), False, 1)],
)
def test_either_reason_excuses_what_a_tool_did_not_do(
    monkeypatch: pytest.MonkeyPatch, excused: tuple[int, ...], ends: bool, told: int
) -> None:
    run = one_connection(monkeypatch, LONG)
    tool = thing(wrong=lambda *_: ("stopped early",))
    monkeypatch.setattr(tools, "tool", lambda name: tool)
    run.excused, run.provoked = excused, provoking(end=lambda *_: ends)
    said = list(validity.traffic_as_asked(run))
    assert said == ["traffic 0: stopped early"] * told
