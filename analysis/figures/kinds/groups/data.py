"""Groups of a metric's values, after the thesis's figures of small files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign import batches
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, paths, without_mathematics
from analysis.campaign.observations import networks
from analysis.figures import palette, scales
from analysis.figures.data import (
    MOST_GROUPS,
    REFERENCE_LINES,
    check_distinct,
    criterion_label,
    criterion_values,
    factor_values,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
    value_text,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.groups.request import Groups

CATEGORIES = ("best", "between", "worst")
"""The order of the groups of a criterion in words."""
Boxes = dict[str, pd.Series]
"""The values of each group by the group's name."""


@dataclass(frozen=True, kw_only=True)
class GroupsData(PageText):
    """One group of boxes per name, and in it one box per case or batch.

    boxes : the groups of each case or batch; all have the same groups in the same
        order, and a group may be empty
    labels : of the groups and of the values
    lines : values at which a line is drawn
    log : whether the vertical axis is logarithmic
    shown : its range without outliers; None for all values
    legend_title : what the boxes of a group differ in, where it is not plain
    numbers : the number of each case or batch, for its colour
    """

    boxes: Mapping[str, Boxes]
    labels: tuple[str, str]
    lines: Sequence[float]
    log: bool = False
    shown: scales.Range | None = None
    legend_title: str
    numbers: Mapping[str, int]


def data(request: Groups, campaign: Campaign) -> GroupsData:
    """One group per value of the factor `by`, or else per batch of the criterion.

    A group has one box per case; with `by` and a criterion, one per batch.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    rows = rows_of(runs, request.metric, request.case).dropna(subset=[column])
    by = parameter_column(rows, request.by) if request.by else ""
    rows = rows.dropna(subset=[by]) if by else rows
    batch_label = ""
    if request.criterion:
        names, batch_label = _batch_names(request, rows)
        rows = rows.assign(_batch=names).dropna(subset=["_batch"])
    if rows.empty:
        raise metric_missing(request.metric, request.case)
    if by:
        group_names, axis_label = _value_names(request, rows, by)
        rows = rows.assign(_group=rows[by].map(group_names))
        box_column = "_batch" if request.criterion else "case"
        legend_title = batch_label
        if request.criterion and rows["case"].nunique() > 1:
            raise UndrawableError("several cases, and batches beside them; name a case")
        groups = _in_order(rows["_group"], group_names.values())
    else:
        rows = rows.assign(_group=rows["_batch"])
        box_column, axis_label, legend_title = "case", batch_label, ""
        groups = _in_order(rows["_group"])
    split = ["case", "_group", *(["_batch"] if by and request.criterion else [])]
    rows = networks(rows, split)
    boxes: dict[str, Boxes] = {
        name: {
            group: rows.loc[
                (rows[box_column] == name) & (rows["_group"] == group), column
            ]
            for group in groups
        }
        for name in _in_order(rows[box_column])
    }
    check_distinct(len(boxes), "boxes per group")
    summary = []
    for group in groups if by else [""]:
        for name, by_group in boxes.items():
            case = request.case or str(rows["case"].iloc[0])
            if not by:
                summary += [
                    summary_row(column, "", name, batch, values)
                    for batch, values in by_group.items()
                ]
            elif request.criterion:
                row = summary_row(column, group, case, name, by_group[group])
                summary.append(row)
            else:
                summary.append(summary_row(column, group, name, "", by_group[group]))
    note = (
        "" if len(boxes) == 1 else "The boxes of a group stand in the order of the key."
    )
    log = scales.is_logarithmic(rows[column])
    every = [values for by_group in boxes.values() for values in by_group.values()]
    shown = None if log else scales.cut(rows[column], boxes=every)
    outside = scales.told(shown, len(rows), "values")
    numbers = {name: number for number, name in enumerate(boxes)}
    if box_column == "case":
        numbers = palette.case_numbers(campaign.runs["case"])
    return GroupsData(
        boxes=boxes,
        labels=(axis_label, label(column)),
        lines=REFERENCE_LINES.get(request.metric, ()),
        log=log,
        shown=shown,
        legend_title=legend_title,
        numbers=numbers,
        note=" ".join(filter(None, [note, outside])),
        summary=pd.DataFrame(summary),
        group_label=without_mathematics(axis_label) if by else "",
    )


def _batch_names(request: Groups, rows: pd.DataFrame) -> tuple[pd.Series, str]:
    """The batch of every row in words, and the label of the criterion."""
    assert request.criterion is not None
    values = criterion_values(rows, request.criterion)
    if not pd.api.types.is_numeric_dtype(values):
        return values, label(str(values.name))
    known = values.dropna().astype(float)
    if known.empty:
        raise UndrawableError(f"no run has the criterion {request.criterion.factor}")
    bounds = batches.edges(known, request.batches, request.criterion.signed)
    names = [batches.label(bounds, i) for i in range(len(bounds) - 1)]
    assigned = [names[i] for i in batches.assign(known, bounds)]
    categories = pd.Series(pd.Categorical(assigned, categories=names), known.index)
    text = criterion_label(str(values.name), request.criterion, paths(rows))
    return categories.reindex(values.index), text


def _in_order(names: pd.Series, known: Iterable[str] = ()) -> list[str]:
    """The distinct names in the order in which they stand side by side.

    known : the order, where it is given
    """
    if isinstance(names.dtype, pd.CategoricalDtype):
        return [str(name) for name in names.cat.categories]
    present = list(dict.fromkeys(str(name) for name in names))
    order = list(dict.fromkeys(known))
    if not order and set(present) <= set(CATEGORIES):
        order = list(CATEGORIES)
    return [name for name in order if name in present] if order else present


def _value_names(
    request: Groups, rows: pd.DataFrame, by: str
) -> tuple[dict[object, str], str]:
    """The groups' names by the factor's value, in order, and the axis's label."""
    values = factor_values(rows[by])
    if len(values) > MOST_GROUPS:
        raise UndrawableError(
            f"{request.by} has {len(values)} values, more than the {MOST_GROUPS} groups"
            " that fit; a figure of kind box sorts them into batches"
        )
    what, _, unit = label(by).partition(" [")
    axis_label = what if unit == "bytes]" or not unit else f"{what} [{unit}"
    names = {value: value_text(value, unit.rstrip("]")) for value in values}
    return names, axis_label
