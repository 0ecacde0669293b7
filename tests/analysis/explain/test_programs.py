"""Sentences about what programs open and send, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import programs
from analysis.run.readers import job as job_file
from analysis.run.readers.outcome import UserPath
from tests.analysis.explain.made import (
    CAPTURED,
    IPERF3,
    LINKS,
    down,
    event,
    facts,
    opened,
    sentences,
)


def entry_of(name: str) -> Any:
    return job_file.read(CAPTURED / name / "job.json").traffic[0]


OWN: Any = entry_of("no-connection")
"""An entry of the user's own program."""
RATE: Any = replace(entry_of("well-constant-rate"), rate_mbps=20.0)
"""An entry of a constant rate over a connection."""
DATAGRAMS: Any = replace(entry_of("beyond-capacity"), rate_mbps=20.0)
TCP = facts(protocol="tcp").job.transport


def last(
    acked: int, busy_ms: int = 0, path: int = 1, time_s: float = 10.0, **more: Any
) -> Event:
    return event(
        time_s, "tcp_closed", f"acked={acked} busy_ms={busy_ms}", path=path, **more
    )


# No connection


@pytest.mark.parametrize(
    ("event_of", "told"),
    [
        (None, True),
        (event(1.0, "MPCapableSYNTX"), False),
        (event(1.0, "tcp_connect"), False),
        (event(1.0, "created"), True),
        (event(1.0, "tcp_connect", host="server"), True),
        (event(1.0, "tcp_connect", entry=1), True),
        (replace(event(1.0, "tcp_connect"), connection=None), False),
        (replace(event(1.0, "tcp_connect", host="server"), connection=None), True),
    ],
)
def test_a_program_opens_a_connection_if_a_host_of_it_asks(
    event_of: Event | None, told: bool
) -> None:
    events = (event_of,) if event_of else ()
    own = facts(*events, traffic=[OWN, replace(IPERF3, port=5202)])
    assert bool(sentences(programs.opened_nothing, own)) is told


def test_a_program_without_a_connection_needs_a_record_and_a_sound_run() -> None:
    (found,) = programs.opened_nothing(facts(traffic=[OWN]))
    assert found.evidence == "no MPCapableSYNTX and no tcp_connect on the client"
    assert not sentences(programs.opened_nothing, facts(traffic=[OWN], noted=False))
    bad = facts(traffic=[OWN], row={"verdict": "failed"})
    assert not sentences(programs.opened_nothing, bad)
    assert not sentences(programs.opened_nothing, facts(traffic=[IPERF3]))


# Another path


def test_a_connection_of_tcp_that_takes_another_path_is_told() -> None:
    wanted: Any = {"protocol": "tcp", "transport": {"path": 2}}
    took = [event(0.0, "tcp_connect", path=path, port=path) for path in (1, 2)]
    (found,) = programs.on_another_path(facts(*took, **wanted))
    assert found.sentence == (
        "connections of client to server took path 1, and the case asks for path 2: the"
        " program did not bind 10.0.2.2, which the entry has as `source`"
    )
    assert found.evidence == "tcp_connect from 10.0.1.2 on the client"
    assert not sentences(programs.on_another_path, facts(took[1], **wanted))
    assert not sentences(programs.on_another_path, facts(*took))
    mptcp = facts(*took, transport={"path": 2})
    assert not sentences(programs.on_another_path, mptcp)
    third: Any = {"protocol": "tcp", "transport": {"path": 3}}
    assert not sentences(programs.on_another_path, facts(*took, **third))
    assert sentences(programs.on_another_path, facts(*took, links=LINKS, **third))


def test_connections_of_other_entries_and_hosts_take_their_own_path() -> None:
    wanted: Any = {"protocol": "tcp", "transport": {"path": 2}}
    took = event(0.0, "tcp_connect", path=1)
    first = replace(IPERF3, transport=replace(TCP, path=1))
    second = replace(IPERF3, port=5202)
    own = facts(took, traffic=[first, second], **wanted)
    assert not sentences(programs.on_another_path, own)
    of_other = replace(took, host="other")
    other = replace(IPERF3, source="other", port=5202)
    own = facts(of_other, traffic=[IPERF3, other], **wanted)
    assert not sentences(programs.on_another_path, own)


