"""Batches of results by a criterion, and their summary (thesis, sec. 3.2)."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

COUNT = 5
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def edges(
    values: ArrayLike, count: int = COUNT, signed: bool = False
) -> tuple[float, ...]:
    """Edges x_0 < x_1 < ... < x_n of `count` even batches over all values.

    values : at least one; >= 0 unless `signed`
    signed : the batches lie evenly about 0; they begin at 0 otherwise
    The width is the least of STEPS times a power of ten that covers the largest
    value: 0, 20, ..., 100 for the capacity differences of the thesis and 0, 5,
    ..., 25 for its delays.
    Raises ValueError without values.
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
    """The batch of each value, from 0; -1 if it lies in none.

    values : shape (m,); bounds : shape (n + 1,), rising; returns int, shape (m,)
    Batch i is ]x_i, x_{i+1}]. A value of exactly x_0, which the thesis's ranges
    leave out, belongs to the first: two equal paths do differ by 0.
    """
    array, limits = np.asarray(values, float), np.asarray(bounds, float)
    index = np.searchsorted(limits, array, side="left") - 1
    index = np.where(array == limits[0], 0, index)
    outside = ~((array >= limits[0]) & (array <= limits[-1]))
    return np.where(outside, -1, index)


def label(bounds: Sequence[float], index: int) -> str:
    """`]20, 40]`; the first batch, which holds its lower edge, `[0, 20]`."""
    opening = "[" if index == 0 else "]"
    return f"{opening}{bounds[index]:g}, {bounds[index + 1]:g}]"


def groups(
    criterion: ArrayLike, values: ArrayLike, bounds: Sequence[float]
) -> list[np.ndarray]:
    """The values of each batch: n arrays; missing values are left out."""
    array = np.asarray(values, float)
    batch = assign(criterion, bounds)
    known = np.isfinite(array)
    return [array[(batch == i) & known] for i in range(len(bounds) - 1)]


def summary(
    criterion: ArrayLike, values: ArrayLike, bounds: Sequence[float]
) -> pd.DataFrame:
    """One row a batch: its label, n, minimum, quartiles and maximum.

    Quartiles are numpy's default, linear between neighbours; NaN where n is 0.
    """
    rows = []
    for index, group in enumerate(groups(criterion, values, bounds)):
        marks = (
            np.quantile(group, [0, 0.25, 0.5, 0.75, 1]) if len(group) else [np.nan] * 5
        )
        names = ("minimum", "q1", "median", "q3", "maximum")
        named = dict(zip(names, map(float, marks), strict=True))
        rows.append({"batch": label(bounds, index), "n": len(group), **named})
    return pd.DataFrame(rows)
