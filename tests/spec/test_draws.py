"""Draws of runs: which experiments follow from their seed at all."""

import pytest

from mpbench.experiment_files import loads
from mpbench.plan import draws, make_plan
from mpbench.plan.points import Point
from tests.spec.files import FLOW, TEXT

STILL = TEXT.replace(
    "design:", "parameters: {path1.jitter: 0, path2.jitter: 0}\ndesign:"
)
LINKS = "links: {path1: {%s}}\ndesign:"


def lines(text: str, repetitions: int = 3) -> list[str]:
    made = loads(f"{text}repetitions: {repetitions}\n")
    return draws.lines(make_plan(made, {}), repetitions)


def test_an_experiment_without_noise_is_told() -> None:
    (line,) = lines(STILL)
    assert line.startswith("Nothing in these runs draws from the seed: repetitions")
    assert f"One repetition is enough. {draws.PERTURB}" in line
    assert lines(STILL, 1) == [line.replace(" One repetition is enough.", "")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("path1.jitter: 0", "path1.jitter: 1 ms"),
        ("path1.jitter: 0", "path1.jitter: 0, path2.loss: 0.1 %"),
        ("design:", LINKS % "discipline: red"),
        ("design:", LINKS % "duplication: 1 %"),
        ("congestion_control: lia", "congestion_control: mpcc"),
        ("congestion_control: reno", "congestion_control: bbr"),
        ("duration: 30 s", "duration: 30 s, start: {min: 0 s, max: 1 s}"),
        (
            "design:",
            "changes: {path1: {every: 1 s, delay: {min: 1 ms, max: 9 ms}}}\ndesign:",
        ),
        (
            "design:",
            "changes: {path1: {at: {0 s: {loss: 0 %}, 5 s: {loss: 1 %}}}}\ndesign:",
        ),
        (
            FLOW,
            FLOW + "  - {tool: cbr, from: client, to: server, rate: 1 Mbit/s,"
            " duration: 1 s}\n",
        ),
    ],
)
def test_whatever_draws_silences_the_line(before: str, after: str) -> None:
    assert before in STILL
    assert not lines(STILL.replace(before, after, 1))


@pytest.mark.parametrize("count", [1, 3])
def test_a_perturbation_is_a_draw(count: int) -> None:
    asked = f"repetitions: {{count: {count}, perturb: {{delay: 0.5 %}}}}\n"
    perturbed = loads(STILL + asked)
    assert not draws.lines(make_plan(perturbed, {}), count)
    assert draws.anywhere(perturbed, [{"path1.capacity": 10.0, "path2.delay": 5.0}])


def test_points_without_noise_are_counted() -> None:
    varied = STILL.replace("  factors:\n", "  factors:\n    path1.loss: [0 %, 1 %]\n")
    (line,) = lines(varied)
    assert line.startswith("At 4 of 8 points nothing draws from the seed")
    assert not lines(varied, 1)
    assert len(lines(varied, 2)) == 1


def test_a_change_that_draws_nothing_is_told() -> None:
    still = STILL.replace(
        "design:", "changes: {path1: {at: {5 s: {loss: 0 %}}}}\ndesign:"
    )
    assert len(lines(still)) == 1


def test_a_start_that_is_drawn_is_a_draw() -> None:
    """It differs between repetitions, though nothing of the job draws by itself."""
    point: Point = {"path1.capacity": 10.0, "path2.delay": 5.0}
    assert not draws.anywhere(loads(STILL), [point])
    drawn = STILL.replace(
        "duration: 30 s", "duration: 30 s, start: {min: 0 s, max: 1 s}"
    )
    assert draws.anywhere(loads(drawn), [point])
