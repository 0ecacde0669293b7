"""Separate regions of settings that give an observed number, on made-up numbers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import regions
from analysis.campaign.diagnosis import Observation, Unknown, distances
from analysis.campaign.regions import Region

QUEUE = Unknown("queue", "queue", "packets", (), 0, 100, True)
DELAY = Unknown("delay", "delay", "ms", (), 0, 100)
CONTROL = Unknown("control", "control", "", ("cubic", "bbr"))
SEEN = [Observation("goodput", "goodput", 5.0, 0.05)]


def found(
    unknown: list[Unknown], **columns: Any
) -> tuple[pd.DataFrame, "pd.Series[float]", list[Region]]:
    rows = pd.DataFrame(columns)
    off = distances(rows, SEEN)
    return rows, off, regions.regions(rows, unknown, SEEN, off)


def spans(unknown: list[Unknown], **columns: Any) -> list[tuple[float, float]]:
    """The range of the first unknown in each region, from the least on."""
    rows, off, of = found(unknown, **columns)
    made = [regions.box(rows, unknown, one, off)[0] for one in of]
    return sorted((one.low, one.high) for one in made)


LINE = np.linspace(0, 100, 11)


def grid(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of a grid, each moved a little, so that no four lie on a circle."""
    one, two = np.meshgrid(np.linspace(0, 100, count), np.linspace(0, 100, count))
    moved = np.random.default_rng(3).uniform(-4, 4, (2, count * count))
    return np.clip(one.ravel() + moved[0], 0, 100), np.clip(
        two.ravel() + moved[1], 0, 100
    )


def test_a_number_between_two_runs_is_a_region_before_any_run_fits() -> None:
    """The goodput rises to 10 at 50 and falls again: it is 5 at 25 and at 75."""
    hill = 10 - np.abs(LINE - 50) / 5
    assert spans([QUEUE], queue=LINE, goodput=hill) == [(20, 30), (70, 80)]
    _, _, of = found([QUEUE], queue=LINE, goodput=hill)
    assert [list(one.fits) for one in of] == [[], []]


def test_a_number_that_is_met_once_is_one_region() -> None:
    assert spans([QUEUE], queue=LINE, goodput=LINE / 10) == [(40, 60)]
    assert spans([QUEUE], queue=LINE, goodput=LINE / 100) == []


@pytest.mark.parametrize(("between", "count"), [(5.49, 1), (5.51, 2), (4.49, 2)])
def test_a_run_between_that_hardly_misses_does_not_part(
    between: float, count: int
) -> None:
    """Twice the tolerance of 5 % are 4.5 to 5.5."""
    goodput = [0.0, 5.0, between, 5.0, 0.0]
    assert len(spans([QUEUE], queue=[0, 25, 50, 75, 100], goodput=goodput)) == count


@pytest.mark.parametrize("count", [5, 7, 9])
def test_a_ring_is_one_region_and_two_lines_are_two(count: int) -> None:
    queue, delay = grid(count)
    both = [QUEUE, DELAY]
    ring = 10 - np.hypot(queue - 50, delay - 50) / 5
    assert len(spans(both, queue=queue, delay=delay, goodput=ring)) == 1
    lines = np.abs(queue + delay - 100) / 10
    assert len(spans(both, queue=queue, delay=delay, goodput=lines)) == 2


def test_values_of_a_list_are_one_region_where_their_ranges_overlap() -> None:
    def of(shift: float) -> list[list[tuple[str, ...]]]:
        rows, off, of = found(
            [QUEUE, CONTROL],
            queue=np.r_[LINE, LINE],
            control=["cubic"] * 11 + ["bbr"] * 11,
            goodput=np.r_[LINE / 10, LINE / 10 + shift],
        )
        return [[regions.box(rows, [QUEUE, CONTROL], r, off)[1].values] for r in of]

    assert of(0.5) == [[("cubic", "bbr")]]
    assert sorted(of(-4.0)) == [[("bbr",)], [("cubic",)]]


def test_lists_alone_and_few_runs_are_one_region() -> None:
    _, _, of = found([CONTROL], control=["cubic", "bbr"], goodput=[5.0, 9.0])
    assert [list(one.fits) for one in of] == [[0]]
    _, _, of = found([QUEUE, DELAY], queue=[1, 2], delay=[1, 2], goodput=[5.0, 9.0])
    assert len(of) == 1
    straight = {"queue": LINE, "delay": LINE, "goodput": LINE / 10}
    assert len(found([QUEUE, DELAY], **straight)[2]) == 1
    _, _, of = found([QUEUE], queue=[], goodput=[])
    assert of == []