# Over too soon

JOIN = event(0.1, "MPJoinSynTx", path=2)


def over(*events: Event, **more: Any) -> list[str]:
    return sentences(programs.over_too_soon, facts(*opened(0.0), *events, **more))


def test_connections_that_end_before_a_subflow_joins_are_told() -> None:
    assert over(JOIN, event(0.3, "closed")) == [
        "path 2 carried nothing: 1 connection was over, within 0.30 s, before a subflow"
        " had joined there"
    ]
    two = [*opened(1.0, 41000), event(1.1, "MPJoinSynTx", path=2, port=41000)]
    (found,) = programs.over_too_soon(
        facts(
            *opened(0.0),
            JOIN,
            *two,
            event(0.3, "closed"),
            event(1.2, "closed", port=41000),
        )
    )
    assert found.sentence == (
        "path 2 carried nothing: 2 connections were over, within 0.30 s, before a"
        " subflow had joined there"
    )
    assert found.evidence == "MPJoinSynTx 2 on the client, and closed before the answer"


def test_a_path_that_a_subflow_joined_once_carried_something() -> None:
    two = [*opened(1.0, 41000, 2), event(1.2, "closed", port=41000)]
    assert not over(JOIN, event(0.3, "closed"), *two)


def test_a_connection_that_did_not_ask_or_end_tells_nothing_about_a_path() -> None:
    ended = event(0.3, "closed")
    assert not over(ended)
    assert not over(JOIN)
    one = [*opened(1.0, 41000), event(1.2, "closed", port=41000)]
    (said,) = over(JOIN, ended, *one)
    assert "1 connection was over, within 0.30 s" in said
    going_on = opened(1.0, 41000)
    assert over(JOIN, ended, *going_on)
    assert not over(
        JOIN, ended, *going_on, event(1.1, "MPJoinSynTx", path=2, port=41000)
    )
    assert not over(JOIN, ended, noted=False)
    assert not over(JOIN, ended, protocol="tcp")


@pytest.mark.parametrize(
    "name", ["MPJoinSynAckRx", "MPJoinRejected", "TCPSynRetrans", "reset_received"]
)
def test_a_subflow_with_an_answer_is_told_by_another_rule(name: str) -> None:
    ended = event(0.3, "closed")
    assert not over(JOIN, event(0.2, name, path=2), ended)
    more = [*opened(1.0, 41000), event(1.1, "MPJoinSynTx", path=2, port=41000)]
    more.append(event(1.2, "closed", port=41000))
    assert not over(JOIN, event(0.2, name, path=2), ended, *more)


def test_only_paths_with_an_address_and_of_the_same_host_count() -> None:
    ended = event(0.3, "closed")
    ways = facts().users["client"]
    nameless = (ways[0], UserPath(("path2",), "client-eth2", None))
    assert not over(JOIN, ended, users={"client": nameless})
    other = replace(IPERF3, source="other", port=5202)
    users = {"client": ways, "other": ways}
    said = over(JOIN, ended, traffic=[IPERF3, other], users=users)
    assert len(said) == 1
    plain = replace(IPERF3, port=5202, transport=TCP)
    own = [event(0.0, "tcp_connect", entry=1, port=41000)]
    own.append(event(0.1, "MPJoinSynTx", path=2, entry=1, port=41000))
    assert over(JOIN, ended, *own, traffic=[IPERF3, plain]) == over(JOIN, ended)


# Waiting for a slow path

GIVEN = replace(IPERF3, bytes=1_000_000, duration_s=None)


def waited(fast_ms: int, slow_ms: int, *more: Event, **own: Any) -> list[str]:
    """A transfer of 10 s; path 1 carries most of it."""
    events = [last(800_000, fast_ms), last(200_000, slow_ms, path=2)]
    events.append(event(10.0, "closed"))
    traffic = own.pop("traffic", [GIVEN])
    all_facts = facts(*opened(0.0, 40000, 2), *events, *more, traffic=traffic, **own)
    return sentences(programs.waited, all_facts)


