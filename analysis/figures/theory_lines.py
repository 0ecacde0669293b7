"""Theory in figures over time: dashed lines, marks of their lines, and numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.numbers import digits
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.theory_marks import NEUTRAL
from analysis.figures.theory_over_time import Expected, Level, Solved, expected
from analysis.run.quantities import QUANTITIES

DASHES = ((0, (5, 2)), (0, (5, 2, 1, 2)), (0, (1, 1)), (0, (9, 3)))
"""Of the models in their order."""
WIDTH = 1.2
MOST_LEVELS = 4
"""Levels of a line whose numbers stand below the figure."""


@dataclass(frozen=True)
class CaseTheory:
    """Predictions of the models for one case.

    by_quantity : by the quantity, of all models
    reasons : why models say nothing
    """

    by_quantity: Mapping[str, Sequence[Expected]]
    reasons: Sequence[str]


def of_case(request: FigureRequest, campaign: Campaign, case: str) -> CaseTheory:
    """Predictions of the request's models for the run of a case, of the users shown.

    Raises UndrawableError if the campaign has no experiment.
    """
    if not request.theory:
        return CaseTheory({}, [])
    if campaign.settings is None:
        raise UndrawableError("theory needs the experiment file, which cannot be read")
    solved = Solved()
    found: dict[str, list[Expected]] = {name: [] for name in request.quantities or ()}
    reasons = []
    for theory in request.theory:
        try:
            stretches = campaign.settings.over_time(request.point, case)
            for quantity, lines in found.items():
                lines += [
                    line
                    for line in expected(theory, stretches, quantity, solved)
                    if not request.users or line.host in request.users
                ]
        except ValueError as error:
            reasons.append(f"{theory.words}: {case}: {error}")
    return CaseTheory(found, reasons)


def check(request: FigureRequest, cases: Sequence[CaseTheory]) -> None:
    """Raises UndrawableError if a model says nothing about any case."""
    known = {
        line.model
        for case in cases
        for lines in case.by_quantity.values()
        for line in lines
    }
    for theory in request.theory or ():
        if theory.words not in known:
            reasons = [reason for case in cases for reason in case.reasons]
            own = [r for r in reasons if r.startswith(f"{theory.words}: ")]
            raise UndrawableError((own or [f"{theory.words}: nothing to show"])[0])


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


def note(by_case: Mapping[str, CaseTheory]) -> str:
    """The numbers of theory, for below the figure; empty without theory."""
    texts: dict[tuple[str, str], dict[str, list[str]]] = {}
    for case, theory in by_case.items():
        for quantity, lines in theory.by_quantity.items():
            for model in dict.fromkeys(line.model for line in lines):
                own = [_numbers(line) for line in lines if line.model == model]
                same = texts.setdefault((model, quantity), {})
                same.setdefault("; ".join(filter(None, own)), []).append(case)
    if not texts:
        return ""
    sentences = []
    for (model, quantity), numbers in texts.items():
        whole = len(numbers) == 1 and len(next(iter(numbers.values()))) == len(by_case)
        parts = [
            text if whole else f"{', '.join(cases)}: {text}"
            for text, cases in numbers.items()
            if text
        ]
        if parts:
            words = QUANTITIES[quantity].words
            sentences.append(f" {model}, {words}: {'; '.join(parts)}.")
    return (
        " The theory follows from the runs' parameters and the payload of full"
        f" packets.{''.join(sentences)}"
    )


def _numbers(line: Expected) -> str:
    """The numbers of one line; empty if they are many."""
    if len(line.levels) > MOST_LEVELS:
        return ""
    if len(line.levels) == 1:
        return f"{digits(line.levels[0].value)} for {line.names[0]}"
    spans = [
        f"{digits(v.value)} from {v.start_s:g} to {v.end_s:g} s" for v in line.levels
    ]
    return f"{', '.join(spans)} for {line.names[0]}"
