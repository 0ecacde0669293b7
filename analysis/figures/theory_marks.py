"""Theory in figures: dotted or dashed lines, hollow marks, and their numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from analysis.campaign.columns import plain
from analysis.campaign.numbers import digits
from analysis.figures import style
from analysis.figures.theory import Curve, Point

DASHES = ((0, (1, 1)), (0, (4, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKS = ("d", "p", "h")
BESIDE = 0.13
"""Distance of theory to the right of a measured mark."""
NEUTRAL = "#303030"
"""The colour of theory that is the same for all cases."""


def numbered(found: Sequence[Curve]) -> list[tuple[int, Curve]]:
    """Each curve with the number of its model, from 0."""
    models = list(dict.fromkeys(curve.model for curve in found))
    return [(models.index(curve.model), curve) for curve in found]


def draw(
    axis: Axes,
    curve: Curve,
    at: Mapping[Point, float],
    numbers: Mapping[str, int],
    model: int,
    *,
    joined: bool,
) -> None:
    """Draw a curve over the values `at` of each point.

    numbers : of the cases, for colours
    model : the number of the curve's model, for its dashes or marks
    joined : whether a line joins the means at equal values; otherwise each point has a
        hollow mark
    """
    if joined:
        x, y = _averaged(curve, at)
        look = _dashed(model)
    else:
        x, y = [at[key] for key in curve.values], list(curve.values.values())
        look = _hollow(model)
    axis.plot(x, y, label=curve.name, color=_colour(curve, numbers), **look)


def _dashed(model: int) -> dict[str, Any]:
    return {
        "linestyle": DASHES[model % len(DASHES)],
        "linewidth": 1.1,
        "marker": "d",
        "markersize": 3,
        "markerfacecolor": "white",
        "zorder": 1.5,
    }


def _hollow(model: int) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": MARKS[model % len(MARKS)],
        "markersize": 5,
        "markerfacecolor": "none",
    }


def _averaged(
    curve: Curve, at: Mapping[Point, float]
) -> tuple[list[float], list[float]]:
    """The values `at`, rising, and the curve's mean at each."""
    by_x: dict[float, list[float]] = {}
    for key, value in curve.values.items():
        by_x.setdefault(float(at[key]), []).append(value)
    x = sorted(by_x)
    return x, [float(np.mean(by_x[value])) for value in x]


def _colour(curve: Curve, numbers: Mapping[str, int]) -> str:
    return NEUTRAL if curve.case is None else style.colour(numbers[curve.case])


def note(
    found: Sequence[Curve], column: str, at: Mapping[Point, float] | None = None
) -> str:
    """The note below the figure; empty without theory.

    at : the values on the horizontal axis, at which the note gives numbers
    """
    if not found:
        return ""
    texts = []
    for curve in found:
        text = curve.name
        if at is not None:
            pairs = zip(*_averaged(curve, at), strict=True)
            text += ": " + ", ".join(f"{digits(y)} at {x:g}" for x, y in pairs)
        texts.append(text)
    return (
        f"The theory of {plain(column)} follows from the runs' parameters and the"
        f" payload of full packets. {'; '.join(texts)}."
    )


def beside(
    axis: Axes,
    found: Sequence[Curve],
    places: Mapping[str, float],
    colour: str,
    named: bool,
) -> None:
    """Draw hollow marks beside those of each case: the mean over its points.

    places : of the cases on the horizontal axis
    named : whether the legend is to name the models; marks of the same model are alike
    """
    models = list(dict.fromkeys(curve.model for curve in found))
    for number, curve in numbered(found):
        means = _case_means(curve)
        axis.plot(
            [places[case] + BESIDE for case in means],
            list(means.values()),
            color=colour,
            linestyle="none",
            marker=MARKS[number % len(MARKS)],
            markersize=6,
            markerfacecolor="none",
        )
    for number, model in enumerate(models if named else ()):
        axis.plot(
            [],
            [],
            label=model,
            color=NEUTRAL,
            linestyle="none",
            marker=MARKS[number % len(MARKS)],
            markerfacecolor="none",
        )


def _case_means(curve: Curve) -> dict[str, float]:
    """The mean over the points of each case."""
    by_case: dict[str, list[float]] = {}
    for (_, case), value in curve.values.items():
        by_case.setdefault(case, []).append(value)
    return {case: float(np.mean(values)) for case, values in by_case.items()}


def case_note(found: Sequence[Curve], column: str) -> str:
    """The numbers of theory of one column, by case."""
    texts: dict[str, list[str]] = {}
    for curve in found:
        for case, mean in _case_means(curve).items():
            texts.setdefault(curve.model, []).append(f"{digits(mean)} for {case}")
    return " ".join(
        f"{plain(column)}, {model}: {', '.join(numbers)}."
        for model, numbers in texts.items()
    )
