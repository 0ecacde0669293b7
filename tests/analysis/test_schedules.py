"""Links over time: steps, their integrals, and the record of what was changed."""

from dataclasses import replace

import pytest

from analysis.run import changed_links, schedules
from analysis.run.readers.changes import HEAD, Change, parse
from jobs import Job, Link
from jobs.changes import Series
from tests import made_jobs


def series(
    link: str,
    direction: str,
    quantity: str,
    at_s: tuple[float, ...],
    values: tuple[float, ...],
    period_s: float | None,
) -> Series:
    return Series(
        link=link,
        direction=direction,
        quantity=quantity,
        at_s=at_s,
        values=values,
        period_s=period_s,
    )


LOOP = series("wifi", "both", "capacity_mbps", (0, 1, 2, 3), (20, 2, 0, 10), 4.0)
DOWN = series("wifi", "both", "up", (5.0, 6.0), (0, 1), None)
WIFI = Link(name="wifi", capacity_mbps=14.0, delay_ms=10.0, queue_packets=50)


def job(*changes: Series) -> Job:
    """A job with changes of one link."""
    entry = {"tool": "iperf3", "duration_s": 1.0}
    whole = made_jobs.whole({"transport": {"protocol": "tcp"}, "traffic": [entry]})
    return replace(whole, links=(WIFI,), changes=changes)


def made(series: Series, until_s: float, late_s: float = 0.0) -> list[Change]:
    return [
        Change(t + late_s, t, series.link, series.direction, series.quantity, value)
        for t, value in series.steps(until_s)
    ]


def test_a_loop_has_the_integral_that_paper_gives() -> None:
    steps = schedules.capacity([LOOP], "wifi", True, 14.0, 100.0)
    assert schedules.mean(steps, 0, 100) == pytest.approx(8)
    assert schedules.integral(steps, 0.5, 5.5) == pytest.approx(
        10 + 2 + 0 + 10 + 20 + 1
    )
    assert schedules.at(steps, 3.999) == 10 and schedules.at(steps, 4) == 20
    assert schedules.zero_spans(steps, 7) == [(2, 3), (6, 7)]


def test_a_link_has_its_own_capacity_until_the_first_change() -> None:
    late = replace(LOOP, at_s=(2.0,), values=(0.0,), period_s=None)
    steps = schedules.capacity([late], "wifi", True, 14.0, 10.0)
    assert steps == [(0.0, 14.0), (2.0, 0.0)]
    assert schedules.mean(steps, 0, 10) == pytest.approx(2.8)
    assert schedules.capacity([late], "lte", True, 5.0, 10.0) == [(0.0, 5.0)]


def test_an_interface_that_is_down_leaves_no_capacity() -> None:
    steps = changed_links.capacity(job(LOOP, DOWN), WIFI, True, 8.0)
    assert steps == [(0, 20), (1, 2), (2, 0), (3, 10), (4, 20), (5, 0), (7, 10)]


def test_directions_are_apart() -> None:
    up = replace(LOOP, direction="up", at_s=(0.0,), values=(1.0,), period_s=None)
    assert schedules.capacity([up], "wifi", True, 14.0, 9) == [(0.0, 1.0)]
    assert schedules.capacity([up], "wifi", False, 14.0, 9) == [(0.0, 14.0)]


def test_periods_do_not_drift() -> None:
    third = series("wifi", "both", "delay_ms", (0.0,), (1.0,), 0.1)
    times = [time for time, _ in third.steps(1000.0)]
    assert len(times) == 10_000 and times[-1] == 999.9


def test_the_record_of_a_run_is_checked() -> None:
    own = job(LOOP)
    done = made(LOOP, 9.9)

    def reasons(changes: list[Change]) -> list[str]:
        return list(changed_links.differences(own, changes, 10.0))

    assert reasons(done) == []
    assert reasons(done[:-1]) == [
        "wifi: the change of capacity_mbps to 2 at 9 s was not made"
    ]
    assert reasons([*done[:3], replace(done[3], value=11.0), *done[4:]]) == [
        "wifi: the change of capacity_mbps to 11 at 3 s was not asked for"
    ]
    (late,) = reasons(made(LOOP, 9.9, 0.02))
    assert late == "wifi: the change of capacity_mbps to 20 came 20 ms late, at 0 s"
    (later,) = reasons(made(LOOP, 9.9, 1.5))
    assert "came 1500 ms late" in later
    (early,) = reasons(made(LOOP, 9.9, -0.5))
    assert "late" in early
    assert len(reasons([])) == 1


def test_a_link_ends_with_what_it_was_changed_to() -> None:
    changes = [
        Change(1, 1, "wifi", "up", "capacity_mbps", 0.0),
        Change(2, 2, "wifi", "both", "delay_ms", 30.0),
    ]
    (link,) = changed_links.at_end((WIFI,), changes)
    assert (link.capacity_mbps, link.delay_ms) == (0.0, 30.0)
    assert link.direction(False).capacity_mbps == 14.0
    assert link.direction(False).delay_ms == 30.0
    assert changed_links.at_end((WIFI,), []) == (WIFI,)


@pytest.mark.parametrize(
    "text",
    ["", "time_s\n", f"{HEAD}\n1,1,wifi,both,up", f"{HEAD}\n1,1,wifi,both,up,nan\n",
     f"{HEAD}\n1,x,wifi,both,up,1\n", f"{HEAD}\n1,1,both,up,1\n"],
)  # fmt: skip
def test_damaged_records(text: str) -> None:
    with pytest.raises(ValueError, match=r"^changes.csv: "):
        parse(text, "changes.csv")


def test_a_record_is_read() -> None:
    (change,) = parse(f"{HEAD}\n1.000000256,1.000000000,wifi,both,up,0.0\n", "c")
    assert change == Change(1.000000256, 1.0, "wifi", "both", "up", 0.0)


def test_an_outage_that_begins_at_the_end_is_none() -> None:
    steps = [(0.0, 10.0), (5.0, 0.0)]
    assert schedules.zero_spans(steps, 5.0) == []
    assert schedules.zero_spans(steps, 5.5) == [(5.0, 5.5)]
    assert schedules.zero_spans([(0.0, 0.0), (2.0, 1.0)], 9.0) == [(0.0, 2.0)]
