"""Sentences about further subflows, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import joins
from tests.analysis.explain.made import (
    IPERF3,
    LINKS,
    down,
    event,
    facts,
    opened,
    sentences,
)

ALONE = opened(1.0)
UNKNOWN = "the reason is not known; endpoints and limits of both hosts decide it"


def not_asked(*events: Event, **more: Any) -> list[str]:
    return sentences(joins.not_asked, facts(*events, **more))


# Not asked for


@pytest.mark.parametrize(("closed_s", "told"), [(1.13, False), (1.15, True)])
def test_a_connection_that_ends_at_once_asks_for_nothing(
    closed_s: float, told: bool
) -> None:
    """A tenth of a second and two round trips of 20 ms are enough to ask."""
    assert bool(not_asked(*ALONE, event(closed_s, "closed"))) is told


def test_the_client_of_the_first_connection_is_told() -> None:
    """A second client has a path that is down."""
    other = replace(IPERF3, source="other", port=5202)
    ways = facts(links=LINKS).users["client"]
    later = [replace(e, host="other") for e in opened(2.0, 41000, entry=1)[:3]]
    (said,) = not_asked(
        *ALONE,
        *later,
        traffic=[IPERF3, other],
        links=LINKS,
        users={"client": ways[:2], "other": (ways[0], ways[2])},
        changes=down("path3", 0.0),
    )
    assert "on 2 connections" in said and said.endswith(UNKNOWN)


def test_a_connection_without_an_end_should_have_asked() -> None:
    (found,) = joins.not_asked(facts(*ALONE, *opened(3.0, 41000)))
    assert found.sentence == (
        f"no further subflow was asked for on 2 connections: {UNKNOWN}"
    )
    assert found.evidence == "MPJoinSynTx is 0, from 1.0 to 3.0 s"


def test_what_cannot_have_further_subflows_did_not_have_to_ask() -> None:
    assert not not_asked(*opened(1.0, 40000, 2))
    assert not not_asked(*ALONE, protocol="tcp")
    assert not not_asked(event(1.0, "MPCapableSYNTX"))  # never established
    assert not not_asked(*ALONE, noted=False)
    for count, told in ((1, False), (2, True)):
        own = facts(*ALONE)
        some = {"client": own.users["client"][:count]}
        assert bool(not_asked(*ALONE, users=some)) is told
    counters = {"client": {"MPTcpExtMPJoinSynTxBindErr": 1}}
    assert not not_asked(*ALONE, counters=counters)


def test_a_further_path_that_was_down_at_the_start_is_the_reason() -> None:
    """The first path is no further one, and another time is none of the start."""
    (said,) = not_asked(*ALONE, changes=down("path2", 1.0, 2.0))
    assert said.endswith("path 2 carried nothing from 1 s to 2 s")
    for changes in (down("path1", 1.0), down("path2", 1.1), down("path2", 0.5, 1.0)):
        (said,) = not_asked(*ALONE, changes=changes)
        assert said.endswith(UNKNOWN)


def test_the_first_connection_decides_about_a_path_that_is_down() -> None:
    later = opened(3.0, 41000)
    (said,) = not_asked(*ALONE, *later, changes=down("path2", 3.0))
    assert said.endswith(UNKNOWN)
    (said,) = not_asked(*ALONE, *later, changes=down("path2", 1.0, 2.0))
    assert said.endswith("path 2 carried nothing from 1 s to 2 s")


def test_the_start_of_a_connection_is_that_of_its_first_subflow() -> None:
    """A client may have a subflow that it did not ask for by MPJoinSynTx."""
    more = event(4.0, "tcp_accept", path=2)
    (found,) = joins.not_asked(facts(*ALONE, more, changes=down("path2", 4.0)))
    assert found.evidence == "MPJoinSynTx is 0, at 1.0 s"
    assert found.sentence.endswith(UNKNOWN)


# Not joined

ASKED = event(2.0, "MPJoinSynTx", path=2)


def there(time_s: float, name: str, value: str = "1", **more: Any) -> Event:
    return event(time_s, name, value, host="server", path=2, **more)


def here(time_s: float, name: str, value: str = "1", **more: Any) -> Event:
    return event(time_s, name, value, path=2, **more)


def why(*events: Event, **more: Any) -> str | None:
    """The reason why a subflow on path 2 did not join; None if nothing is said."""
    said = sentences(joins.not_joined, facts(*ALONE, ASKED, *events, **more))
    assert len(said) <= 1
    return said[0].removeprefix("1 subflow on path 2 did not join: ") if said else None


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((), "the SYN got no answer"),
        ((here(2.1, "MPJoinSynAckRx"),), None),
        ((there(2.1, "MPJoinNotEstablished"),), "its connection was closing"),
        (
            (here(2.1, "MPJoinSynAckNoMPJoin"),),
            "the SYN/ACK came back without MPTCP's option",
        ),
        (
            (here(2.1, "MPJoinSynAckHMacFailure"),),
            "the two ends do not agree on the keys",
        ),
        (
            (there(2.1, "MPJoinAckHMacFailure"),),
            "the two ends do not agree on the keys",
        ),
        (
            (there(2.1, "MPJoinAckNoMPJoin"),),
            "MPTCP's option was gone from the last ACK",
        ),
        (
            (here(2.1, "tcp_closed", "error=111"),),
            "nobody listens at 10.2.0.2:5201",
        ),
        ((here(2.1, "tcp_closed", "error=110"),), "the SYN got no answer"),
        ((here(2.1, "MPJoinSynAckRx"), there(3.1, "MPJoinSynAckTx")), None),
        (
            (here(2.1, "MPJoinSynAckRx"), there(3.1, "TCPSynRetrans")),
            "the last ACK did not reach the server, which repeated its SYN/ACK",
        ),
        ((there(3.1, "TCPSynRetrans"),), "the SYN got no answer"),
        ((here(3.0, "TCPSynRetrans"),), "the SYN got no answer"),
        (
            (here(3.0, "MPJoinSynAckRx"), here(3.0, "TCPSynRetrans")),
            "the SYN got no answer",
        ),
    ],
)
def test_a_subflow_that_did_not_join_has_its_reason(
    events: tuple[Event, ...], reason: str | None
) -> None:
    assert why(*events) == reason


@pytest.mark.parametrize(
    ("ended_s", "reason"), [(2.99, None), (3.0, "the SYN got no answer")]
)
def test_a_syn_is_without_an_answer_after_a_second(
    ended_s: float, reason: str | None
) -> None:
    assert why(event(ended_s, "closed")) == reason


@pytest.mark.parametrize(("closed_s", "told"), [(2.1, False), (2.2, True)])
def test_a_server_refuses_a_subflow_unless_it_is_closing(
    closed_s: float, told: bool
) -> None:
    """The first refusal counts."""
    refused = (there(2.1, "MPJoinRejected"), there(2.3, "MPJoinRejected"))
    closing = event(closed_s, "closed", host="server")
    beyond = "the server refused it, as beyond its limit of subflows"
    assert why(*refused, closing) == (beyond if told else None)
    assert why(*refused) == beyond


def test_the_first_dark_time_of_a_path_at_the_syn_is_told() -> None:
    again = here(3.0, "TCPSynRetrans")
    links = [*down("path2", 1.0, 9.0)]
    lost = [
        type(links[0])(1.5, 1.5, "path2", "both", "loss_percent", 100.0),
        type(links[0])(2.5, 2.5, "path2", "both", "loss_percent", 0.0),
    ]
    end = "the SYN got no answer; path 2 carried nothing from"
    assert why(again, changes=links) == f"{end} 1 s to 9 s"
    assert why(again, changes=[*links, *lost]) == f"{end} 1.5 s to 2.5 s"
    assert why(again, changes=down("path2", 2.1)) == "the SYN got no answer"


RESET = here(2.5, "reset_received")
NO_TOKEN = "the server knows no connection with the token of its SYN"


def unlinked(time_s: float, name: str, host: str = "server") -> Event:
    """An event that has no subflow."""
    return Event(time_s, host, None, None, "", "", "", name, "1")


@pytest.mark.parametrize(
    ("time_s", "host", "told"),
    [
        (1.99, "server", False),
        (2.0, "server", True),
        (2.5, "server", True),
        (2.51, "server", False),
        (2.2, "client", False),
    ],
)
def test_a_refusal_counts_between_the_syn_and_the_last_event(
    time_s: float, host: str, told: bool
) -> None:
    refusal = unlinked(time_s, "MPJoinNoTokenFound", host)
    assert why(RESET, refusal) == (NO_TOKEN if told else "the SYN got no answer")
    assert why(refusal) == "the SYN got no answer"  # nothing reset it


def test_a_refusal_has_its_counter_as_evidence() -> None:
    counters = {
        "server": {"MPTcpExtMPJoinNoTokenFound": 2, "MPTcpExtMPJoinNoIdFound": 3}
    }
    refusal = unlinked(2.2, "MPJoinNoTokenFound")
    (found,) = joins.not_joined(facts(*ALONE, ASKED, RESET, refusal, counters=counters))
    assert found.evidence == (
        "MPJoinSynTx at 2.0 s, then reset_received on the client; MPJoinNoTokenFound is"
        " 2 on the server"
    )


def test_a_refusal_that_is_an_event_of_the_subflow_is_told_by_it() -> None:
    own = there(2.2, "MPJoinAckNoMPJoin")
    assert why(RESET, own) == "MPTCP's option was gone from the last ACK"
    token = there(2.2, "MPJoinNoTokenFound")
    assert why(RESET, token) == "the SYN got no answer"


def test_subflows_of_one_path_and_reason_are_one_sentence() -> None:
    more = [*opened(3.0, 41000), event(4.0, "MPJoinSynTx", path=2, port=41000)]
    (found,) = joins.not_joined(facts(*ALONE, ASKED, *more))
    assert found.sentence == "2 subflows on path 2 did not join: the SYN got no answer"
    assert found.evidence == "MPJoinSynTx from 2.0 to 4.0 s, then nothing"


def test_an_endpoint_without_its_address_is_told_once() -> None:
    name = "MPJoinSynTxBindErr"
    events = [event(t, name, "address=10.9.9.9 id=3") for t in (1, 2)]
    own = facts(*events, counters={"client": {f"MPTcpExt{name}": 2}})
    assert sentences(joins.no_address, own) == [
        "an endpoint's address 10.9.9.9 is not on its host, so no subflow began there"
    ]
    assert sentences(joins.no_address, facts(*events)) == []
