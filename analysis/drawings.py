"""One figure that an experiment asks for: drawn, with its title and its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis import batches, table
from analysis.figures import bars, boxes, histograms
from analysis.figures.labels import label, plain
from analysis.figures.wanted import (
    UndrawableError,
    Wanted,
    criterion,
    criterion_label,
    metric_column,
    parameter_column,
)

LINES = {
    "aggregation_benefit": (0.0, 1.0),
    "experimental_aggregation_benefit": (0.0, 1.0),
    "traffic_split": (0.5,),
    "utilisation": (1.0,),
    "jain": (1.0,),
}
"""Values of a metric that a reader looks for."""
BOUND = {"aggregation_benefit": "aggregation_benefit_bound"}
OF_MPTCP = ("traffic_split",)
"""Metrics that say nothing of a transport with one path."""


@dataclass(frozen=True)
class Drawn:
    """A figure as it stands in the page.

    summary : quartiles by case and batch; empty for a figure without batches
    """

    title: str
    name: str
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)


def title(wanted: Wanted) -> str:
    """What it shows, in words; known before it is drawn."""
    if wanted.kind == "goodput":
        text = "Goodput of MPTCP and of TCP on each path by itself"
    elif wanted.kind == "histogram":
        text = "Factors of the design"
    else:
        factor = wanted.factor.replace("_", " ").replace(".", " ")
        against = {
            "absolute": f"the absolute {factor} difference",
            "signed": f"the {factor} difference (path 1 less path 2)",
            "none": factor.replace("path", "path "),
        }[wanted.difference]
        metric = {"traffic_split": "share of path 1"}.get(wanted.metric)
        what = metric or plain(wanted.metric)
        text = f"{what[0].upper()}{what[1:]} against {against}"
        text += f", {wanted.case}" if wanted.case else ""
    return f"{text} (after {wanted.after})" if wanted.after else text


def draw(
    wanted: Wanted, runs: pd.DataFrame, factors: Sequence[str], target: tuple[Path, str]
) -> Drawn:
    """Draw from the table of runs; raises UndrawableError if it has not what it takes.

    factors : columns that the design varies
    target : folder and the files' name without suffix
    """
    if wanted.kind == "histogram":
        return _histogram(wanted, runs, factors, target)
    good = table.ok(runs)
    if good.empty:
        raise UndrawableError("no run is ok")
    if wanted.kind == "goodput":
        return _goodput(wanted, good, target)
    return _boxes(wanted, good, target)


def _histogram(
    wanted: Wanted, runs: pd.DataFrame, factors: Sequence[str], target: tuple[Path, str]
) -> Drawn:
    asked = [parameter_column(runs, name) for name in wanted.factors or factors]
    numbers = [n for n in asked if pd.api.types.is_numeric_dtype(runs[n])]
    if not numbers:
        raise UndrawableError("the design varies no number")
    unique = runs.drop_duplicates("point")
    histograms.draw(unique, numbers, wanted.batches, target)
    return Drawn(title(wanted), target[1])


def _goodput(wanted: Wanted, good: pd.DataFrame, target: tuple[Path, str]) -> Drawn:
    column = metric_column(good, "goodput")
    paths = sorted(n for n in good.columns if n.endswith(".capacity_mbps"))
    by_case = {
        str(case): rows.groupby("point")[column].mean()
        for case, rows in good.groupby("case", sort=False)
    }
    protocols = good.groupby("case")["protocol"].first()
    together = {
        case: values
        for case, values in by_case.items()
        if protocols[case] == "mptcp" and wanted.case in (None, case)
    }
    alone = {case: v for case, v in by_case.items() if protocols[case] == "tcp"}
    if wanted.case in alone:
        alone = {wanted.case: alone[wanted.case]}
    if not together and (not alone or wanted.case not in (None, *alone)):
        raise UndrawableError(f"no run of {wanted.case or 'any case'} is ok")
    capacities = good.groupby("point")[paths].first()
    bars.draw(together, alone, capacities, target)
    return Drawn(title(wanted), target[1])


def _boxes(wanted: Wanted, good: pd.DataFrame, target: tuple[Path, str]) -> Drawn:
    column = metric_column(good, wanted.metric)
    rows = good.assign(_criterion=criterion(good, wanted))
    rows = rows.dropna(subset=[column, "_criterion"])
    if wanted.metric in OF_MPTCP and wanted.case is None:
        rows = rows[rows["protocol"] == "mptcp"]
    if wanted.case is not None:
        rows = rows[rows["case"] == wanted.case]
    if rows.empty:
        of = f"of {wanted.case} " if wanted.case else ""
        raise UndrawableError(f"no run {of}that is ok has the metric {wanted.metric}")
    name = str(criterion(good, wanted).name)
    most = BOUND.get(wanted.metric, "")
    panels = {
        str(case): boxes.Panel(mine["_criterion"], mine[column], mine.get(most))
        for case, mine in rows.groupby("case", sort=False)
    }
    signed = wanted.difference == "signed"
    bounds = batches.edges(rows["_criterion"], wanted.batches, signed)
    labels = (criterion_label(name, wanted), label(column))
    boxes.draw(panels, labels, bounds, LINES.get(wanted.metric, ()), target)
    parts = []
    for case, panel in panels.items():
        part = batches.summary(panel.criterion, panel.values, bounds)
        part.insert(0, "case", case)
        part.insert(
            0, "criterion", name if wanted.difference != "absolute" else f"|{name}|"
        )
        part.insert(0, "metric", column)
        parts.append(part)
    return Drawn(title(wanted), target[1], pd.concat(parts, ignore_index=True))
