"""The numbers of theory below a figure, and the means that its marks show."""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.campaign.columns import plain
from analysis.campaign.numbers import digits
from analysis.figures.theory import Curve, Point


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
            pairs = zip(*averaged(curve, at), strict=True)
            text += ": " + ", ".join(f"{digits(y)} at {x:g}" for x, y in pairs)
        texts.append(text)
    return (
        f"The theory of {plain(column)} follows from the runs' parameters and the"
        f" payload of full packets. {'; '.join(texts)}."
    )


def case_note(found: Sequence[Curve], column: str) -> str:
    """The numbers of theory of one column, by case."""
    texts: dict[str, list[str]] = {}
    for curve in found:
        for case, mean in case_means(curve).items():
            texts.setdefault(curve.model, []).append(f"{digits(mean)} for {case}")
    return " ".join(
        f"{plain(column)}, {model}: {', '.join(numbers)}."
        for model, numbers in texts.items()
    )


def averaged(
    curve: Curve, at: Mapping[Point, float]
) -> tuple[list[float], list[float]]:
    """The values `at`, rising, and the curve's mean at each."""
    by_x: dict[float, list[float]] = {}
    for key, value in curve.values.items():
        by_x.setdefault(float(at[key]), []).append(value)
    x = sorted(by_x)
    return x, [float(np.mean(by_x[value])) for value in x]


def case_means(curve: Curve) -> dict[str, float]:
    """The mean over the points of each case."""
    by_case: dict[str, list[float]] = {}
    for (_, case), value in curve.values.items():
        by_case.setdefault(case, []).append(value)
    return {case: float(np.mean(values)) for case, values in by_case.items()}
