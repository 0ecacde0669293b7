"""Sentences about paths that carried less than they can, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import limits
from analysis.run.readers.outcome import UserPath
from jobs import FRAME_BYTES
from tests.analysis.explain.made import (
    IPERF3,
    LINKS,
    down,
    event,
    facts,
    opened,
    sentences,
)
from topologies.impairments import BurstLoss, Impairments

HALF = 6_250_000
"""Bytes that take half of the 10 Mbit/s of path 1 for 10 s."""
FULL = {"path1.queue_drops": 5, "path1.queue_packets": 10}


def ended(
    acked: int, busy_ms: float, time_s: float = 10.0, *, path: int = 1, **more: Any
) -> Event:
    return event(
        time_s, "tcp_closed", f"acked={acked} busy_ms={busy_ms:.0f}", path=path, **more
    )


# Without data


def starved(*events: Event, **more: Any) -> list[str]:
    return sentences(limits.starved, facts(*opened(0.0), *events, **more))


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (ended(20_000, 5000), True),
        (ended(20_000, 5001), False),
        (ended(19_999, 5000), False),
        (ended(20_000, 2500, 5.0), True),
        (ended(20_000, 2400, 4.99), False),
    ],
)
def test_a_subflow_without_data_for_half_of_its_time_is_told(
    last: Event, told: bool
) -> None:
    assert bool(starved(last)) is told


def test_a_subflow_without_data_is_told_with_its_numbers() -> None:
    (found,) = limits.starved(facts(*opened(1.0), ended(20_000, 2500)))
    assert found.sentence.startswith(
        "path 1: the client's subflow had no data to send for 72% of its time although"
    )
    assert found.evidence == (
        "tcp_closed at 10.0 s: busy 2500 of 9000 ms on the client"
    )


def test_a_transfer_that_another_rule_explains_is_not_without_data() -> None:
    last = ended(20_000, 1000)
    assert starved(last)
    assert not starved(last, protocol="tcp")
    again = [event(t, "reinjected", "1") for t in (3, 5, 7)]
    assert not starved(last, *again)
    for name in ("SubflowStale", "TCPAbortOnTimeout", "DssFallback"):
        assert not starved(last, event(3.0, name, "1"))
    parallel = replace(IPERF3, parallel=2)
    assert not starved(last, traffic=[parallel])
    beside = replace(IPERF3, port=5202)
    assert not starved(last, traffic=[IPERF3, beside])
    elsewhere = replace(IPERF3, source="other", port=5202)
    assert starved(last, traffic=[IPERF3, elsewhere])


def test_the_time_of_an_end_begins_with_its_first_event() -> None:
    """The server begins at 2 s: it has 8 s, of which it was busy for 5."""
    reverse = [replace(IPERF3, reverse=True)]
    begun = [each for each in opened(0.0) if each.host == "client"]
    begun.append(event(2.0, "created", host="server"))
    last = ended(20_000, 4000, host="server")
    assert sentences(limits.starved, facts(*begun, last, traffic=reverse))
    last = ended(20_000, 4001, host="server")
    assert not sentences(limits.starved, facts(*begun, last, traffic=reverse))


# Slow


def slow(*events: Event, row: Any = FULL, **more: Any) -> list[str]:
    return sentences(limits.slow, facts(*opened(0.0), *events, row=row, **more))


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (ended(HALF - 1, 8000), True),
        (ended(HALF, 8000), False),
        (ended(HALF - 1, 7999), False),
        (ended(HALF // 2 - 1, 4000, 5.0), True),
        (ended(HALF // 2 - 1, 4000, 4.99), False),
    ],
)
def test_a_busy_path_that_used_less_than_half_is_slow(last: Event, told: bool) -> None:
    said = slow(last)
    assert said == (
        [
            "path 1 carried 50% of its capacity: its queue holds 10 packets and was"
            " full 5 times"
        ]
        if told
        else []
    )


@pytest.mark.parametrize(("end_s", "told"), [(19.9, False), (20.0, True)])
def test_a_slow_path_lasted_for_forty_round_trips(end_s: float, told: bool) -> None:
    far = [replace(LINKS[0], delay_ms=250.0), LINKS[1]]
    assert bool(slow(ended(20_000, 19_000, end_s), links=far)) is told


def test_subflows_over_one_path_count_together() -> None:
    """A further one that never had an answer leaves no state at its sender."""
    last = ended(HALF // 2, 9000)
    ends = ("10.0.1.2:50000", "10.9.0.2:5201")
    other = Event(0.0, "client", 0, 40000, "", *ends, "MPJoinSynTx", "")
    one, two = (
        replace(other, time_s=10.0, name="tcp_closed", value=f"acked={acked} busy_ms=1")
        for acked in (HALF // 2, HALF // 2 - 1)
    )
    assert slow(last)
    assert not slow(last, other, one)
    assert slow(last, other, two)
    back = [replace(IPERF3, reverse=True)]
    down_row = {"path1.queue_drops": 5, "path1.queue_packets": 10}
    last = ended(HALF // 2, 9000, host="server")
    near = {"links": [replace(LINKS[0], delay_ms=1.0), LINKS[1]]}
    assert slow(last, traffic=back, row=down_row, **near)
    assert not slow(last, other, traffic=back, row=down_row, **near)
    assert slow(last, traffic=back, row=down_row)
    assert not slow(last, other, traffic=back, row=down_row)


def test_a_path_without_a_capacity_or_with_changes_is_not_slow() -> None:
    last = ended(20_000, 9000)
    free = [replace(LINKS[0], capacity_mbps=None), LINKS[1]]
    assert not slow(last, links=free)
    assert not slow(last, changes=down("path1", 30.0))
    assert slow(last, changes=down("path2", 30.0))
    assert not slow(last, row={})


@pytest.mark.parametrize(("busy_s", "told"), [(4.9, True), (5.0, False)])
def test_a_bottleneck_that_was_busy_for_half_of_the_time_is_taken(
    busy_s: float, told: bool
) -> None:
    row = {**FULL, "measured_s": 10.0, "path1.up.busy_s": busy_s}
    assert bool(slow(ended(20_000, 9000), row=row)) is told
    down_row = {**FULL, "measured_s": 10.0, "path1.down.busy_s": 9.0}
    assert slow(ended(20_000, 9000), row=down_row)


def test_of_several_bottlenecks_the_busiest_counts() -> None:
    links = [LINKS[0], replace(LINKS[0], name="far"), replace(LINKS[1], name="wide")]
    way = UserPath(("path1", "far", "wide"), "client-eth1", "10.0.1.2")
    own = {"links": links, "users": {"client": (way,)}}
    row = {**FULL, "measured_s": 10.0, "path1.up.busy_s": 1.0}
    assert slow(ended(20_000, 9000), row={**row, "far.up.busy_s": 4.9}, **own)
    assert not slow(ended(20_000, 9000), row={**row, "far.up.busy_s": 5.0}, **own)
    assert slow(ended(20_000, 9000), row={**row, "wide.up.busy_s": 9.0}, **own)


# The link that lost most

FRAMES = {"path1.bytes": 1000 * FRAME_BYTES, "path1.queue_packets": 10}


@pytest.mark.parametrize(
    ("drops", "said"),
    [
        (10.05, "its queue holds 10 packets and was full 10 times"),
        (9.95, "1 % of its packets are lost at random"),
        (0, "1 % of its packets are lost at random"),
    ],
)
def test_the_cause_that_took_most_packets_is_told(drops: float, said: str) -> None:
    """1 % of 1,000 frames are 10."""
    links = [replace(LINKS[0], loss_percent=1.0), LINKS[1]]
    row = {**FRAMES, "path1.queue_drops": drops}
    (told,) = slow(ended(20_000, 9000), links=links, row=row)
    assert told == f"path 1 carried 0% of its capacity: {said}"


def test_losses_in_bursts_have_their_mean_share() -> None:
    burst = BurstLoss(
        enter_percent=1.0, leave_percent=9.0, bad_percent=100.0, good_percent=0.0
    )
    links = [replace(LINKS[0], impairments=Impairments(burst_loss=burst)), LINKS[1]]
    (told,) = slow(ended(20_000, 9000), links=links, row=FRAMES)
    assert told.endswith("10 % of its packets are lost in bursts")


def test_half_a_lost_packet_is_a_cause_and_none_is_not() -> None:
    links = [replace(LINKS[0], loss_percent=1.0), LINKS[1]]
    row = {"path1.bytes": 50 * FRAME_BYTES}
    assert slow(ended(20_000, 9000), links=links, row=row)
    assert not slow(ended(20_000, 9000), links=links, row={"path1.bytes": 0})
    # Drops of a queue without a known length say nothing.
    assert not slow(ended(20_000, 9000), row={"path1.queue_drops": 5})
    assert not slow(ended(20_000, 9000), row={"path1.queue_packets": 5})
