"""Sentences about subflows and connections that stopped, at their bounds."""

import errno
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import failures
from jobs.middleboxes import NAT, Box
from tests.analysis.explain.made import down, event, facts, opened, sentences

TWO = opened(0.0, 40000, 2)
OTHER = opened(0.0, 41000, 2)


def timeouts(*times_s: float, path: int = 2, port: int = 40000) -> list[Event]:
    return [
        event(time_s, "TCPTimeouts", str(number), path=path, port=port)
        for number, time_s in enumerate(times_s, start=1)
    ]


def closed(time_s: float, value: str = "", path: int = 2, port: int = 40000) -> Event:
    return event(time_s, "tcp_closed", value, path=path, port=port)


# Stale


def stale(time_s: float, port: int = 40000) -> Event:
    return event(time_s, "SubflowStale", "1", path=2, port=port)


def test_the_first_stale_subflow_of_a_path_tells_timeouts_and_cause() -> None:
    """A timeout at the same time counts, and a later one does not."""
    own = facts(
        *TWO,
        *OTHER,
        *timeouts(1, 2, 3, 4),
        stale(3.0),
        stale(5.0, 41000),
        changes=[*down("path2", 0.5, 0.6), *down("path2", 3.0, 4.0)],
    )
    assert sentences(failures.went_stale, own) == [
        "path 2: its 2 subflows went stale from 3.0 to 5.0 s after 3 timeouts and did"
        " not come back: path 2 carried nothing from 3 s to 4 s"
    ]


def test_a_link_that_fails_later_is_no_cause() -> None:
    own = facts(*TWO, stale(3.0), changes=down("path2", 3.001))
    (said,) = sentences(failures.went_stale, own)
    assert said.endswith("after 0 timeouts and did not come back")


def test_a_subflow_that_comes_back_has_its_time() -> None:
    back = event(4.2, "SubflowRecover", path=2)
    twice = facts(*TWO, stale(3.0), back, stale(6.0))
    assert sentences(failures.went_stale, twice) == [
        "path 2: its subflow went stale from 3.0 to 6.0 s after 0 timeouts and came"
        " back at 4.2 s"
    ]


def trifle(acked: int, *more: Event) -> list[str]:
    """The server sends a trifle, or not, and calls the subflow stale at 0.1 s."""
    return sentences(
        failures.went_stale,
        facts(
            *opened(0.0, 40000, 2),
            event(0.1, "SubflowStale", "1", host="server"),
            event(30.0, "tcp_closed", f"acked={acked}", host="server"),
            *more,
        ),
    )


BACK = event(10.0, "SubflowRecover", host="server")
ELSEWHERE = event(30.0, "tcp_closed", "acked=20000", host="server", path=2)
LATE = event(0.2, "TCPTimeouts", "1", host="server")
IN_TIME = event(0.1, "TCPTimeouts", "1", host="server")
OF_PEER = event(0.1, "TCPTimeouts", "1")


def test_a_host_that_answers_with_a_trifle_merely_waited() -> None:
    """The server's end of a control connection: 280 bytes in 30 s, none lost."""
    assert not trifle(280, BACK)
    assert not trifle(19_999, BACK, LATE, OF_PEER)


@pytest.mark.parametrize(
    ("acked", "more"),
    [(280, ()), (20_000, (BACK,)), (280, (BACK, ELSEWHERE)), (280, (BACK, IN_TIME))],
    ids=["never back", "enough", "enough on another path", "after a timeout"],
)
def test_a_stale_subflow_is_told_without_one_of_these_signs(
    acked: int, more: tuple[Event, ...]
) -> None:
    assert trifle(acked, *more)


@pytest.mark.parametrize(("back_s", "told"), [(0.99, False), (1.1, True)])
def test_a_subflow_that_is_stale_for_a_moment_is_not_told(
    back_s: float, told: bool
) -> None:
    """At 0.1 s, for less than a second, though its host sends much."""
    back = event(back_s, "SubflowRecover", host="server")
    assert bool(trifle(50_000_000, back)) is told
    assert trifle(50_000_000, back, IN_TIME)


# Without an answer


