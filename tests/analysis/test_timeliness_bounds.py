"""Whether a machine kept up, and when entries were active, at each bound from both
sides."""

from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import clock, queue_means, timeliness, tools
from analysis.run.clock import Window
from tests.analysis.test_validity import link

QUEUE_MS = 50 * 1514 * 8 / 10e3
"""In which the queue of `link()` drains: 60.56 ms. Its delay is 10 ms each way."""
FULL_MBPS = 10 * 1448 / 1514


def thing(**attributes: Any) -> Any:
    return SimpleNamespace(**attributes)


def entry(**more: Any) -> Any:
    transport = thing(protocol="tcp", congestion_control="cubic")
    known = {"transport": transport, "duration_s": 5.0, "forward": True}
    return thing(**{**known, **more})


def run_of(
    monkeypatch: pytest.MonkeyPatch,
    *entries: Any,
    of: Any = None,
    rtt_ms: float | None = None,
    mbps: float = FULL_MBPS,
    lost_s: float = 0.0,
) -> Any:
    """A native run over one link, with what its tool says of each entry."""
    said = {"BULK": True, "longest_rtt_ms": lambda *_: rtt_ms}
    monkeypatch.setattr(tools, "has", lambda _, name: said.get(name))
    tool = thing(flow=lambda *_: thing(goodput_mbps=mbps))
    monkeypatch.setattr(tools, "of", lambda *_: tool)
    found = entries or (entry(),)
    return thing(
        outcome=thing(lost=thing(lost_s=lost_s, traffic_s=4.0, longest_s=0.1)),
        job=thing(changes=(), links=(of or link(),)),
        traffic=found,
        reports=("said",) * len(found),
        paths_of=lambda _: {1: thing(links=("path1",))},
    )


def told(run: Any) -> int:
    return len(list(timeliness.machine_kept_up(run)))


@pytest.mark.parametrize("lost_s, count", [(0.2, 0), (0.201, 1)])
def test_timers_may_be_late_by_a_twentieth_of_the_traffic(
    monkeypatch: pytest.MonkeyPatch, lost_s: float, count: int
) -> None:
    assert told(run_of(monkeypatch, lost_s=lost_s)) == count


@pytest.mark.parametrize("more, count", [(-0.1, 0), (0.1, 1)])
@pytest.mark.parametrize(
    "ways, shape, most_ms",
    [
        ((True,), link(), 20 + QUEUE_MS),
        ((True, False), link(), 20 + 2 * QUEUE_MS),
        ((True,), link(down=link(capacity_mbps=100.0)), 20 + QUEUE_MS),
        ((True,), link(jitter_ms=3.0), 26 + QUEUE_MS),
    ],
)
def test_a_round_trip_is_at_most_half_more_than_delays_and_full_queues(
    monkeypatch: pytest.MonkeyPatch,
    ways: tuple[bool, ...],
    shape: Any,
    most_ms: float,
    more: float,
    count: int,
) -> None:
    rtt_ms = 1.5 * most_ms + 10 + more
    entries = [entry(forward=way) for way in ways]
    run = run_of(monkeypatch, *entries, of=shape, rtt_ms=rtt_ms)
    assert told(run) == count * len(ways)


@pytest.mark.parametrize("share, count", [(0.801, 0), (0.799, 1)])
def test_a_tcp_by_itself_uses_four_fifths_of_the_path(
    monkeypatch: pytest.MonkeyPatch, share: float, count: int
) -> None:
    assert told(run_of(monkeypatch, mbps=share * FULL_MBPS)) == count


@pytest.mark.parametrize(
    "more, of, count",
    [
        ({"duration_s": 5.0}, {}, 1),
        ({"duration_s": 4.99}, {}, 0),
        ({"duration_s": None}, {}, 0),
        ({}, {"delay_ms": QUEUE_MS - 0.01}, 1),  # half a round trip
        ({}, {"delay_ms": QUEUE_MS + 0.01}, 0),
        ({}, {"loss_percent": 0.1}, 0),
        ({}, {"down": link(loss_percent=0.1)}, 0),
        ({}, {"jitter_ms": 1.0}, 0),
        ({}, {"capacity_mbps": None}, 0),
        ({"transport": thing(protocol="tcp", congestion_control="vegas")}, {}, 0),
        ({"transport": thing(protocol="mptcp", congestion_control="cubic")}, {}, 0),
    ],
)
def test_only_long_transfers_of_controllers_that_fill_a_path_are_checked(
    monkeypatch: pytest.MonkeyPatch, more: Any, of: Any, count: int
) -> None:
    run = run_of(monkeypatch, entry(**more), of=link(**of), mbps=1.0)
    assert told(run) == count


def test_a_path_that_two_share_is_filled_by_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert told(run_of(monkeypatch, entry(), entry(), mbps=1.0)) == 0


@pytest.mark.parametrize(
    "windows, expected",
    [
        (((0, 10), (9.51, 20)), True),  # they share a twentieth of the shorter one
        (((0, 10), (9.49, 20)), False),
        (((0, 100), (99.51, 109.51)), True),
        (((0, 100), (99.49, 109.49)), False),
        (((0, 100), (10, 20), (95, 105)), False),
        (((0, 10), (0, 10), (11, 20)), True),
        (((11, 20), (0, 10)), True),
        (((0, 10),), False),
    ],
)
def test_entries_in_turn_share_a_twentieth_at_most(
    windows: tuple[tuple[float, float], ...], expected: bool
) -> None:
    assert clock.in_turn([Window(*each) for each in windows]) is expected


@pytest.mark.parametrize(
    "round_trip_s, after_s", [(0.1, 0.2), (0.3, 0.5), (None, 0.25)]
)
def test_two_round_trips_come_after_the_duration(
    monkeypatch: pytest.MonkeyPatch, round_trip_s: float | None, after_s: float
) -> None:
    monkeypatch.setattr(clock, "_round_trip_s", lambda *_: round_trip_s)
    run: Any = None
    assert clock._after_s(run, 0, 0.5) == pytest.approx(after_s)


def test_the_mean_queue_of_each_direction_and_of_a_class() -> None:
    """A class of two links, of which one direction is known of one link alone."""
    bytes_of = {"a": 1514.0, "b": 3 * 1514.0, "c": 5 * 1514.0}
    ends = (
        thing(link="l", forward="a", backward="b"),
        thing(link="l", forward="c", backward="gone"),
        thing(link="wire", forward="a", backward="a"),
    )
    shown = thing(mean_bytes=lambda place, start_s, end_s: bytes_of.get(place))
    links = (
        thing(name="l", forward=thing(rate_mbps=10.0)),
        thing(name="wire", forward=thing(rate_mbps=None)),
    )
    run = thing(links=links, outcome=thing(links=ends), queues=shown)
    found = queue_means.by_link(run, 0.0, 1.0)
    assert found == {"l.up": pytest.approx(3), "l.down": None}
    run.traffic, run.used_links = (thing(forward=False),), (thing(name="l"),)
    means = {"l.up": 3.0, "l.down": 7.0}
    assert queue_means.of_used(run, means) == 7
    run.traffic = (thing(forward=False), thing(forward=True))
    assert queue_means.of_used(run, means) == 5
    assert queue_means.of_used(run, {"l.up": None, "l.down": None}) is None
