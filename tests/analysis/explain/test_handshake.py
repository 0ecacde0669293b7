"""Sentences about connections without MPTCP, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import handshake
from tests.analysis.explain.made import IPERF3, down, event, facts, opened, sentences

DROP, LATER = "MPTcpExtMPCapableSYNTXDrop", "MPTcpExtMPCapableSYNTXDisabled"
TWO_HOSTS = (IPERF3, replace(IPERF3, source="other", port=5202))


def begun(time_s: float, *names: str, port: int = 40000, **more: Any) -> list[Event]:
    """A connection without an answer, and more events of its client."""
    own = [event(time_s, "tcp_connect", port=port, **more)]
    return own + [event(time_s + 1, name, "1", port=port, **more) for name in names]


def fell_back(*events: Event, **more: Any) -> list[str]:
    return sentences(handshake.fell_back, facts(*events, **more))


# MPTCP given up

GAVE_UP = "MPCapableSYNTXDrop"
ABORTED = "TCPAbortOnTimeout"
HEAD = "MPTCP was given up: SYNs with its option got no answer, and "


@pytest.mark.parametrize(
    ("names", "in_vain"),
    [
        ([(GAVE_UP, ABORTED)], True),
        ([(GAVE_UP, ABORTED), (GAVE_UP, ABORTED)], True),
        ([(GAVE_UP, ABORTED), (GAVE_UP,)], False),
        ([(GAVE_UP,)], False),
        ([(GAVE_UP, "tcp_established", ABORTED)], False),
        ([(GAVE_UP, ABORTED), (ABORTED,), ("tcp_established",)], True),
        ([("tcp_established",)], False),
        ([(ABORTED,)], False),  # nobody gave MPTCP up
        ([], False),
    ],
)
def test_syns_without_the_option_are_in_vain_too_if_none_was_established(
    names: list[tuple[str, ...]], in_vain: bool
) -> None:
    events = [
        each
        for number, of_one in enumerate(names)
        for each in begun(1.0, *of_one, port=40000 + number)
    ]
    said = fell_back(*events, counters={"client": {DROP: 2}})
    why = "neither did those without it" if in_vain else "one without it did"
    assert said == [f"{HEAD}{why}"]


def test_the_link_that_was_down_at_the_first_syn_is_the_cause() -> None:
    """A connection that did not give MPTCP up has another cause."""
    join = event(3.0, "MPJoinSynTx", path=2, port=41000)
    events = [*begun(0.0), *begun(2.0, GAVE_UP, port=41000), join]
    own = {"counters": {"client": {DROP: 1, LATER: 1}}}
    end = "one without it did"
    said = fell_back(*events, changes=down("path1", 2.0, 2.5), **own)
    assert said == [
        f"{HEAD}{end}: path 1 carried nothing from 2 s to 2.5 s; 1 later connection did"
        " not try MPTCP"
    ]
    for changes in (down("path1", 0.0, 1.0), down("path2", 2.0)):
        said = fell_back(*events, changes=changes, **own)
        assert said == [f"{HEAD}{end}; 1 later connection did not try MPTCP"]


# Fallbacks


def test_both_ends_count_a_connection_and_the_larger_count_is_told() -> None:
    name = "MPTcpExtMPCapableFallbackACK"
    for client, server, words in (
        (1, 1, "1 connection is plain TCP"),
        (2, 3, "3 connections are plain TCP"),
        (3, 2, "3 connections are plain TCP"),
    ):
        counters = {"client": {name: client}, "server": {name: server}}
        (said,) = fell_back(counters=counters)
        assert said.startswith(words)


def test_a_fallback_names_its_host_where_several_open_connections() -> None:
    name = "MPTcpExtDssFallback"
    both = {"client": {}, "other": {name: 2}, "server": {}}
    (said,) = fell_back(counters=both, traffic=TWO_HOSTS)
    assert said.startswith("2 connections of the other fell back to TCP")
    (said,) = fell_back(counters=both | {"client": {name: 1}}, traffic=TWO_HOSTS)
    assert said.startswith("3 connections fell back to TCP")
    at_the_server = {"client": {}, "other": {}, "server": {name: 1}}
    (said,) = fell_back(counters=at_the_server, traffic=TWO_HOSTS)
    assert said.startswith("1 connection fell back to TCP")
    (said,) = fell_back(counters={"client": {name: 1}, "server": {}})
    assert said.startswith("1 connection fell back to TCP")


def test_an_endpoint_that_listens_refuses_connections() -> None:
    name = "MPCapableEndpAttempt"
    for count, words in ((1, "1 connection was"), (2, "2 connections were")):
        counters = {"server": {f"MPTcpExt{name}": count}}
        own = facts(event(1.0, name), counters=counters)
        (found,) = handshake.to_endpoints(own)
        assert found.sentence.startswith(f"{words} refused: an endpoint listens")
        assert found.evidence == f"{name} is {count} on the server, at 1.0 s"


# Late connections


def syns(
    first_s: float, count: int, connected_s: float | None, port: int = 40000
) -> list[Event]:
    """A connection that sends so many SYNs."""
    own = [event(first_s, "tcp_connect", port=port)]
    later = range(1, count)
    own += [event(first_s + n, "TCPSynRetrans", "1", port=port) for n in later]
    if connected_s is not None:
        own.append(event(connected_s, "tcp_established", port=port))
    return own


def late(*events: Event, **more: Any) -> list[str]:
    return sentences(handshake.connected_late, facts(*events, **more))


def test_one_late_connection() -> None:
    assert late(*syns(2.0, 3, 6.0)) == [
        "1 connection of the client took 4.0 s and 3 SYNs to be established"
    ]
    assert late(*syns(2.0, 2, None)) == [
        "1 connection of the client sent 2 SYNs and was never established"
    ]
    assert late(*syns(2.0, 1, 6.0)) == []


def test_of_several_late_connections_the_one_with_most_syns_is_told() -> None:
    more = [*syns(2.0, 2, 3.5), *syns(2.0, 4, 7.0, 41000), *syns(2.0, 1, 2.1, 42000)]
    (found,) = handshake.connected_late(facts(*more))
    assert found.sentence == (
        "2 connections of the client took up to 5.0 s and up to 4 SYNs to be"
        " established"
    )
    assert found.evidence == "TCPSynRetrans 3 on port 41000 of the client"
    in_vain = [*syns(2.0, 3, None, 41000), *syns(2.0, 2, None)]
    assert late(*in_vain) == ["2 connections of the client sent up to 3 SYNs, in vain"]
    assert late(*in_vain, changes=down("path1", 2.0, 4.0)) == [
        "2 connections of the client sent up to 3 SYNs, in vain: path 1 carried nothing"
        " from 2 s to 4 s"
    ]


def test_a_connection_that_gave_mptcp_up_is_told_by_another_rule() -> None:
    assert late(*syns(2.0, 3, 6.0), event(4.0, GAVE_UP, "1")) == []


def test_the_time_of_a_connection_begins_with_its_first_subflow() -> None:
    join = event(6.5, "MPJoinSynTx", path=2)
    assert late(*syns(2.0, 3, 6.0), join) == [
        "1 connection of the client took 4.0 s and 3 SYNs to be established"
    ]


# Payload and windows


def test_damaged_segments_name_the_links_that_damage() -> None:
    mixed = replace(
        IPERF3, transport=replace(facts().job.transport, protocol="tcp"), port=5202
    )
    counters = {"server": {"TcpInCsumErrors": 5}}
    text = "segments arrived damaged, and TCP's checksum discarded them"
    for traffic, end in (
        ((IPERF3,), ": MPTCP never saw them"),
        ((IPERF3, mixed), ": MPTCP never saw them"),
        ((mixed,), ""),
    ):
        own = facts(counters=counters, traffic=traffic)
        assert sentences(handshake.payload_changed, own) == [f"{text}{end}"]


@pytest.mark.parametrize(("dropped", "told"), [(5, False), (6, True)])
def test_a_twentieth_of_the_segments_may_lie_outside_of_the_window(
    dropped: int, told: bool
) -> None:
    name = "MPTcpExtNoDSSInWindow"
    own = facts(counters={"server": {name: dropped, "TcpInSegs": 100}})
    said = sentences(handshake.outside_window, own)
    assert bool(said) is told
    assert not told or said[0].startswith("the server dropped 6 segments whose data")
    many = facts(counters={"server": {name: 105, "TcpInSegs": 2000}})
    assert sentences(handshake.outside_window, many)
    few = facts(counters={"server": {name: 95, "TcpInSegs": 2000}})
    assert not sentences(handshake.outside_window, few)


def test_connections_with_mptcp_have_no_sentence() -> None:
    own = facts(*opened(0.0, 40000, 2), counters={"client": {}, "server": {}})
    for rule in (handshake.fell_back, handshake.to_endpoints, handshake.connected_late):
        assert sentences(rule, own) == []
