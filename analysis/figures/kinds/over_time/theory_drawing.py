"""Theory in figures over time: dashed lines, and marks of their lines."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.palette import NEUTRAL
from analysis.figures.theory_over_time import Expected, Level

DASHES = ((0, (5, 2)), (0, (5, 2, 1, 2)), (0, (1, 1)), (0, (9, 3)))
"""Of the models in their order."""
WIDTH = 1.2


def draw(
    axis: Axes,
    found: Sequence[Expected],
    lines: Sequence[str],
    models: Sequence[str],
    span: tuple[float, float],
    colour: Callable[[str], str],
) -> None:
    """Draw the levels of each line that is there, dashed and in a neutral colour.

    lines : names of the measured lines
    models : all models of the figure, which have their dashes by their order
    colour : of a measured line. Where the lines of a model differ, a mark on
        each has the colour of the line that it is about
    """
    for model in models:
        owned = [
            (owner, each)
            for each in found
            if each.model == model and (owner := each.owner(lines)) is not None
        ]
        dashes = DASHES[models.index(model) % len(DASHES)]
        label: str | None = model
        seen = [(owner, _within(each.levels, span)) for owner, each in owned]
        for levels in dict.fromkeys(levels for _, levels in seen):
            x, y = _outline(levels)
            axis.plot(x, y, color=NEUTRAL, ls=dashes, lw=WIDTH, label=label)
            label = None
        if len({levels for _, levels in seen}) > 1:
            for owner, levels in seen:
                others = [each for name, each in seen if name != owner]
                _mark(axis, levels, others, colour(owner))


def _mark(
    axis: Axes, levels: Sequence[Level], others: Sequence[Sequence[Level]], colour: str
) -> None:
    """A mark where a line is farthest from the others of its model."""
    if not levels:
        return
    level = max(levels, key=lambda each: _distance(each, others))
    axis.plot(
        [level.middle_s],
        [level.value],
        marker="d",
        markersize=6,
        markerfacecolor=colour,
        markeredgecolor=NEUTRAL,
        markeredgewidth=0.7,
        ls="none",
        zorder=4,
    )


def _distance(level: Level, others: Sequence[Sequence[Level]]) -> float:
    """Distance to the nearest other line in the middle of a level."""
    now = [
        abs(each.value - level.value)
        for levels in others
        for each in levels
        if each.start_s <= level.middle_s < each.end_s
    ]
    return min(now, default=np.inf)


def _within(levels: Sequence[Level], span: tuple[float, float]) -> tuple[Level, ...]:
    """The levels, cut to the time that is shown."""
    return tuple(
        Level(max(level.start_s, span[0]), min(level.end_s, span[1]), level.value)
        for level in levels
        if level.end_s > span[0] and level.start_s < span[1]
    )


def _outline(levels: Sequence[Level]) -> tuple[list[float], list[float]]:
    """Times and values of a line that steps, with gaps where nobody sends."""
    times: list[float] = []
    values: list[float] = []
    for level in levels:
        if times and times[-1] != level.start_s:
            times.append(level.start_s)
            values.append(np.nan)
        times += [level.start_s, level.end_s]
        values += [level.value, level.value]
    return times, values