@pytest.mark.parametrize(
    ("fast_ms", "slow_ms", "told"),
    [(6000, 7500, True), (6001, 7500, False), (6000, 7499, False)],
)
def test_a_transfer_waits_for_a_path_that_works_when_another_is_done(
    fast_ms: int, slow_ms: int, told: bool
) -> None:
    said = waited(fast_ms, slow_ms)
    assert said == (
        [
            "the transfer client to server waited for path 2, which was busy with 200"
            " kB for 7.5 of 10.0 s; path 1 carried 800 kB in 6.0 s and then had nothing"
            " to send"
        ]
        if told
        else []
    )


def test_only_a_single_transfer_of_a_given_size_waits() -> None:
    assert not waited(6000, 7500, traffic=[IPERF3])
    assert not waited(6000, 7500, traffic=[replace(GIVEN, parallel=2)])
    assert not waited(6000, 7500, protocol="tcp")
    assert not waited(6000, 7500, event(3.0, "SubflowStale", path=2))
    assert not waited(6000, 7500, event(3.0, "SubflowStale", path=1))


def test_a_path_without_data_is_not_waited_for() -> None:
    events = [last(800_000, 5000), last(0, 9000, path=2), event(10.0, "closed")]
    own = facts(*opened(0.0, 40000, 2), *events, traffic=[GIVEN])
    assert not sentences(programs.waited, own)
    # A path with data and without a state of the sender was busy for no time.
    received = event(10.0, "tcp_closed", "received=900000", path=2, host="server")
    events = [last(800_000, 9000), received, event(10.0, "closed")]
    own = facts(*opened(0.0, 40000, 2), *events, traffic=[GIVEN])
    (said,) = sentences(programs.waited, own)
    assert "path 2 carried 900 kB in 0.0 s" in said


def test_the_time_of_a_transfer_begins_with_its_first_event() -> None:
    """From 2 s to 10 s: 8 s, of which 0.6 are 4.8 s and 0.75 are 6 s."""
    for fast_ms, slow_ms, told in ((4800, 6000, True), (4801, 6000, False)):
        events = [last(800_000, fast_ms), last(200_000, slow_ms, path=2)]
        events.append(event(10.0, "closed"))
        own = facts(*opened(2.0, 40000, 2), *events, traffic=[GIVEN])
        assert bool(sentences(programs.waited, own)) is told


# Beyond the capacity


def beyond(*traffic: Any, **more: Any) -> list[str]:
    return sentences(programs.beyond_capacity, facts(traffic=traffic, **more))


@pytest.mark.parametrize(
    ("protocol", "path", "carried"),
    [("mptcp", None, 30), ("tcp", None, 10), ("tcp", 1, 10), ("tcp", 2, 20)],
)
def test_a_rate_is_compared_with_the_paths_of_its_transport(
    protocol: str, path: int | None, carried: int
) -> None:
    own: dict[str, Any] = {"protocol": protocol, "transport": {"path": path}}
    assert not beyond(replace(RATE, rate_mbps=float(carried)), **own)
    (said,) = beyond(replace(RATE, rate_mbps=carried + 0.1), **own)
    which = "paths carry" if protocol == "mptcp" else "path carries"
    assert f"and its {which} {carried}: the rest" in said


def test_datagrams_take_one_path_also_beside_mptcp() -> None:
    assert beyond(DATAGRAMS)
    assert not beyond(replace(DATAGRAMS, rate_mbps=10.0))
    assert not beyond(RATE)
    assert not beyond(IPERF3)


def test_a_rate_over_paths_that_change_or_are_not_known_is_not_compared() -> None:
    high = replace(RATE, rate_mbps=99.0)
    assert beyond(high)
    for name in ("path1", "path2"):
        assert not beyond(high, changes=down(name, 1.0))
    free = [LINKS[0], replace(LINKS[1], capacity_mbps=None)]
    assert not beyond(high, links=free)
    assert not beyond(high, users={"nobody": ()})
    usual: Any = facts().job.report
    report = replace(usual, background=(0,))
    assert not beyond(high, report=report)


