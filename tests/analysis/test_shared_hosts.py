"""Outcomes of entries whose hosts have connections of other entries too."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.run import events as record_of_events
from analysis.run import traffic as entries
from analysis.run.events import Event, Events
from analysis.run.explain import facts as explained
from analysis.run.outcomes import columns, counts, losses, shared
from analysis.run.outcomes.endings import Ending, Read
from analysis.run.readers import job as job_file
from analysis.run.readers.counters import MPTCP, Counters

CAPTURED = Path(__file__).parent / "captured/events"
LISTENERS = CAPTURED / "listeners"
"""iperf3 to a listener of MPTCP, then to one of TCP, then curl with a socket of TCP."""
ONE_ENTRY = sorted(
    folder.name
    for folder in CAPTURED.iterdir()
    if len(json.loads((folder / "job.json").read_text())["traffic"]) == 1
)


def rows(
    folder: Path, events: Events | None, more: dict[str, int] | None = None
) -> dict[str, Any]:
    """The columns of a captured run; more : counters of its server, by name."""
    traffic = entries.of_job(job_file.read(folder / "job.json"))
    known = dict(explained.load(folder).counters)
    known["server"] = Counters({**known["server"].values, **(more or {})})
    read, ended = Read(None), Ending("complete")
    count = len(traffic)
    return columns.of_entries(traffic, known, [read] * count, [ended] * count, events)


def of(name: str, row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[f"{name}.{column}"] for column in names)


FATES = (
    "connected",
    "syns",
    "protocol_at_end",
    "subflows_asked",
    "subflows_joined",
    "subflows_refused",
    "subflows_lost",
)


def test_each_entry_has_its_own_columns() -> None:
    row = rows(LISTENERS, record_of_events.load(LISTENERS / "artefacts"))
    assert of("new", row, *FATES) == (2, 4, "mptcp", 2, 2, 0, 0)
    assert of("old", row, *FATES) == (2, 2, "tcp", 0, 0, 0, 0)
    assert of("legacy", row, *FATES) == (1, 1, "tcp", 0, 0, 0, 0)
    assert of("new", row, "subflows", "fallback") == (2.0, None)
    assert row["old.fallback"] == (
        "the server's listener does not speak MPTCP"
        " (MPCapableFallbackSYNACK 2 at the client)"
    )
    assert row["legacy.fallback"] is None


def test_without_all_events_they_are_empty() -> None:
    whole = record_of_events.load(LISTENERS / "artefacts")
    assert whole is not None
    for events in (None, replace(whole, left_out=1)):
        row = rows(LISTENERS, events)
        assert of("new", row, *FATES) == (None,) * len(FATES)


def test_what_no_event_has_may_be_of_any_entry() -> None:
    """A server that refuses a subflow by its token does not know the connection."""
    whole = record_of_events.load(LISTENERS / "artefacts")
    row = rows(LISTENERS, whole, {MPTCP + "MPJoinNoTokenFound": 1})
    for name in ("new", "old"):
        assert row[f"{name}.subflows_refused"] is None
    assert of("new", row, "subflows_joined", "protocol_at_end") == (2, "mptcp")


@pytest.mark.parametrize("name", ONE_ENTRY)
def test_events_tell_what_counters_of_a_single_entry_do(name: str) -> None:
    """No column differs, and few are left open by what has no event."""
    folder = CAPTURED / name
    facts = explained.load(folder)
    (entry,) = facts.traffic
    events = record_of_events.load(folder / "artefacts")
    if entry.record.datagrams or events is None or not facts.counters:
        pytest.skip("no events of connections")
    found = shared.counters(entry, 0, facts.counters, events)
    assert found is not None
    least, most = (counts.columns(entry, c) for c in (found.least, found.most))
    whole = counts.columns(entry, facts.counters)
    told = shared.same(least, most)
    for column, value in told.items():
        if column == "subflows_lost" and value is not None:
            value = losses.of_entry(0, events, value)
            assert value == losses.of_entry(0, events, whole[column])
        elif value is not None:
            assert (column, value) == (column, whole[column])
    left = [n for n, v in whole.items() if v is not None and told[n] is None]
    assert len(left) <= 2


def event(name: str, local: str, value: str = "1", host: str = "client") -> Event:
    return Event(0.0, host, 0, 1, "", local, "10.2.0.2:1", name, value)


@pytest.mark.parametrize(
    ("names", "opens", "fails"),
    [
        (["MPCapableSYNTX", "MPCapableSYNACKRX"], 1, 0),
        (["MPCapableSYNTX", "tcp_closed"], 1, 1),
        (["MPCapableSYNTXDisabled", "tcp_established", "tcp_closed"], 1, 0),
        (["tcp_connect", "tcp_open"], 1, 1),
        (["MPJoinSynTx", "MPJoinSynAckRx", "tcp_closed"], 1, 0),
        (["tcp_closed"], 0, 0),
    ],
)
def test_attempts_are_those_that_began_and_had_no_answer(
    names: list[str], opens: int, fails: int
) -> None:
    values = {"tcp_closed": "error=111", "tcp_open": "error=110", "tcp_connect": ""}
    noted = [event(name, "10.0.1.2:5", values.get(name, "1")) for name in names]
    own, every = shared._counted(noted, "client", 0)
    assert own["TcpActiveOpens"] == every["TcpActiveOpens"] == opens
    assert own["TcpAttemptFails"] == fails
    other, _ = shared._counted(noted, "client", 1)
    assert not any(other.values())
