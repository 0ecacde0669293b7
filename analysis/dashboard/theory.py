"""Theory in the dashboard: what the models of an experiment's figures say.

The figures of the experiment file name the models. A run shows them beside its goodput,
its rates and its windows over time, and the plots beside the metric of such a figure.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import (
    FigureRequest,
    OfMetric,
    OverTime,
    Theory,
    WithTheory,
    case_of,
    parts_of,
)
from analysis.figures import theory
from analysis.figures.data import part_column
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.theory_over_time import Expected, Solved, expected

DIGITS = 6
Lines = Mapping[str, Sequence[Mapping[str, Any]]]
"""By quantity, the lines of theory of one run."""


class RunTheory:
    """The lines of theory of a campaign's runs. Repetitions have the same."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._known: dict[tuple[int, str], Lines] = {}

    def of(self, point: int, case: str) -> Lines:
        """The lines of a run, by quantity; none where the models know nothing."""
        if (point, case) not in self._known:
            self._known[point, case] = self._lines(point, case)
        return self._known[point, case]

    def _lines(self, point: int, case: str) -> Lines:
        settings, solved = self._campaign.settings, Solved()
        found: dict[str, list[Expected]] = {}
        for quantity, model in _asked(self._campaign.figures, case):
            if settings is None:
                break
            try:
                stretches = settings.over_time(point, case)
                lines = expected(model, stretches, quantity, solved, whole=True)
            except ValueError:
                continue  # the report names the reason below the figure
            if lines:
                found.setdefault(quantity, []).extend(lines)
        return {quantity: _plain(lines) for quantity, lines in found.items()}


def _asked(figures: Sequence[FigureRequest], case: str) -> list[tuple[str, Theory]]:
    """The quantities and models of the figures that show a case, each pair once."""
    found: dict[tuple[str, Theory], None] = {}
    for figure in figures:
        if not isinstance(figure, WithTheory) or case_of(figure) not in (None, case):
            continue
        quantities = figure.quantities if isinstance(figure, OverTime) else ()
        if isinstance(figure, OfMetric):
            quantities = (figure.metric,)
        for quantity in quantities:
            found |= dict.fromkeys((quantity, model) for model in figure.theory or ())
    return list(found)


def _plain(lines: Sequence[Expected]) -> list[dict[str, Any]]:
    """As plain lists; a time in which nobody sends has the value None."""
    models = list(dict.fromkeys(line.model for line in lines))
    several = len(lines) > len(models)
    hosts = {line.host for line in lines}
    found = []
    for line in lines:
        owner = line.names[0]
        if len(hosts) == 1:
            owner = owner.removeprefix(f"{line.host}, ")
        begin: list[float] = []
        end: list[float] = []
        values: list[float | None] = []
        for level in line.levels:
            if end and end[-1] != level.start_s:
                begin.append(end[-1])
                end.append(level.start_s)
                values.append(None)
            begin.append(level.start_s)
            end.append(level.end_s)
            values.append(_short(level.value))
        found.append(
            {
                "name": f"{line.model}, {owner}" if several else line.model,
                "model": models.index(line.model),
                "from": begin,
                "t": end,
                "v": values,
            }
        )
    return found


def of_columns(
    campaigns: Sequence[Campaign], frame: pd.DataFrame, cases: Sequence[str]
) -> list[dict[str, Any]]:
    """Predictions of the models for the metrics of figures, with a value per run.

    frame : all runs, with the columns `_campaign` and `_case`
    cases : the names of the cases as the page has them

    `case` is the number of the case that a curve belongs to, or None where all cases
    have the same. Runs that are not ok have no value.
    """
    found = []
    for number, campaign in enumerate(campaigns):
        rows = frame[(frame["_campaign"] == number) & (frame["verdict"] == "ok")]
        prefix = f"{campaign.name}: " if len(campaigns) > 1 else ""
        keys = list(zip(rows["point"].astype(int), rows["case"].map(str), strict=True))
        for column, curve in _curves(campaign, keys):
            if column not in frame.columns:
                continue
            values: list[float | None] = [None] * len(frame)
            for place, key in zip(rows.index, keys, strict=True):
                if key in curve.values:
                    values[int(place)] = _short(curve.values[key])
            case = None if curve.case is None else cases.index(prefix + curve.case)
            entry = {"column": column, "name": curve.name, "case": case, "v": values}
            if entry not in found:
                found.append(entry)
    return found


def _curves(
    campaign: Campaign, keys: Sequence[theory.Point]
) -> list[tuple[str, theory.Curve]]:
    """The column and the curve of each model of the figures of a metric."""
    found = []
    for figure in campaign.figures:
        if not isinstance(figure, OfMetric) or not isinstance(figure, WithTheory):
            continue
        shown = [key for key in keys if case_of(figure) in (None, key[1])]
        if not shown:
            continue
        for part in parts_of(figure):
            column = part_column(figure.metric, part, campaign.runs)
            for model in figure.theory or ():
                try:
                    curves = theory.curves(
                        (model,), figure.metric, part, campaign, shown
                    )
                except UndrawableError:
                    continue  # the report names the reason in place of the figure
                found += [(column, curve) for curve in curves]
    return found


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
