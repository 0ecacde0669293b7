"""Theory in figures: dotted or dashed lines, and hollow marks."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from analysis.figures import palette
from analysis.figures.theory import Curve, Point
from analysis.figures.theory_notes import averaged, case_means

DASHES = ((0, (1, 1)), (0, (4, 1, 1, 1, 1, 1)), (0, (8, 2)))
MARKS = ("d", "p", "h")
BESIDE = 0.13
"""Distance of theory to the right of a measured mark."""


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
        x, y = averaged(curve, at)
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


def _colour(curve: Curve, numbers: Mapping[str, int]) -> str:
    return (
        palette.NEUTRAL if curve.case is None else palette.colour(numbers[curve.case])
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
        means = case_means(curve)
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
            color=palette.NEUTRAL,
            linestyle="none",
            marker=MARKS[number % len(MARKS)],
            markerfacecolor="none",
        )