def silent(*events: Event, changes: object = ()) -> list[str]:
    return sentences(failures.unanswered, facts(*TWO, *events, changes=changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(("end_s", "told"), [(10.0, True), (10.1, False)])
def test_the_next_timeout_is_due_within_three_steps(end_s: float, told: bool) -> None:
    """The last step, from 2 to 4 s, takes 2 s."""
    assert bool(silent(*timeouts(1, 2, 4), closed(end_s))) is told


def test_the_last_state_of_a_subflow_is_its_end() -> None:
    assert not silent(*timeouts(1, 2, 4), closed(5.0), closed(10.1))


def test_timeouts_count_from_three() -> None:
    assert not silent(*timeouts(1, 2), closed(2.5))
    assert silent(*timeouts(1, 2, 4), closed(5.0)) == [
        "path 2: its subflow had no answer from 1.0 s on, and the client sent again 3"
        " times"
    ]


def test_only_the_last_timeouts_have_no_answer_between_them() -> None:
    """The last value counts them: here the last three of four."""
    values = ("", "", "", "3")
    own = [
        event(t, "TCPTimeouts", v, path=2)
        for t, v in zip((1, 2, 3, 5), values, strict=True)
    ]
    (said,) = silent(*own, closed(6.0))
    assert "from 2.0 s on" in said and "3 times" in said


def test_a_count_beyond_the_events_is_not_believed() -> None:
    more = [event(t, "TCPTimeouts", "4", path=2) for t in (1, 2, 4)]
    assert not silent(*more, closed(5.0))
    for value in ("", "x"):
        strange = event(4, "TCPTimeouts", value, path=2)
        assert not silent(*timeouts(1, 2), strange, closed(5.0))


def test_without_a_last_state_nobody_knows_the_end() -> None:
    assert not silent(*timeouts(1, 2, 4))


def test_a_connection_of_one_subflow_is_told_by_another_rule() -> None:
    own = facts(*opened(0.0), *timeouts(1, 2, 4, path=1), closed(5.0, path=1))
    assert sentences(failures.unanswered, own) == []


def test_a_subflow_that_never_joined_or_was_given_up_is_told_by_another_rule() -> None:
    asked = event(0.0, "MPJoinSynTx", path=3)
    own = facts(*TWO, asked, *timeouts(1, 2, 4, path=3), closed(5.0, path=3))
    assert sentences(failures.unanswered, own) == []
    assert not silent(
        *timeouts(1, 2, 4), closed(5.0), event(5, "TCPAbortOnTimeout", path=2)
    )


def test_the_subflow_with_most_timeouts_is_told_with_its_cause() -> None:
    """The first of its timeouts decides whether the link was down then."""
    here = [*timeouts(1, 2, 4), closed(5.0)]
    there = [*timeouts(2, 3, 5, 9, port=41000), closed(10.0, port=41000)]
    for start_s, cause in ((2.0, ": path 2 carried nothing from 2 s on"), (2.1, "")):
        own = facts(*TWO, *OTHER, *here, *there, changes=down("path2", start_s))
        assert sentences(failures.unanswered, own) == [
            "path 2: its 2 subflows had no answer from 1.0 s on, and the client sent"
            f" again 4 times{cause}"
        ]


# Given up


def test_connections_that_were_given_up_on_a_path() -> None:
    gave_up = [
        event(3.0, "TCPAbortOnTimeout", "error=110", path=2),
        event(5.0, "TCPAbortOnTimeout", "error=999", path=2, port=41000),
    ]
    late = [*timeouts(1, 2), *timeouts(1, 2, 4, port=41000)]
    own = facts(*TWO, *OTHER, *late, *gave_up, changes=down("path2", 4.0))
    (found,) = failures.given_up(own)
    assert found.sentence == (
        "the client gave up 2 subflows on path 2 from 3.0 to 5.0 s after 3 timeouts"
    )
    assert found.evidence == "TCPAbortOnTimeout 2 on the client, ETIMEDOUT and 999"
    assert not list(failures.given_up(facts(*TWO)))
    own = facts(*TWO, event(3.0, "TCPAbortOnTimeout", path=2), changes=down("path2", 3))
    (found,) = failures.given_up(own)
    assert found.sentence.endswith(
        "after 0 timeouts: path 2 carried nothing from 3 s on"
    )
    assert found.evidence == "TCPAbortOnTimeout 1 on the client"


def test_a_subflow_that_did_not_join_is_not_given_up() -> None:
    asked = event(0.0, "MPJoinSynTx", path=3)
    own = facts(*TWO, asked, event(3.0, "TCPAbortOnTimeout", path=3))
    assert sentences(failures.given_up, own) == []


# Cut off

CUT = {"ended": "given up", "ended_s": 9.0}
BOTH_DOWN = [*down("path1", 3.0), *down("path2", 4.0)]


def test_traffic_over_links_that_are_all_down_is_cut_off() -> None:
    own = facts(*TWO, row=CUT, changes=BOTH_DOWN)
    assert sentences(failures.cut_off, own) == [
        "the traffic client to server was cut off (given up at 9.0 s): path 1 carried"
        " nothing from 3 s on and path 2 carried nothing from 4 s on"
    ]


@pytest.mark.parametrize(
    ("row", "changes"),
    [
        (CUT, BOTH_DOWN[:1]),  # path 2 works
        (CUT, [*down("path1", 3.0), *down("path2", 4.0, 9.0)]),  # until the end
        (CUT, []),
        ({"ended": "given up"}, BOTH_DOWN),
        ({"ended": "complete", "ended_s": 9.0}, BOTH_DOWN),
        ({"ended_s": 9.0}, BOTH_DOWN),
    ],
)
def test_traffic_with_a_way_or_without_an_end_is_not_cut_off(
    row: dict[str, object], changes: list[object]
) -> None:
    own = facts(*TWO, row=row, changes=changes)  # type: ignore[arg-type]
    assert sentences(failures.cut_off, own) == []


def test_traffic_that_a_timeout_ended_is_not_cut_off() -> None:
    gave_up = event(8.0, "TCPAbortOnTimeout", path=1)
    own = facts(*TWO, *OTHER, gave_up, row=CUT, changes=BOTH_DOWN)
    assert sentences(failures.cut_off, own) == []


def test_traffic_without_a_connection_is_not_cut_off() -> None:
    assert sentences(failures.cut_off, facts(row=CUT, changes=BOTH_DOWN)) == []


# Left open

LOST = [closed(3.0, "error=110", path=1), closed(4.0, "error=110", path=2)]


@pytest.mark.parametrize(("ended_s", "told"), [(8.9, False), (9.0, True)])
def test_a_connection_stays_open_for_five_seconds_after_its_last_subflow(
    ended_s: float, told: bool
) -> None:
    own = facts(*TWO, *LOST, event(ended_s, "closed"))
    assert sentences(failures.left_open, own) == (
        [
            "1 connection of the client lost the last subflow at 4.0 s, and stayed open"
            " until 9.0 s"
        ]
        if told
        else []
    )


def test_a_connection_that_is_never_closed_stays_open_to_the_end() -> None:
    own = facts(*TWO, *LOST, row={"ended": "hanging"})
    assert sentences(failures.left_open, own) == [
        "1 connection of the client lost the last subflow at 4.0 s, and stayed open to"
        " the end of the run; Linux wakes no program that waits in a blocking call then"
    ]


def test_a_connection_with_a_subflow_left_goes_on() -> None:
    assert sentences(failures.left_open, facts(*TWO, LOST[0])) == []
    alive = closed(4.0, path=2)  # without an error, and with its connection
    assert sentences(failures.left_open, facts(*TWO, LOST[0], alive)) == []


def test_a_subflow_that_is_closed_while_its_connection_goes_on_is_lost() -> None:
    alone = [closed(4.0, path=2), event(3.5, "sub_closed", path=2)]
    assert sentences(failures.left_open, facts(*TWO, LOST[0], *alone))
    # The last state decides: it had an error before and ended well.
    well = [closed(4.5, path=2)]
    assert not sentences(failures.left_open, facts(*TWO, *LOST, *well))
    last = [closed(2.0, path=2), closed(4.0, "error=110", path=2)]
    (said,) = sentences(failures.left_open, facts(*TWO, LOST[0], *last))
    assert "the last subflow at 4.0 s" in said


def test_a_connection_that_ends_at_once_or_is_no_mptcp_is_not_left_open() -> None:
    fast = event(4.0, "MPFastcloseRx")
    assert not sentences(failures.left_open, facts(*TWO, *LOST, fast))
    assert not sentences(failures.left_open, facts(*TWO, *LOST, protocol="tcp"))
    never = [each for each in TWO if each.name != "created"]
    assert not sentences(failures.left_open, facts(*never, *LOST))


# Reset

REASONS = [
    (0, "no reason was given"),
    (1, "the kernel could not handle the option"),
    (2, "lack of resources"),
    (3, "the path manager forbids it"),
    (4, "too much outstanding data"),
    (5, "unacceptable performance"),
    (6, "a middlebox changes what passes"),
    (7, "no reason was given"),
]


def lost(time_s: float, value: str, path: int = 2, port: int = 40000) -> Event:
    return event(time_s, "sub_closed", value, path=path, port=port)


@pytest.mark.parametrize(("number", "words"), REASONS)
def test_a_reset_has_the_reason_of_rfc_8684(number: int, words: str) -> None:
    own = facts(*TWO, lost(2.0, f"error=104 reason={number}"))
    assert sentences(failures.was_reset, own) == [
        f"path 2: the client lost its subflow at 2.0 s: {words}"
    ]


@pytest.mark.parametrize("error", [0, errno.EPIPE, errno.ETIMEDOUT])
def test_an_end_without_a_reset_is_not_told(error: int) -> None:
    own = facts(*TWO, lost(2.0, f"error={error} reason=6"))
    assert sentences(failures.was_reset, own) == []


def test_several_subflows_of_a_path_are_one_sentence() -> None:
    value = f"error={errno.ECONNRESET} reason=2"
    own = facts(*TWO, *OTHER, lost(2.0, value), lost(3.0, value, port=41000))
    (found,) = failures.was_reset(own)
    assert found.sentence == (
        "path 2: the client lost 2 subflows from 2.0 to 3.0 s: lack of resources"
    )
    assert found.evidence == f"sub_closed ({value}) on the client"
    more = lost(4.0, "error=103 reason=2", port=41000)
    (found,) = failures.was_reset(facts(*TWO, *OTHER, lost(2.0, value), more))
    assert found.evidence == f"sub_closed ({value}) on the client"


@pytest.mark.parametrize(
    ("link", "forgets", "said"),
    [
        ("path2", "reset", "the nat at path 2 did not know it any more"),
        ("path1", "reset", "no reason was given"),
        ("path2", "drop", "no reason was given"),
    ],
)
def test_a_box_on_the_path_that_forgets_connections_resets_them(
    link: str, forgets: str, said: str
) -> None:
    box = Box(link=link, kind=NAT, forgets=forgets)
    own = facts(*TWO, lost(2.0, "error=104"), middleboxes=(box,))
    assert sentences(failures.was_reset, own) == [
        f"path 2: the client lost its subflow at 2.0 s: {said}"
    ]


def test_the_first_of_several_ends_of_a_connection_counts() -> None:
    ends = (event(3.0, "closed"), event(9.0, "MPFastcloseTx"))
    assert not sentences(failures.was_reset, facts(*TWO, lost(2.0, "error=104"), *ends))


def test_a_reset_of_the_only_subflow_or_of_one_that_never_joined_is_not_told() -> None:
    value = "error=104"
    assert not sentences(
        failures.was_reset, facts(*opened(0.0), lost(2.0, value, path=1))
    )
    asked = event(0.0, "MPJoinSynTx", path=3)
    own = facts(*TWO, asked, lost(2.0, value, path=3))
    assert not sentences(failures.was_reset, own)
    assert sentences(failures.was_reset, facts(*TWO, asked, lost(2.0, value, path=1)))


@pytest.mark.parametrize("name", ["closed", "MPFastcloseTx"])
def test_a_reset_within_a_second_of_the_end_belongs_to_it(name: str) -> None:
    for end_s, told in ((3.0, False), (3.1, True), (1.0, False)):
        own = facts(*TWO, lost(2.0, "error=104"), event(end_s, name))
        assert bool(sentences(failures.was_reset, own)) is told


# One path that is dark for a time


def stood(
    *times_s: float, last_s: float = 20.0, acked: int = 1, **more: Any
) -> list[str]:
    """A connection of TCP whose path is dark from 5 to 8 s."""
    more.setdefault("changes", down("path1", 5.0, 8.0))
    own = facts(
        event(0.0, "tcp_connect"),
        *timeouts(*times_s, path=1),
        closed(last_s, f"acked={acked}", path=1),
        protocol="tcp",
        **more,
    )
    return sentences(failures.interrupted, own)


def test_a_connection_that_waited_for_its_only_path_tells_how_long() -> None:
    """The timeout before 5 s and that at 15 s are not of this time."""
    assert stood(4.0, 5.2, 5.6, 6.4, 8.0, 15.0) == [
        "path 1: the client sent again 3 times while path 1 carried nothing from 5 s to"
        " 8 s, and next at 8.0 s, 0.0 s later: TCP doubles the time between attempts"
    ]


@pytest.mark.parametrize(
    ("times_s", "more"),
    [
        ((5.2, 6.4), {}),
        ((8.5,), {}),
        ((5.2, 8.5), {"last_s": 8.5}),
        ((5.2, 8.5), {"acked": 0}),
        ((5.2, 8.5), {"changes": down("path1", 5.0)}),
        ((5.2, 8.5), {"changes": down("path2", 5.0, 8.0)}),
    ],
    ids=["none after", "none in it", "the end", "nothing sent", "never back", "other"],
)
def test_a_connection_that_did_not_wait_and_go_on_is_not_told(
    times_s: tuple[float, ...], more: dict[str, Any]
) -> None:
    assert stood(*times_s, **more) == []
    assert stood(5.2, 8.5)


def test_a_connection_with_another_path_is_not_told_to_wait() -> None:
    ends = (*timeouts(5.2, 8.5, path=1), closed(20.0, "acked=1", path=1))
    dark = down("path1", 5.0, 8.0)
    one = facts(*opened(0.0), *ends, changes=dark)
    assert sentences(failures.interrupted, one)
    two = facts(*opened(0.0, 40000, 2), *ends, changes=dark)
    assert sentences(failures.interrupted, two) == []
