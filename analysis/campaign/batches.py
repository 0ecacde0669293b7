"""Batches of results by a criterion, and their summary.

[thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and Models",
UCLouvain, 2017, sec. 3.2.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

COUNT = 5
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""The width of a batch is one of these numbers times a power of ten."""


def edges(
    values: ArrayLike, count: int = COUNT, signed: bool = False
) -> tuple[float, ...]:
    """Edges x_0 < x_1 < ... < x_n of `count` batches of equal width.

    values : at least one value of the criterion, in any unit; >= 0 unless `signed`
    count : number of batches, at least 1
    signed : True if the batches lie symmetrically about 0, False if they begin at 0

    The width is the smallest of STEPS times a power of ten with which the batches
    cover the largest value. The capacity differences of [thesis] get 0, 20, ..., 100
    and its delay differences get 0, 5, ..., 25.

    Raises ValueError if there is no value, or if the largest one is negative or not
    finite.
    """
    array = np.asarray(values, float)
    largest = float(np.max(np.abs(array) if signed else array, initial=-1.0))
    if not math.isfinite(largest) or largest < 0:
        raise ValueError("batches: needs at least one value, all at least 0")
    width = (2 if signed else 1) * largest / count or 1.0
    power = 10.0 ** math.floor(math.log10(width))
    step = next(power * s for s in STEPS if power * s * (1 + 1e-9) >= width)
    first = -count / 2 if signed else 0
    return tuple(round(step * (first + i), 12) for i in range(count + 1))


def assign(values: ArrayLike, bounds: ArrayLike) -> np.ndarray:
    """The number of each value's batch, from 0; -1 for a value outside all batches.

    values : shape (m,)
    bounds : shape (n + 1,), rising, in the values' unit

    Returns integers, shape (m,). Batch i is ]x_i, x_{i+1}]. A value of exactly x_0
    belongs to the first batch. [thesis] leaves it out of its ranges, but two equal
    paths do differ by 0.
    """
    array, limits = np.asarray(values, float), np.asarray(bounds, float)
    index = np.searchsorted(limits, array, side="left") - 1
    index = np.where(array == limits[0], 0, index)
    outside = ~((array >= limits[0]) & (array <= limits[-1]))
    return np.where(outside, -1, index)


def label(bounds: Sequence[float], index: int) -> str:
    """The range of a batch in running text: `]20, 40]`.

    The first batch includes its lower edge and is written `[0, 20]`.
    """
    opening = "[" if index == 0 else "]"
    return f"{opening}{bounds[index]:g}, {bounds[index + 1]:g}]"


def groups(
    criterion: ArrayLike, values: ArrayLike, bounds: Sequence[float]
) -> list[np.ndarray]:
    """The values of each batch, without missing ones: a list of n arrays.

    criterion : shape (m,), decides the batch of each value
    values : shape (m,), NaN where missing
    bounds : shape (n + 1,), rising, in the criterion's unit
    """
    array = np.asarray(values, float)
    batch = assign(criterion, bounds)
    known = np.isfinite(array)
    return [array[(batch == i) & known] for i in range(len(bounds) - 1)]


def summary(
    criterion: ArrayLike, values: ArrayLike, bounds: Sequence[float]
) -> pd.DataFrame:
    """One row per batch: its label, n, minimum, quartiles and maximum.

    The arguments are those of `groups`. Quartiles are interpolated linearly between
    neighbours, which is numpy's default. They are NaN where n is 0.
    """
    names = ("minimum", "q1", "median", "q3", "maximum")
    rows = []
    for index, group in enumerate(groups(criterion, values, bounds)):
        marks = (
            np.quantile(group, [0, 0.25, 0.5, 0.75, 1]) if len(group) else [np.nan] * 5
        )
        named = dict(zip(names, map(float, marks), strict=True))
        rows.append({"batch": label(bounds, index), "n": len(group), **named})
    return pd.DataFrame(rows)
