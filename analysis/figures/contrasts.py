"""Figures that set cases, values of a factor or signs of a difference side by side."""

import re

import numpy as np
import pandas as pd

from analysis.figures import curves
from analysis.figures.drawn import LINES, Drawn, rows_of, title
from analysis.figures.grouped import panels_of, shown, summary_row, without
from analysis.figures.labels import label, without_mathematics
from analysis.figures.request import (
    UndrawableError,
    Wanted,
    criterion,
    metric_column,
    parameter_column,
)
from analysis.figures.style import Target
from analysis.report.markdown import quartiles

PATH = re.compile(r"path\d+")


def cdf(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """A curve for each case and, with a criterion, each sign of the difference; with
    `by`, a panel for each value of that factor."""
    column = metric_column(good, wanted.metric)
    rows = rows_of(wanted, good).dropna(subset=[column])
    rows = rows.assign(_sign="")
    if wanted.factor:
        difference = criterion(rows, wanted)
        rows["_sign"] = _signs(difference, str(difference.name))
    if rows.empty:
        raise UndrawableError(without(wanted))
    panels = {}
    for name, mine in panels_of(rows, wanted.by):
        panels[name] = _curves(mine, column, bool(wanted.factor))
    curves.draw(panels, label(column), LINES.get(wanted.metric, ()), target)
    parts = [
        summary_row(column, name, panel or "all", values)
        for panel, found in panels.items()
        for name, values in found.items()
    ]
    return Drawn(title(wanted), target.name, summary=pd.DataFrame(parts))


def _curves(rows: pd.DataFrame, column: str, signed: bool) -> dict[str, pd.Series]:
    several = rows["case"].nunique() > 1
    found = {
        _name(str(case) if several or not sign else "", str(sign)): mine[column]
        for (case, sign), mine in rows.groupby(["case", "_sign"], sort=False)
    }
    order = sorted(found, key=lambda name: (name.partition(",")[0], name))
    return {name: found[name] for name in (order if signed else found)}


def table(wanted: Wanted, good: pd.DataFrame) -> Drawn:
    """Medians and quartiles: a row a case; a column a value of a factor, or else one
    a part (a flow, a user, a phase) that the metric is known of."""
    column = metric_column(good, wanted.metric)
    rows = rows_of(wanted, good)
    columns: dict[str, pd.Series] = {}
    if wanted.by:
        by = parameter_column(good, wanted.by)
        unit = label(by).partition(" [")[2].rstrip("]")
        for value in sorted(rows[by].dropna().unique()):
            columns[shown(value, unit, True)] = rows[column].where(rows[by] == value)
    else:
        columns[without_mathematics(label(column))] = rows[column]
        for part in parts(good, column):
            name = part.removesuffix(f".{column}").replace(".", ": ")
            columns[name] = rows[part]
    if rows[column].isna().all():
        raise UndrawableError(without(wanted))
    cells = []
    for case in rows["case"].unique():
        mine = rows["case"] == case
        known = int(rows.loc[mine, column].notna().sum())
        if not known:
            continue
        texts = (quartiles(values[mine]) for values in columns.values())
        cells.append((str(case), str(known), *texts))
    name = without_mathematics(label(column))
    note = f"Medians, with the first and third quartile, of {name}."
    return Drawn(
        title(wanted), "", note, head=("case", "n", *columns), cells=tuple(cells)
    )


def parts(runs: pd.DataFrame, column: str) -> list[str]:
    """Columns of the same metric for a part of a run: `<part>.goodput_mbps`."""
    found = [name for name in runs.columns if str(name).endswith(f".{column}")]
    return [n for n in found if not PATH.match(n) and runs[n].notna().any()]


def _signs(difference: pd.Series, name: str) -> pd.Series:
    what = name.rpartition("_difference")[0].replace("_", " ") or name
    words = {
        -1.0: f"path 1's {what} lower",
        0.0: f"{what} the same",
        1.0: f"path 1's {what} higher",
    }
    return pd.Series(np.sign(difference.astype(float)), difference.index).map(words)


def _name(case: str, sign: str) -> str:
    return ", ".join(filter(None, (case, sign)))
