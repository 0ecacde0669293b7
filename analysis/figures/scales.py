"""The scale and the range of an axis, chosen from the values that it shows.

An axis is logarithmic if half of its positive values would otherwise share its lowest
tenth, and would not on the logarithmic axis, and none is far from the others there. Of
a linear axis, values far beyond all others are cut off, if the others would otherwise
share less than a third of it; the note below the figure tells how many. More than one
value in twenty is never cut off: so many are no outliers. Only a figure that marks at
its edge which case lies beyond cuts off more. No group of values disappears: the median
of each stays, all of a small group, and a box from its first to its third quartile.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analysis.campaign.numbers import short

LOWEST_PART = 0.1
LEAST_PART = 1 / 3
"""The part of an axis that the values within the fences take at least."""
FENCE = 3.0
"""Interquartile ranges beyond a quartile at which a value is far out (Tukey)."""
LEAST_VALUES = 5
"""With fewer values there are no outliers."""
MOST_BEYOND = 0.05
"""The largest share of all values that an axis may leave out."""
LEAST_LISTED = 3
"""So many values that somebody listed say whether they rise by factors."""
LEAST_SPAN = 0.002
"""Values that differ by less than this share are equal for a reader."""
WIDENED_SPAN = 0.01
"""The part of its middle that an axis or a scale of colours over such values covers."""
NONE = "none"
"""The word of `log` that keeps both axes linear."""


@dataclass(frozen=True)
class Range:
    """The values that an axis shows, and those beyond it.

    low, high : ends of the shown values
    beyond : number of values outside
    farthest : the one that is farthest outside
    """

    low: float
    high: float
    beyond: int
    farthest: float

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis, with a margin."""
        margin = 0.05 * (self.high - self.low)
        return self.low - margin, self.high + margin


def log_axes(
    asked: str | None,
    across: Iterable[float],
    up: Iterable[float],
    least_across: int = LEAST_VALUES,
) -> str | None:
    """The axes with a logarithmic scale: "x", "y", "both", or None.

    asked : what the request says; None lets the values decide
    across, up : all values of the horizontal and of the vertical axis
    least_across : the number of values that the horizontal axis needs for it
    """
    if asked is not None:
        return None if asked == NONE else asked
    x, y = is_logarithmic(across, least_across), is_logarithmic(up)
    return "both" if x and y else "x" if x else "y" if y else None


def is_logarithmic(values: Iterable[float], least: int = LEAST_VALUES) -> bool:
    """Whether the values need a logarithmic axis. least : the fewest that tell it"""
    known = _known(values)
    if len(known) < least or known.min() <= 0:
        return False
    logarithms = np.log(known)
    # Values within a small range are as crowded on a logarithmic axis as on a linear.
    helps = _part(known) < LOWEST_PART <= _part(logarithms)
    return bool(helps and cut(logarithms, most_beyond=1) is None)


def _part(values: np.ndarray) -> float:
    """The place of the median on a linear axis, from 0 to 1; 1 for equal values."""
    low, high = values.min(), values.max()
    return float((np.median(values) - low) / (high - low)) if high > low else 1.0


def cut(
    values: Iterable[float],
    groups: Iterable[Iterable[float]] = (),
    boxes: Iterable[Iterable[float]] = (),
    most_beyond: float = MOST_BEYOND,
) -> Range | None:
    """The range of a linear axis without outliers; None if it shows all values.

    groups : the values of each mark that a reader compares with others, such as a
        curve. The middle of each group stays in the range. So do all values of a group
        that has fewer than LEAST_VALUES, which has no outliers.
    boxes : as `groups`, for marks that show quartiles, which stay in the range
    most_beyond : the largest share of the values that may be outside; a figure that
        marks at its edge what lies beyond can give more
    """
    known = _known(values)
    if len(known) < LEAST_VALUES:
        return None
    q1, q3 = np.quantile(known, [0.25, 0.75])
    reach = FENCE * (q3 - q1)
    if not reach:  # half of the values are equal, and say nothing of the others
        return None
    inside = (known >= q1 - reach) & (known <= q3 + reach)
    kept = np.concatenate([known[inside], *map(_middle, groups), *map(_box, boxes)])
    low, high = float(kept.min()), float(kept.max())
    inside = (known >= low) & (known <= high)
    whole = float(known.max() - known.min())
    if inside.all() or high == low or (high - low) >= LEAST_PART * whole:
        return None
    outside = known[~inside]
    if len(outside) > most_beyond * len(known):
        return None
    far = np.maximum(low - outside, outside - high)
    return Range(low, high, len(outside), float(outside[int(np.argmax(far))]))


def _middle(group: Iterable[float]) -> np.ndarray:
    """The values of a group that every figure shows."""
    known = np.sort(_known(group))
    if len(known) < LEAST_VALUES:
        return known
    return known[[(len(known) - 1) // 2, len(known) // 2]]


def _box(group: Iterable[float]) -> np.ndarray:
    """The values of a group that a figure with boxes shows, and its quartiles."""
    known = _known(group)
    ends = np.quantile(known, [0.25, 0.75]) if len(known) else known
    return np.concatenate([_middle(known), ends])


def told(
    shown: Range | None, count: int, what: str, unit: str = "", quantity: str = ""
) -> str:
    """A sentence on the values beyond an axis; empty if there are none.

    count : of all values; what : the values in words, such as `marks`
    quantity : of the axis, where a figure has several
    """
    if shown is None:
        return ""
    farthest = f"{short(shown.farthest)}{f' {unit}' if unit else ''}"
    verb = "lies" if shown.beyond == 1 else "lie"
    head = f"In {quantity}, " if quantity else ""
    return (
        f"{head}{shown.beyond} of {count} {what} {verb} outside the figure, the"
        f" farthest at {farthest}."
    )


def _known(values: Iterable[float]) -> np.ndarray:
    numbers: np.ndarray = np.asarray(list(values), dtype=float)
    return np.asarray(numbers[np.isfinite(numbers)])