# Nothing to send


def idle(*events: Event, traffic: Any = (OWN,), **more: Any) -> list[str]:
    own = facts(*opened(0.0), *events, traffic=traffic, **more)
    return sentences(programs.had_nothing_to_send, own)


@pytest.mark.parametrize(
    ("event_of", "told"),
    [
        (last(20_000, 5000), True),
        (last(20_000, 5001), False),
        (last(19_999, 5000), False),
        (last(20_000, 400, time_s=1.0), True),
        (last(20_000, 390, time_s=0.99), False),
    ],
)
def test_a_program_without_data_for_half_of_the_time_is_told(
    event_of: Event, told: bool
) -> None:
    assert bool(idle(event_of)) is told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("DssFallback", False),
        ("DSSCorruptionFallback", False),
        ("MPFailRx", False),
        ("TCPTimeouts", False),
        ("MPJoinSynTx", True),
    ],
)
def test_a_connection_that_may_have_stood_still_has_something_to_send(
    name: str, told: bool
) -> None:
    """Linux can stop sending for good after a fallback in the middle of a transfer."""
    assert bool(idle(event(2.0, name), last(20_000, 400))) is told


def test_a_record_without_times_tells_nothing_of_a_program() -> None:
    """A missing time is no time of 0: fake runs write none."""
    assert not idle(event(10.0, "tcp_closed", "acked=20000"))
    assert not idle(last(20_000, 400), event(10.0, "tcp_closed", "acked=9", path=2))


def test_the_end_that_sent_most_is_told() -> None:
    server = last(30_000, 2000, host="server")
    (found,) = programs.had_nothing_to_send(
        facts(*opened(0.0), last(20_000, 1000), server, traffic=[OWN])
    )
    assert found.sentence.startswith(
        "the server had nothing to send for 80% of the time of its connection: the"
    )
    assert found.evidence == (
        "busy_ms of its subflows on the server; 30000 bytes acknowledged"
    )


def test_the_time_without_data_is_that_of_the_whole_connection() -> None:
    """From 2 s to 12 s, the later end of its subflows; both were busy for 3 s."""
    own = [*opened(2.0, 40000, 2), last(20_000, 3000, time_s=12.0)]
    for busy_ms, told in ((2000, True), (2001, False)):
        other = last(20_000, busy_ms, path=2, time_s=4.0)
        asked = event(1.0, "tcp_connect")
        longer = facts(asked, *own, other, traffic=[OWN])
        assert sentences(programs.had_nothing_to_send, longer)
        said = sentences(
            programs.had_nothing_to_send, facts(*own, other, traffic=[OWN])
        )
        assert bool(said) is told


def test_a_connection_that_stopped_had_data_to_send() -> None:
    for name in programs.STOPPED:
        assert not idle(last(20_000, 1000), event(3.0, name, "1"))
    assert idle(last(20_000, 1000), event(3.0, "SubflowRecover"))


def test_bulk_transfers_and_own_programs_are_told_and_others_are_not() -> None:
    assert idle(last(20_000, 1000), traffic=[IPERF3])
    little = entry_of("small")
    assert not little.bulk and not little.own_program
    assert not idle(last(20_000, 1000), traffic=[little])


def test_one_connection_is_told_for_all() -> None:
    more = [*opened(0.0, 41000), last(20_000, 1000, port=41000)]
    assert len(idle(last(20_000, 1000), *more)) == 1
    (said,) = idle(last(10, 1000), *more)
    assert "90%" in said


def test_a_connection_without_a_state_has_no_time() -> None:
    assert not idle()
    early = facts(*opened(-5.0), traffic=[OWN])
    assert programs._idle(early.connections[0], "client") == (0, 0.0)
    short = facts(*opened(0.0), last(30_000, 0, time_s=0.5), traffic=[OWN])
    assert programs._idle(short.connections[0], "client") == (30_000, 0.0)
