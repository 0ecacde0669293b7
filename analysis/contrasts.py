"""Figures that set cases, values of a factor or signs of a difference side by side."""

import re

import numpy as np
import pandas as pd

from analysis.drawn import LINES, Drawn, rows_of, title
from analysis.figures import curves, groups
from analysis.figures.labels import label, without_mathematics
from analysis.figures.style import Target
from analysis.figures.wanted import (
    UndrawableError,
    Wanted,
    criterion,
    metric_column,
    parameter_column,
)
from analysis.tables import quartiles

MOST_GROUPS = 16
PATH = re.compile(r"path\d+")


def cdf(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """A curve for each case and, with a criterion, each sign of the difference."""
    column = metric_column(good, wanted.metric)
    rows = rows_of(wanted, good).dropna(subset=[column])
    rows = rows.assign(_sign="")
    if wanted.factor:
        difference = criterion(rows, wanted)
        rows["_sign"] = _signs(difference, str(difference.name))
    several = rows["case"].nunique() > 1
    found = {
        _name(str(case) if several or not sign else "", str(sign)): mine[column]
        for (case, sign), mine in rows.groupby(["case", "_sign"], sort=False)
    }
    if not found:
        raise UndrawableError(_without(wanted))
    order = sorted(found, key=lambda name: (name.partition(",")[0], name))
    named = {name: found[name] for name in (order if wanted.factor else found)}
    curves.draw(named, label(column), LINES.get(wanted.metric, ()), target)
    parts = [_summary(column, name, "all", values) for name, values in named.items()]
    return Drawn(title(wanted), target.name, summary=pd.DataFrame(parts))


def grouped(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """Boxes side by side: a group for each value of a factor, in it one a case."""
    column = metric_column(good, wanted.metric)
    by = parameter_column(good, wanted.by)
    rows = rows_of(wanted, good).dropna(subset=[column, by])
    if rows.empty:
        raise UndrawableError(_without(wanted))
    values = sorted(rows[by].unique())
    if len(values) > MOST_GROUPS:
        raise UndrawableError(
            f"{wanted.by} has {len(values)} values, more than the {MOST_GROUPS} groups"
            " that fit; a figure of kind box sorts them into batches"
        )
    what, _, unit = label(by).partition(" [")
    names = {value: shown(value, unit.rstrip("]")) for value in values}
    cases = {
        str(case): {names[v]: mine.loc[mine[by] == v, column] for v in values}
        for case, mine in rows.groupby("case", sort=False)
    }
    axis = what if unit == "bytes" or not unit else f"{what} [{unit}"
    lines = LINES.get(wanted.metric, ())
    groups.draw(cases, (axis, label(column)), lines, target)
    parts = [
        _summary(column, case, name, mine)
        for case, found in cases.items()
        for name, mine in found.items()
    ]
    note = "" if len(cases) == 1 else "Boxes of a group stand in the order of the key."
    return Drawn(title(wanted), target.name, note, pd.DataFrame(parts))


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
        raise UndrawableError(_without(wanted))
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


def shown(value: object, unit: str, with_unit: bool = False) -> str:
    """A factor's value as a group is named: 65536 bytes are 66 kB."""
    if not isinstance(value, int | float | np.number):
        return str(value)
    number = float(value)
    if unit == "bytes":
        for step, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
            if number >= step:
                return f"{number / step:.3g} {name}"
        return f"{number:.3g} B"
    return f"{number:.4g} {unit}" if with_unit and unit else f"{number:.4g}"


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


def _summary(column: str, case: str, group: str, values: pd.Series) -> dict:
    """A row of summary.csv."""
    marks = [np.nan] * 5
    if len(values):
        marks = list(map(float, values.quantile([0, 0.25, 0.5, 0.75, 1])))
    names = ("minimum", "q1", "median", "q3", "maximum")
    row = {"metric": column, "criterion": "", "case": case, "batch": group}
    return {**row, "n": len(values), **dict(zip(names, marks, strict=True))}


def _without(wanted: Wanted) -> str:
    of = f"of {wanted.case} " if wanted.case else ""
    return f"no run {of}that is ok has the metric {wanted.metric}"
