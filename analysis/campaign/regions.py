"""Separate regions of unknown settings that give an observed number.

A long queue may give the number and a short one too, while those between do not. Over
one range the runs stand in a row; over several, a Delaunay triangulation joins
neighbours. A cell is a stretch or simplex between neighbouring runs. The number is
somewhere in a cell of which one run lies above it and another below, or of which a run
fits. Cells belong together if they have a side in common through which the number
passes, or a run that fits.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import ceil, floor
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from analysis.campaign.diagnosis import Observation, Unknown

T = TypeVar("T")
BETWEEN = 2.0
"""A run between two regions misses by more than so many tolerances."""
LONG = 2.0
"""Cells at the edge may join runs far apart. One whose longest side is so many times
the usual one says nothing."""
MOST_REGIONS = 4


@dataclass(frozen=True)
class Region:
    """Settings between neighbouring runs.

    runs : around and in the region
    fits : those of them that fit; none if no run does so far
    nearest : the least deviation of its runs, in tolerances
    """

    runs: "pd.Index[Any]"
    fits: "pd.Index[Any]"
    nearest: float


def regions(
    rows: pd.DataFrame,
    unknowns: Sequence[Unknown],
    seen: Sequence[Observation],
    off: "pd.Series[float]",
) -> list[Region]:
    """The separate regions in which the observed number is, the nearest first.

    rows : runs with the columns of unknowns and metrics, each with its own label
    off : the deviation of each run, in tolerances

    Regions of other values of a list are one if they overlap in every range.
    """
    ranges = [one for one in unknowns if one.is_range]
    if not ranges or rows.empty:
        return [_region(rows.index, off)] if len(rows) else []
    lists = [one.column for one in unknowns if not one.is_range]
    groups = [rows]
    if lists:
        groups = [group for _, group in rows.groupby(lists, sort=False)]
    of_group = [
        (number, set(part))
        for number, own in enumerate(groups)
        for part in _parts(own, ranges, seen, off)
    ]
    parts = [part for _, part in of_group]
    spans = {
        one.column: pd.to_numeric(rows[one.column]).astype(float) for one in ranges
    }

    def overlap(one: set[Any], two: set[Any]) -> bool:
        return all(
            values[list(one)].min() <= values[list(two)].max()
            and values[list(two)].min() <= values[list(one)].max()
            for values in spans.values()
        )

    pairs = (
        (one, two)
        for one, two in combinations(range(len(parts)), 2)
        if of_group[one][0] != of_group[two][0] and overlap(parts[one], parts[two])
    )
    joined = _joined(parts, pairs)
    whole = [_region(rows.index[rows.index.isin(one)], off) for one in joined]
    return sorted(whole, key=lambda each: each.nearest)


def box(
    rows: pd.DataFrame,
    unknowns: Sequence[Unknown],
    region: Region,
    off: "pd.Series[float]",
) -> list[Unknown]:
    """The unknowns with the values of a region's closest runs.

    A range ends one step of the design beside them, and no farther than the region.
    """
    own = rows.loc[region.runs]
    close = own[off[region.runs] <= max(BETWEEN, 3 * region.nearest)]
    ranges = sum(one.is_range for one in unknowns)
    found = []
    for one in unknowns:
        if one.is_range:
            every = pd.to_numeric(own[one.column])
            values = pd.to_numeric(close[one.column])
            step = (one.high - one.low) / max(2.0, len(rows) ** (1 / ranges))
            low = max(float(every.min()), float(values.min()) - step)
            high = min(float(every.max()), float(values.max()) + step)
            if one.whole:
                low, high = floor(low), ceil(high)
            found.append(replace(one, low=max(one.low, low), high=min(one.high, high)))
        else:
            there = set(close[one.column].astype(str))
            kept = tuple(value for value in one.values if value in there)
            found.append(replace(one, values=kept))
    return found


def _region(runs: "pd.Index[Any]", off: "pd.Series[float]") -> Region:
    own = off[runs]
    return Region(runs, own.index[own <= 1], float(own.min()))


def _parts(
    rows: pd.DataFrame,
    ranges: Sequence[Unknown],
    seen: Sequence[Observation],
    off: "pd.Series[float]",
) -> Iterator[list[Any]]:
    """The labels of the runs around each region, of runs with the same lists."""
    places = np.column_stack(
        [
            (pd.to_numeric(rows[one.column]) - one.low) / max(one.high - one.low, 1e-12)
            for one in ranges
        ]
    ).astype(float)
    near = (off[rows.index] <= BETWEEN).to_numpy()
    above = [(pd.to_numeric(rows[one.column]) >= one.value).to_numpy() for one in seen]
    cells = []
    for cell in _cells(places):
        if near[cell].any() or all(_crosses(one, cell) for one in above):
            cells.append(cell)

    corners: dict[int, list[int]] = {}
    for number, cell in enumerate(cells):
        for corner in cell:
            corners.setdefault(corner, []).append(number)
    pairs = (
        (one, two)
        for corner, of_corner in corners.items()
        for one, two in _pairs(of_corner, near[corner])
        if near[corner] or _pass(set(cells[one]) & set(cells[two]), above)
    )
    for part in _joined([set(cell) for cell in cells], pairs):
        yield [rows.index[number] for number in sorted(part)]


def _pairs(numbers: Sequence[int], every: bool) -> Iterable[tuple[int, int]]:
    """Pairs of cells at a corner; neighbours in the list will do if all are one."""
    return pairwise(numbers) if every else combinations(numbers, 2)


def _pass(side: set[int], above: Sequence["np.ndarray[Any, Any]"]) -> bool:
    """Whether the number passes through a side that two cells have in common."""
    return len(side) > 1 and all(_crosses(one, sorted(side)) for one in above)


def _joined(parts: Sequence[set[T]], pairs: Iterable[tuple[int, int]]) -> list[set[T]]:
    """The unions of parts that belong together, directly or by others.

    pairs : numbers of parts that do so directly
    """
    leader = list(range(len(parts)))

    def first(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for one, two in pairs:
        leader[first(one)] = first(two)
    found: dict[int, set[T]] = {}
    for number, part in enumerate(parts):
        found.setdefault(first(number), set()).update(part)
    return list(found.values())


def _cells(places: "np.ndarray[Any, Any]") -> list[list[int]]:
    """The numbers of the runs of each cell; one cell of all if they are too few."""
    count, dimensions = places.shape
    if dimensions == 1:
        order = np.argsort(places[:, 0], kind="stable")
        pairs = [list(map(int, pair)) for pair in pairwise(order)]
        return pairs or [[0]]
    if count < dimensions + 2:
        return [list(range(count))]
    from scipy.spatial import Delaunay, QhullError

    try:
        cells = Delaunay(places).simplices
    except QhullError:  # all runs lie on a line
        return [list(range(count))]
    sides = [
        np.linalg.norm(places[cells[:, one]] - places[cells[:, two]], axis=1)
        for one, two in combinations(range(dimensions + 1), 2)
    ]
    longest = np.max(sides, axis=0)
    kept = cells[longest <= LONG * np.median(longest)]
    return [sorted(map(int, cell)) for cell in kept]


def _crosses(above: "np.ndarray[Any, Any]", cell: Sequence[int]) -> bool:
    return bool(above[list(cell)].any() and not above[list(cell)].all())
