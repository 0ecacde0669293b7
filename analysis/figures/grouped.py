"""Boxes side by side in groups: cases, values of a factor, batches of a criterion."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.campaign import batches
from analysis.figures import groups
from analysis.figures.drawn import LINES, Drawn, rows_of, title
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

MOST_GROUPS = 16
CATEGORIES = ("best", "between", "worst")
"""Of a criterion in words, in this order."""
Sorted = dict[str, pd.Series]


def grouped(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """A group for each value of a factor, in it one box a case or, with a criterion,
    one a batch; without a factor a group for each batch, in it one box a case."""
    column = metric_column(good, wanted.metric)
    rows = rows_of(wanted, good).dropna(subset=[column])
    by = parameter_column(good, wanted.by) if wanted.by else ""
    rows = rows.dropna(subset=[by]) if by else rows
    key = ""
    if wanted.factor:
        sorted_by, key = _batched(wanted, rows)
        rows = rows.assign(_batch=sorted_by)
        rows = rows.dropna(subset=["_batch"])
    if rows.empty:
        raise UndrawableError(without(wanted))
    if by:
        names, axis = _values(wanted, rows, by)
        rows = rows.assign(_group=rows[by].map(names))
        inner = "_batch" if wanted.factor else "case"
        if wanted.factor and rows["case"].nunique() > 1:
            raise UndrawableError("several cases, and batches beside them; name a case")
    else:
        rows = rows.assign(_group=rows["_batch"])
        inner, axis, key = "case", key, ""
    order = _order(rows, "_group", names.values() if by else ())
    boxes: dict[str, Sorted] = {
        name: {
            group: rows.loc[(rows[inner] == name) & (rows["_group"] == group), column]
            for group in order
        }
        for name in _order(rows, inner, ())
    }
    lines = LINES.get(wanted.metric, ())
    groups.draw(boxes, (axis, label(column)), lines, target, key)
    parts = [
        summary_row(column, name, group, mine)
        for name, found in boxes.items()
        for group, mine in found.items()
    ]
    note = "" if len(boxes) == 1 else "Boxes of a group stand in the order of the key."
    return Drawn(title(wanted), target.name, note, pd.DataFrame(parts))


def _batched(wanted: Wanted, rows: pd.DataFrame) -> tuple[pd.Series, str]:
    """The batch of every row, in words, and what it is a batch of."""
    values = criterion(rows, wanted)
    if not pd.api.types.is_numeric_dtype(values):
        return values, label(str(values.name))
    known = values.dropna().astype(float)
    if known.empty:
        raise UndrawableError(f"no run has the criterion {wanted.factor}")
    bounds = batches.edges(known, wanted.batches, wanted.difference == "signed")
    names = [batches.label(bounds, i) for i in range(len(bounds) - 1)]
    found = [names[i] for i in batches.assign(known, bounds)]
    named = pd.Categorical(found, categories=names)
    text = criterion_label(str(values.name), wanted)
    return pd.Series(named, known.index).reindex(values.index), text


def _order(rows: pd.DataFrame, column: str, known: object) -> list[str]:
    """The names in a column as they stand side by side."""
    values = rows[column]
    if isinstance(values.dtype, pd.CategoricalDtype):
        return [str(each) for each in values.cat.categories]
    wanted = list(dict.fromkeys(known)) if known else []  # type: ignore[call-overload]
    found = list(dict.fromkeys(str(each) for each in values))
    if wanted:
        return [each for each in wanted if each in found]
    if set(found) <= set(CATEGORIES):
        return [each for each in CATEGORIES if each in found]
    return found


def _values(
    wanted: Wanted, rows: pd.DataFrame, by: str
) -> tuple[dict[object, str], str]:
    """The values of a factor as groups are named, in order, and what they are."""
    values = sorted(rows[by].unique())
    if len(values) > MOST_GROUPS:
        raise UndrawableError(
            f"{wanted.by} has {len(values)} values, more than the {MOST_GROUPS} groups"
            " that fit; a figure of kind box sorts them into batches"
        )
    what, _, unit = label(by).partition(" [")
    axis = what if unit == "bytes]" or not unit else f"{what} [{unit}"
    return {value: shown(value, unit.rstrip("]")) for value in values}, axis


def panels_of(rows: pd.DataFrame, by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each value of a factor, with its name; all of them without one."""
    if not by:
        yield "", rows
        return
    column = parameter_column(rows, by)
    what, _, unit = label(column).partition(" [")
    for value in sorted(rows[column].dropna().unique()):
        name = f"{what} {shown(value, unit.rstrip(']'), True)}"
        yield name, rows[rows[column] == value]


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


def summary_row(column: str, case: str, group: str, values: pd.Series) -> dict:
    """A row of summary.csv."""
    marks = [np.nan] * 5
    if len(values):
        marks = list(map(float, values.quantile([0, 0.25, 0.5, 0.75, 1])))
    names = ("minimum", "q1", "median", "q3", "maximum")
    row = {"metric": column, "criterion": "", "case": case, "batch": group}
    return {**row, "n": len(values), **dict(zip(names, marks, strict=True))}


def without(wanted: Wanted) -> str:
    of = f"of {wanted.case} " if wanted.case else ""
    return f"no run {of}that is ok has the metric {wanted.metric}"
