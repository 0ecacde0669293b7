"""Numbers and bounds of outcomes, computed by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import traffic as entries
from analysis.run.events import Event, Events
from analysis.run.outcomes import columns, connecting, counts, dark
from analysis.run.outcomes.endings import COMPLETE, Ending, Read
from analysis.run.readers.counters import Counters
from tests.analysis.explain.made import IPERF3, JOB, event

TCP = replace(JOB.transport, protocol="tcp")
MPTCP_NAME = "MPTcpExt"


def entries_of(*records: Any) -> tuple[Any, ...]:
    return entries.of_job(replace(JOB, traffic=records or (IPERF3,), report=None))


def of(tcp: dict[str, int] | None = None, /, **mptcp: int) -> Counters:
    return Counters({**(tcp or {}), **{MPTCP_NAME + n: v for n, v in mptcp.items()}})


NONE = Counters({})


def found(here: Counters, there: Counters = NONE, entry: Any = None) -> Any:
    one = entry or entries_of()[0]
    return counts.columns(one, {"client": here, "server": there})


# Counts


def spoke(count: int, **more: int) -> dict[str, int]:
    """Counters of a client that opened connections which all spoke MPTCP."""
    return {"MPCapableSYNTX": count, "MPCapableSYNACKRX": count, **more}


OPENED = "TcpActiveOpens"
FAILED = "TcpAttemptFails"
PLAIN = replace(IPERF3, transport=TCP)


@pytest.mark.parametrize(
    ("opened", "failed", "protocol"),
    [(1, 0, "tcp"), (3, 2, "tcp"), (2, 2, None), (0, 0, None), (2, 3, None)],
)
def test_a_connection_of_tcp_is_one_that_did_not_fail(
    opened: int, failed: int, protocol: str | None
) -> None:
    (entry,) = entries_of(PLAIN)
    own = found(of({OPENED: opened, FAILED: failed}), entry=entry)
    assert own["protocol_at_end"] == protocol


def test_syns_are_attempts_and_repetitions() -> None:
    own = found(of({OPENED: 3, "TcpExtTCPSynRetrans": 2}))
    assert (own["syns"], own["syns_repeated"]) == (5, 2)


def test_subflows_are_asked_for_and_join_or_are_refused_or_unanswered() -> None:
    here = of(
        {OPENED: 12},
        MPCapableSYNACKRX=2,
        MPJoinSynTx=9,
        MPJoinSynTxBindErr=1,
        MPJoinSynAckRx=6,
        SubflowStale=3,
        SubflowRecover=1,
    )
    there = of(MPJoinAckRx=5, MPJoinRejected=2, SubflowStale=4, SubflowRecover=2)
    own = found(here, there)
    assert own["subflows"] == 3.5
    assert own["subflows_asked"] == 10
    assert own["subflows_joined"] == 5
    assert own["subflows_refused"] == 3
    assert own["subflows_unanswered"] == 2
    assert (own["subflows_stale"], own["subflows_recovered"]) == (7, 3)


def test_more_refusals_than_requests_leave_none_unanswered() -> None:
    here = of(MPCapableSYNACKRX=1, MPJoinSynTx=1, MPJoinSynAckRx=1)
    assert found(here, of(MPJoinAckRx=1, MPJoinRejected=2))["subflows_unanswered"] == 0
    assert found(of({OPENED: 1, FAILED: 0}))["subflows_unanswered"] is None


@pytest.mark.parametrize(
    ("here", "count"),
    [
        ({OPENED: 5}, 5),
        ({OPENED: 5, "MPJoinSynTx": 3, "MPJoinSynAckRx": 3}, 2),
        ({OPENED: 5, "MPJoinSynTx": 3, "MPJoinSynAckRx": 1, FAILED: 2}, 2),
        ({OPENED: 5, "MPJoinSynTx": 3, "MPJoinSynAckRx": 1, FAILED: 3}, 1),
        ({OPENED: 5, "MPJoinSynTx": 3, "MPJoinSynAckRx": 1, FAILED: 1}, 2),
        ({OPENED: 2, FAILED: 3}, 0),
        ({}, 0),
    ],
)
def test_joins_that_failed_are_no_connections(here: dict[str, int], count: int) -> None:
    tcp = {name: n for name, n in here.items() if name.startswith("Tcp")}
    mptcp = {name: n for name, n in here.items() if name not in tcp}
    counters = {"client": of(tcp, **mptcp)}
    assert counts.connected(entries_of()[0], counters) == count


@pytest.mark.parametrize(
    ("here", "there", "protocol"),
    [
        ((3, spoke(3)), {}, "mptcp"),
        # One connection more than those that asked for MPTCP.
        ((4, spoke(3)), {}, "mixed"),
        (
            (5, spoke(3, MPJoinSynTx=2)),
            {},
            "mptcp",
        ),
        (
            (6, spoke(3, MPJoinSynTx=2)),
            {},
            "mixed",
        ),
        # One of three fell back, two, and all.
        (
            (3, spoke(3)),
            {"DssFallback": 1},
            "mixed",
        ),
        (
            (3, spoke(3)),
            {"DssFallback": 2},
            "mixed",
        ),
        ((3, spoke(3)), {"DssFallback": 3}, "tcp"),
        (
            (2, spoke(2, DssFallback=1)),
            {},
            "mixed",
        ),
        # A failed checksum says nothing of the number; of one connection it is clear.
        (
            (1, spoke(1)),
            {"InfiniteMapRx": 1},
            "tcp",
        ),
        (
            (2, spoke(2)),
            {"InfiniteMapRx": 1},
            "mixed",
        ),
        (
            (1, {**spoke(2), "MPCapableSYNTX": 0}),
            {"InfiniteMapRx": 1},
            "mixed",
        ),
        # The client's fallback has one at the server, too.
        (
            (
                2,
                {
                    "MPCapableSYNTX": 2,
                    "MPCapableSYNACKRX": 1,
                    "MPCapableFallbackSYNACK": 1,
                },
            ),
            {"MPCapableFallbackACK": 1},
            "mixed",
        ),
        ((1, {"MPCapableSYNTX": 1}), {}, "tcp"),
        ((3, {"MPCapableSYNTX": 1, "MPJoinSynTx": 2}), {}, "tcp"),
        ((2, {"MPCapableSYNTX": 0, "MPJoinSynTx": 2}), {}, None),
        ((0, {}), {}, None),
    ],
)
def test_the_protocol_at_the_end(
    here: tuple[int, dict[str, int]], there: dict[str, int], protocol: str | None
) -> None:
    opened, mptcp = here
    own = found(of({OPENED: opened}, **mptcp), of(None, **there))
    assert own["protocol_at_end"] == protocol


@pytest.mark.parametrize(("failed", "protocol"), [(1, "tcp"), (2, None), (3, None)])
def test_attempts_that_all_failed_have_no_protocol(
    failed: int, protocol: str | None
) -> None:
    here = of({OPENED: 4, FAILED: failed}, MPJoinSynTx=2)
    assert found(here)["protocol_at_end"] == protocol


def lost(tcp: dict[str, int] | None = None, there: Any = NONE, **mptcp: int) -> int:
    """Subflows that were lost, of ten connections."""
    here = of(tcp, MPCapableSYNACKRX=10, MPCapableSYNTX=10, **mptcp)
    count: int = found(here, there)["subflows_lost"]
    return count


def test_subflows_are_lost_by_timeouts_resets_and_removals() -> None:
    assert lost() == 0
    assert lost({"TcpExtTCPAbortOnTimeout": 2}) == 2
    assert lost(MPRstRx=3) == 3
    assert lost(MPRstRx=3, MPFastcloseRx=1) == 2
    assert lost(MPRstRx=1, MPFastcloseRx=3) == 0
    assert lost({"TcpExtTCPAbortOnTimeout": 2}, MPRstRx=1, MPFastcloseRx=3) == 2
    assert lost(RmSubflow=2, there=of(RmSubflow=3)) == 5
    assert lost({"TcpExtTCPAbortOnTimeout": 2, FAILED: 1}) == 1
    assert lost({"TcpExtTCPAbortOnTimeout": 2, FAILED: 3}) == 0
    assert lost({"TcpExtTCPAbortOnTimeout": 2}, MPJoinNotEstablished=1) == 1
    assert lost({"TcpExtTCPAbortOnTimeout": 99}) == 10
    assert lost({"TcpExtTCPAbortOnTimeout": 99}, MPJoinSynAckRx=0) == 10


def test_resets_without_the_option_are_lost_where_nothing_fell_back() -> None:
    """Resets that MPTCP has counted are told already."""
    assert lost({"TcpEstabResets": 4}) == 4
    assert lost({"TcpEstabResets": 4}, MPRstTx=1) == 3
    assert lost({"TcpEstabResets": 4}, MPRstRx=1) == 4
    assert lost({"TcpEstabResets": 4, "TcpExtTCPAbortOnTimeout": 1}) == 4
    assert lost({"TcpEstabResets": 1}, MPRstTx=2) == 0
    assert lost({"TcpEstabResets": 4}, DssFallback=1) == 0


def test_entries_without_other_connections_on_their_hosts_are_alone() -> None:
    beside = replace(IPERF3, port=5202)
    elsewhere = replace(IPERF3, source="other", destination="third", port=5202)
    both = replace(IPERF3, source="server", destination="third", port=5202)
    for records, alone in (
        ((IPERF3,), True),
        ((IPERF3, elsewhere), True),
        ((IPERF3, beside), False),
        ((IPERF3, both), False),
        ((IPERF3, elsewhere, beside), False),
    ):
        assert counts.alone(entries_of(*records), 0) is alone


def test_datagrams_beside_an_entry_do_not_count() -> None:
    datagrams = SimpleNamespace(datagrams=True, served=None)
    other: Any = replace(entries_of()[0], record=datagrams)
    assert counts.alone([*entries_of(), other], 0)


# Columns

DONE = Ending(COMPLETE, 3.0)


def columns_of(
    *records: Any,
    counters: dict[str, Counters],
    events: list[Event] | None = None,
    ending: Ending = DONE,
    left_out: int = 0,
) -> dict[str, Any]:
    traffic = entries_of(*records)
    noted = None if events is None else Events(tuple(events), left_out)
    return columns.of_entries(
        traffic, counters, [Read()] * len(traffic), [ending] * len(traffic), noted
    )


BOTH = {"client": of({OPENED: 1}), "server": NONE}


def test_columns_have_the_number_of_an_entry_without_a_name() -> None:
    assert columns.prefix(entries_of(), 0) == ""
    two = entries_of(IPERF3, replace(IPERF3, port=5202))
    assert [columns.prefix(two, index) for index in (0, 1)] == [
        "traffic1.",
        "traffic2.",
    ]
    named = replace(two[0], name="bulk")
    assert columns.prefix((named, two[1]), 0) == "bulk."
    assert columns.prefix((named,), 0) == "bulk."


def test_a_proxy_is_no_entry_that_needs_a_number() -> None:
    one = entries_of()[0]
    proxy: Any = replace(one, record=SimpleNamespace(served=0))
    assert columns.prefix((one, proxy), 0) == ""


def test_counters_of_all_hosts_give_columns() -> None:
    own = columns_of(PLAIN, counters=BOTH)
    assert (own["syns"], own["connected"], own["protocol_at_end"]) == (1, 1, "tcp")
    assert (own["ended"], own["ended_s"], own["errno"]) == (COMPLETE, 3.0, None)
    some = columns_of(PLAIN, counters={"client": BOTH["client"]})
    assert (some["syns"], some["connected"], some["protocol_at_end"]) == (None,) * 3
    beside = columns_of(PLAIN, replace(PLAIN, port=5202), counters=BOTH)
    assert beside["traffic1.syns"] is beside["traffic2.syns"] is None


def test_without_a_connection_there_is_no_protocol() -> None:
    failed = {"client": of({OPENED: 2, FAILED: 1}), "server": NONE}
    own = columns_of(PLAIN, counters=failed)
    assert (own["connected"], own["protocol_at_end"]) == (1, "tcp")
    failed = {"client": of({OPENED: 2, FAILED: 2}), "server": NONE}
    own = columns_of(PLAIN, counters=failed)
    assert (own["connected"], own["protocol_at_end"]) == (0, None)


def test_events_tell_the_time_and_the_syns_of_the_first_connection() -> None:
    begun = event(0.0, "tcp_connect")
    again = event(1.0, "TCPSynRetrans", "1")
    there = event(1.2, "tcp_established")
    own = columns_of(PLAIN, counters=BOTH, events=[begun, again, there])
    assert (own["connected_s"], own["connected_syns"]) == (1.2, 2)
    own = columns_of(PLAIN, counters=BOTH, events=[begun, again])
    assert (own["connected_s"], own["connected_syns"]) == (None, None)
    own = columns_of(PLAIN, counters=BOTH)
    assert (own["connected_s"], own["connected_syns"]) == (None, None)


def unanswered(port: int) -> list[Event]:
    """A connection whose SYN, sent again, has no answer when the client is ended."""
    return [
        event(1.0, "tcp_connect", port=port),
        event(2.0, "TCPSynRetrans", "1", port=port),
        event(9.0, "tcp_open", "acked=0", port=port),
    ]


def test_a_connection_without_an_answer_to_the_end_is_none() -> None:
    """Kernels count its SYN as neither failed nor established."""
    opened = {"client": of({OPENED: 2}), "server": NONE}
    one, other = unanswered(40000), unanswered(40002)
    own = columns_of(PLAIN, counters=opened, events=one)
    assert (own["connected"], own["protocol_at_end"]) == (1, "tcp")
    own = columns_of(PLAIN, counters=opened, events=[*one, *other])
    assert (own["connected"], own["protocol_at_end"]) == (0, None)
    # More of them than counters have attempts are no fewer connections than none.
    own = columns_of(PLAIN, counters=BOTH, events=[*one, *other])
    assert (own["connected"], own["protocol_at_end"]) == (0, None)


def test_counters_hold_where_events_were_left_out() -> None:
    own = columns_of(PLAIN, counters=BOTH, events=unanswered(40000), left_out=1)
    assert (own["connected"], own["protocol_at_end"]) == (1, "tcp")


def test_events_alone_make_no_connections() -> None:
    """Without counters nobody knows how many there were."""
    own = columns_of(PLAIN, counters={}, events=unanswered(40000))
    assert (own["connected"], own["syns"], own["subflows_lost"]) == (None,) * 3


def test_events_correct_the_lost_subflows_of_counters() -> None:
    spoken = spoke(1, MPJoinSynTx=1, MPJoinSynAckRx=1, RmSubflow=1)
    counters = {
        "client": of({OPENED: 2}, **spoken),
        "server": of(MPJoinAckRx=1),
    }
    own = columns_of(IPERF3, counters=counters)
    assert own["subflows_lost"] == 1
    # The subflow ends after its connection.
    events = [event(3.0, "closed"), event(4.0, "sub_closed", path=2)]
    own = columns_of(IPERF3, counters=counters, events=events)
    assert own["subflows_lost"] == 0


def test_counters_of_the_kernel_are_not_those_of_quic() -> None:
    quic: Any = SimpleNamespace(is_quic=True, is_mptcp=False)
    (entry,) = entries_of(PLAIN)
    entry = replace(entry, transport=quic)
    (own,) = [columns.of_entries([entry], BOTH, [Read()], [DONE])]
    assert (own["syns"], own["connected"]) == (None, None)


def test_an_attempt_that_failed_after_its_handshake_has_no_protocol() -> None:
    """The client spoke MPTCP with the server, and then the connection failed."""
    failed = {"client": of({OPENED: 1, FAILED: 1}, **spoke(1)), "server": NONE}
    own = columns_of(IPERF3, counters=failed)
    assert (own["connected"], own["protocol_at_end"]) == (0, None)


def through_a_proxy(count: int) -> tuple[Any, ...]:
    """An entry, and as many proxies on its way."""
    (entry,) = entries_of(PLAIN)
    record: Any = SimpleNamespace(served=0, tool="proxy", datagrams=False)
    proxy = replace(entry, record=record, source="proxy", name="proxy")
    return (entry, *[proxy] * count)


@pytest.mark.parametrize("count", [1, 2])
def test_counters_of_an_entry_with_proxies_are_those_of_its_events(count: int) -> None:
    """The host opens connections of its own beside those of the entry, and counters
    cannot tell them apart."""
    traffic = through_a_proxy(count)
    repeated = "TcpExtTCPSynRetrans"
    known = {"client": of({OPENED: 3, repeated: 2}), "server": NONE}
    told = [Read()] * len(traffic), [DONE] * len(traffic)
    events = [
        event(0.0, "tcp_connect"),
        event(1.0, "TCPSynRetrans", "1"),
        replace(event(1.0, "TCPSynRetrans", "1", port=41000), connection=None),
        event(1.2, "tcp_established"),
        event(1.3, "TCPSynRetrans", "1", port=42000, entry=7),
    ]
    found = columns.of_entries(traffic, known, *told, Events(tuple(events)))
    assert found["syns_repeated"] == 1
    without = columns.of_entries(traffic, known, *told)
    assert without["syns_repeated"] is without["connected"] is None


def test_the_first_connection_is_one_that_a_host_of_the_entry_opens() -> None:
    (entry,) = entries_of()
    events = [
        event(0.0, "tcp_connect", host="server", port=9),
        event(0.1, "created", port=8),
        event(0.2, "tcp_connect"),
        event(0.3, "tcp_connect", port=7),
        event(0.4, "tcp_established", port=7),
        event(0.5, "tcp_established"),
        event(0.6, "tcp_connect", entry=1, port=6),
    ]
    assert connecting.first(entry, 0, Events(tuple(events))) == (1, 0.5)
    assert connecting.first(entry, 2, Events(tuple(events))) == (None, None)


# Dark paths


def test_three_paths_are_dark_where_all_are() -> None:
    one, two, three = [(0.0, 9.0)], [(1.0, 5.0)], [(4.0, 8.0)]
    assert dark.of_all([one, two, three]) == [(4.0, 5.0)]
    assert dark.of_all([one, one]) == one


def test_paths_that_are_dark_one_after_the_other_have_no_time_in_common() -> None:
    assert dark.of_all([[(1.0, 2.0)], [(2.0, 3.0)]]) == []
    assert dark.of_all([[(1.0, 2.0)], [(3.0, 4.0)]]) == []


@pytest.mark.parametrize(
    ("spans", "whole"),
    [
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(1, 5), (2, 3)], [(1, 5)]),
        ([(1, 2), (2.1, 3)], [(1, 2), (2.1, 3)]),
        ([(1, 2), (4, 5), (3, 4.5)], [(1, 2), (3, 5)]),
        ([(1, 9), (2, 3), (8, 10)], [(1, 10)]),
        ([(1, 2), (4, 9), (5, 6)], [(1, 2), (4, 9)]),
        ([], []),
    ],
)
def test_spans_that_meet_are_one(spans: list[Any], whole: list[Any]) -> None:
    assert dark.joined(spans) == whole
