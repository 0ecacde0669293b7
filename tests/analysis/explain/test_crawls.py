"""Reinjections that follow each other as timeouts of MPTCP do."""

from dataclasses import replace

import pytest

from analysis.run.explain import crawls
from tests.analysis.explain.made import IPERF3, event, facts, opened, sentences


def again(*times_s: float) -> tuple[float, ...]:
    """The times that are found in reinjections of a client at some times."""
    own = facts(
        *opened(0.0),
        *(event(time_s, "reinjected", "1") for time_s in times_s),
        event(2.5, "reinjected", "1", host="server"),
        event(0.5, "TCPTimeouts", "1"),
    )
    return crawls.again(own.connections[0], "client")


@pytest.mark.parametrize(
    ("times_s", "found"),
    [
        ((), ()),
        ((5,), ()),
        ((5, 7), ()),
        ((5, 7, 9), (5, 7, 9)),
        ((5, 6, 7), (5, 6, 7)),  # one second apart is enough
        ((5, 5.99, 7, 9), (5.99, 7, 9)),  # the first two are one burst
        ((5, 6.5, 6.9, 8, 9), (6.9, 8, 9)),
        ((1, 5, 7, 9), (1, 5, 7, 9)),  # later steps may be shorter
        ((5, 7, 13, 15), (5, 7, 13, 15)),  # three times the first step at most
        ((5, 7, 13.1, 15), ()),
        ((9, 5, 7, 7), (5, 7, 9)),
    ],
)
def test_timeouts_are_at_least_three_even_steps(
    times_s: tuple[float, ...], found: tuple[float, ...]
) -> None:
    assert again(*times_s) == found


EVENTS = (*opened(0.0), *(event(t, "reinjected", "1") for t in (5, 7, 10)))


def test_a_crawl_is_told_with_its_step() -> None:
    own = facts(*EVENTS, counters={"server": {crawls.DROPPED: 4}})
    (found,) = crawls.crawled(own)
    assert found.sentence == (
        "the server dropped 4 segments outside of the connection's window, which TCP"
        " had acknowledged: from 5.0 to 10.0 s the client sent such data again by one"
        " segment in about 2.5 s, and little else"
    )
    assert found.evidence == (
        "NoDSSInWindow is 4 on the server; 3 bursts of reinjections on the client"
    )


@pytest.mark.parametrize(
    "counters", [{}, {"server": {}}, {"client": {crawls.DROPPED: 4}}]
)
def test_a_receiver_that_dropped_nothing_has_no_crawl(
    counters: dict[str, dict[str, int]],
) -> None:
    assert sentences(crawls.crawled, facts(*EVENTS, counters=counters)) == []


def test_the_receiver_of_a_reverse_transfer_is_the_client() -> None:
    events = [event(t, "reinjected", "1", host="server") for t in (5, 7, 10)]
    own = facts(
        *opened(0.0),
        *events,
        traffic=[replace(IPERF3, reverse=True)],
        counters={"client": {crawls.DROPPED: 1}},
    )
    (said,) = sentences(crawls.crawled, own)
    assert said.startswith("the client dropped 1 segment outside")
    assert "the server sent such data" in said
