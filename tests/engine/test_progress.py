"""Counts, speed and time to go, on a clock that the test turns; and the displays."""

import io

import pytest
from rich.console import Console

from mpbench.engine import display, live_display
from mpbench.engine.durations import span
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished, Progress


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


TASKS = [Task(f"id{index}", f"point {index} mptcp", 30.0) for index in range(4)]


@pytest.fixture
def progress(clock: Clock) -> Progress:
    return Progress(4, 120.0, clock)


def test_nothing_is_known_at_first(progress: Progress) -> None:
    assert progress.eta_s is None
    assert progress.fraction == 0.0
    assert progress.rate == 0.0


def test_finished_and_flying_runs_count(progress: Progress, clock: Clock) -> None:
    progress.started(TASKS[0], 0, "cpu 0")
    progress.started(TASKS[1], 1, "cpu 1")
    clock.now_s += 2
    progress.advanced(TASKS[1], 15.0)
    progress.ended(TASKS[0], "ok", 30.0)
    assert progress.done == 1
    assert progress.rate == pytest.approx(45 / 2)
    assert progress.fraction == pytest.approx(45 / 120)
    assert progress.eta_s == pytest.approx(2 * 75 / 45)
    clock.now_s += 1
    assert progress.wall_s(progress.flights["id1"]) == 3


def test_a_run_over_its_time_counts_no_more_than_expected(
    progress: Progress, clock: Clock
) -> None:
    progress.started(TASKS[0], 0, "cpu 0")
    progress.advanced(TASKS[0], 500.0)
    assert progress.fraction == pytest.approx(30 / 120)


def test_a_failed_run_is_done_though_little_time_passed(
    progress: Progress, clock: Clock
) -> None:
    for task in TASKS:
        progress.started(task, 0, "cpu 0")
        clock.now_s += 1
        progress.ended(task, "failed", 0.0)
    assert progress.fraction == 1.0
    assert progress.eta_s == 0.0


def test_a_cancelled_run_is_not_done(progress: Progress) -> None:
    progress.started(TASKS[0], 0, "cpu 0")
    progress.cancelled(TASKS[0])
    assert progress.done == 0
    assert progress.flights == {}


@pytest.mark.parametrize(
    "seconds, text",
    [
        (None, "?"),
        (0.2, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7620, "2 h 07 min"),
    ],
)
def test_spans_are_told_as_people_tell_them(seconds: float, text: str) -> None:
    assert span(seconds) == text


def ended(verdict: str, reason: str = "", tail: tuple[str, ...] = ()) -> Finished:
    return Finished(TASKS[0], verdict, reason, 30.0, 1.5, tail)


def test_plain_lines_name_every_run(progress: Progress, clock: Clock) -> None:
    stream = io.StringIO()
    lines = live_display.make(Console(file=stream))
    assert isinstance(lines, display.LineDisplay)
    progress.started(TASKS[0], 0, "cpu 0")
    clock.now_s += 1.5
    progress.ended(TASKS[0], "ok", 30.0)
    lines.refresh(progress)
    lines.finished(ended("ok"), progress)
    lines.finished(ended("failed", "[bold]x", ("a", "b")), progress)
    lines.close()
    first, second, *rest = stream.getvalue().splitlines()
    assert first == (
        "[1/4] id0 point 0 mptcp: ok, 30.0 virtual s in 1.5 s (20x), ETA 4 s"
    )
    assert "failed" in second
    assert rest == ["    [bold]x", "    | a", "    | b"]


def test_a_terminal_sees_a_panel_and_scrolls_trouble(progress: Progress) -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, _environ={})
    live = live_display.make(console)
    assert isinstance(live, live_display.LiveDisplay)
    progress.started(TASKS[0], 3, "cpu 3")
    progress.advanced(TASKS[0], 15.0)
    live.refresh(progress)
    live.finished(ended("ok"), progress)
    live.finished(ended("timeout", "no sign of life"), progress)
    live.close()
    live.close()
    said = stream.getvalue()
    assert "/4 runs" in said
    assert "virtual s/s" in said
    assert "cpu 3" in said
    assert "15.0 of 30 s" in said
    assert "no sign of life" in said


def test_the_panel_has_a_line_for_each_thing(progress: Progress, clock: Clock) -> None:
    progress.started(TASKS[0], 3, "cpu 3")
    progress.started(TASKS[1], 5, "cpu 5")
    clock.now_s += 2
    progress.advanced(TASKS[0], 15.0)
    progress.advanced(TASKS[1], 5.0)
    stream = io.StringIO()
    Console(file=stream, width=100).print(live_display.panel(progress))
    bar, head, one, two = stream.getvalue().splitlines()
    assert set(bar.strip()) <= set("━╸╺")
    assert head == "0/4 runs    10.0 virtual s/s  ETA 10 s"
    assert one.split() == [
        "cpu",
        "3",
        "point",
        "0",
        "mptcp",
        *(one.split()[5], "15.0", "of", "30", "s", "in", "2.0", "s"),
    ]
    assert two.startswith("cpu 5")


def test_a_dumb_terminal_gets_lines() -> None:
    console = Console(
        file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"}
    )
    assert isinstance(live_display.make(console), display.LineDisplay)
