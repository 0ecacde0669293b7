"""One figure that an experiment asks for: drawn, with its title and its numbers."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.campaign import batches, table
from analysis.figures import (
    bars,
    boxes,
    contrasts,
    grouped,
    histograms,
    model_figure,
    over_time,
    tabular,
)
from analysis.figures.drawn import BOUND, LINES, Drawn, rows_of, title
from analysis.figures.labels import label
from analysis.figures.request import (
    UndrawableError,
    Wanted,
    criterion,
    criterion_label,
    metric_column,
    parameter_column,
)
from analysis.figures.style import Target

STACKED = (
    "Where the bar of MPTCP is as high as the stack beside it, MPTCP adds the paths up"
    " as well as one TCP on each. "
)
LINE = (
    "The line is what the links carry, headers included, so no goodput reaches it."
    " Repetitions are averaged."
)


def draw(
    wanted: Wanted,
    runs: pd.DataFrame,
    factors: Sequence[str],
    target: Target,
    folder: Path | None = None,
) -> Drawn:
    """Draw from the table of runs; raises UndrawableError if it has not what it takes.

    factors : columns that the design varies
    target : where its files go
    folder : of the runs' own folders, for figures of what is not in the table
    """
    if wanted.kind == "histogram":
        return _histogram(wanted, runs, factors, target)
    good = table.ok(runs)
    if good.empty:
        raise UndrawableError("no run is ok")
    if wanted.kind == "goodput":
        return _goodput(wanted, good, target)
    if wanted.kind == "cdf":
        return contrasts.cdf(wanted, good, target)
    if wanted.kind == "groups":
        return grouped.grouped(wanted, good, target)
    if wanted.kind == "table":
        return _table(wanted, good, target)
    if wanted.kind == "over_time":
        return over_time.draw(wanted, good, factors, folder, target)
    if wanted.kind == "model":
        return model_figure.model(wanted, good, target)
    return _boxes(wanted, good, target)


def _table(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """For the page as text; in PDF it is set like a figure."""
    one = contrasts.table(wanted, good)
    if "pdf" in target.look.formats:
        tabular.draw(one.head, one.cells, one.note, target)
    return one


def _histogram(
    wanted: Wanted, runs: pd.DataFrame, factors: Sequence[str], target: Target
) -> Drawn:
    asked = [parameter_column(runs, name) for name in wanted.factors or factors]
    numbers = [n for n in asked if pd.api.types.is_numeric_dtype(runs[n])]
    if not numbers:
        raise UndrawableError("the design varies no number")
    unique = runs.drop_duplicates("point")
    histograms.draw(unique, numbers, wanted.batches, target)
    return Drawn(title(wanted), target.name)


def _goodput(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    column = metric_column(good, "goodput")
    paths = sorted(n for n in good.columns if n.endswith(".capacity_mbps"))
    mptcp = good[good["protocol"] == "mptcp"]
    shown = good if mptcp.empty else mptcp
    if wanted.case is not None:
        shown = good[good["case"] == wanted.case]
    if shown.empty:
        raise UndrawableError(f"no run of {wanted.case} is ok")
    goodput = {
        str(case): rows.groupby("point")[column].mean()
        for case, rows in shown.groupby("case", sort=False)
    }
    alone = _alone(shown[shown["case"] == shown["case"].iloc[0]], paths)
    capacities = good.groupby("point")[paths].first()
    bars.draw(goodput, alone, capacities, target)
    return Drawn(title(wanted), target.name, f"{STACKED if alone else ''}{LINE}")


def _alone(rows: pd.DataFrame, paths: Sequence[str]) -> dict[str, pd.Series]:
    """Goodput of TCP on each path by itself, where it is known of all paths.

    rows : of one case of MPTCP; of any other there is none
    """
    heads = [name.partition(".")[0] for name in paths]
    names = {f"{head}.tcp_goodput_mbps": head for head in heads}
    if not names.keys() <= set(rows.columns):
        return {}
    known = rows.dropna(subset=list(names))
    means = known.groupby("point")[list(names)].mean()
    return {
        f"TCP on {head.replace('path', 'path ')} by itself": means[name]
        for name, head in names.items()
        if len(means)
    }


def _boxes(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    column = metric_column(good, wanted.metric)
    rows = good.assign(_criterion=criterion(good, wanted))
    rows = rows.dropna(subset=[column, "_criterion"])
    rows = rows_of(wanted, rows)
    if rows.empty:
        of = f"of {wanted.case} " if wanted.case else ""
        raise UndrawableError(f"no run {of}that is ok has the metric {wanted.metric}")
    name = str(criterion(good, wanted).name)
    most = BOUND.get(wanted.metric, "")
    panels = {
        ", ".join(filter(None, (str(case), value))): boxes.Panel(
            mine["_criterion"], mine[column], mine.get(most)
        )
        for case, of_case in rows.groupby("case", sort=False)
        for value, mine in grouped.panels_of(of_case, wanted.by)
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
    summary = pd.concat(parts, ignore_index=True)
    return Drawn(title(wanted), target.name, summary=summary)
