"""Boxes in groups, one colour per case, after the thesis's figures of small files."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.campaign import batches
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.data import (
    MOST_GROUPS,
    REFERENCE_LINES,
    criterion_label,
    criterion_values,
    factor_values,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    parameter_column,
    rows_of,
    summary_row,
    value_text,
)
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title

WIDTH = 0.8
"""Width of all boxes of a group together; neighbouring groups are 1 apart."""
GROUP_INCHES = 0.42
"""Width that a box needs."""
HEIGHT_INCHES = 2.9
LONGEST_INCHES = 11.0


CATEGORIES = ("best", "between", "worst")
"""The order of the groups of a criterion in words."""
Boxes = dict[str, pd.Series]
"""The values of each group by the group's name."""


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One group per value of the factor `by`, or else per batch of the criterion.

    A group has one box per case; with `by` and a criterion, one per batch.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    rows = rows_of(request, runs).dropna(subset=[column])
    by = parameter_column(rows, request.by) if request.by else ""
    rows = rows.dropna(subset=[by]) if by else rows
    batch_label = ""
    if request.criterion:
        names, batch_label = _batch_names(request, rows)
        rows = rows.assign(_batch=names).dropna(subset=["_batch"])
    if rows.empty:
        raise metric_missing(request)
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
    lines = REFERENCE_LINES.get(request.metric or "", ())
    numbers = (
        style.case_numbers(campaign.runs["case"]) if box_column == "case" else None
    )
    if len(boxes) > style.MOST_SERIES:
        raise UndrawableError(
            f"{len(boxes)} boxes per group, of which only {style.MOST_SERIES} can look"
            " different; name a case"
        )
    _plot(boxes, (axis_label, label(column)), lines, target, legend_title, numbers)
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
    return DrawnFigure(
        title(request),
        target.name,
        note,
        summary=pd.DataFrame(summary),
        group_label=without_mathematics(axis_label) if by else "",
    )


def _batch_names(request: FigureRequest, rows: pd.DataFrame) -> tuple[pd.Series, str]:
    """The batch of every row in words, and the label of the criterion."""
    assert request.criterion is not None
    values = criterion_values(rows, request.criterion)
    if not pd.api.types.is_numeric_dtype(values):
        return values, label(str(values.name))
    known = values.dropna().astype(float)
    if known.empty:
        raise UndrawableError(f"no run has the criterion {request.criterion.factor}")
    bounds = batches.edges(known, request.batches, request.signed)
    names = [batches.label(bounds, i) for i in range(len(bounds) - 1)]
    assigned = [names[i] for i in batches.assign(known, bounds)]
    categories = pd.Series(pd.Categorical(assigned, categories=names), known.index)
    text = criterion_label(str(values.name), request.criterion)
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
    request: FigureRequest, rows: pd.DataFrame, by: str
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


def _plot(
    cases: Mapping[str, Boxes],
    labels: tuple[str, str],
    lines: Sequence[float],
    target: style.Target,
    legend_title: str,
    numbers: Mapping[str, int] | None = None,
) -> None:
    """One group of boxes per name, and in it one box per case or batch.

    cases : every case has the same groups in the same order; a group may be empty
    labels : labels of the groups and of the values
    lines : values at which a line is drawn
    legend_title : what the boxes of a group differ in, where it is not plain
    numbers : the number of each case, for its colour; None for their order
    """
    groups = list(next(iter(cases.values())))
    box_width = WIDTH / len(cases)
    numbers = numbers or {name: number for number, name in enumerate(cases)}
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        needed = 1.0 + GROUP_INCHES * len(groups) * max(len(cases), 2)
        width = min(LONGEST_INCHES, max(style.PANEL_INCHES[0], needed))
        if target.look.columns:
            width = style.COLUMN_INCHES[target.look.columns]
        for value in lines:
            axis.axhline(value, color=style.GREY, lw=0.8, ls=":")
        handles = {}
        for place, (name, by_group) in enumerate(cases.items()):
            colour, hatch = style.colour(numbers[name]), style.hatch(numbers[name])
            shift = box_width * (place - (len(cases) - 1) / 2)
            filled = [i for i, group in enumerate(groups) if len(by_group[group])]
            if not filled:
                continue
            single = [i for i in filled if len(by_group[groups[i]]) == 1]
            marks = axis.plot(
                np.asarray(single) + shift,
                [float(by_group[groups[i]].iloc[0]) for i in single],
                color=colour,
                marker="o",
                markersize=5,
                linestyle="none",
            )
            filled = [i for i in filled if i not in single]
            if not filled:
                handles[name] = marks[0]
                continue
            drawn = axis.boxplot(
                [by_group[groups[i]].to_numpy(float) for i in filled],
                positions=np.asarray(filled) + shift,
                widths=box_width * 0.82,
                manage_ticks=False,
                patch_artist=True,
                boxprops={
                    "facecolor": f"{colour}40",
                    "edgecolor": colour,
                    "hatch": hatch,
                },
                whiskerprops={"color": colour},
                capprops={"color": colour},
                medianprops={"color": "black", "lw": 1.4},
                flierprops={"marker": ".", "ms": 4, "mew": 0, "mfc": colour},
            )
            handles[name] = drawn["boxes"][0]
        axis.set_xticks(range(len(groups)), groups)
        if sum(map(len, groups)) * 0.09 > width - 1:
            axis.tick_params(axis="x", labelrotation=30)
        axis.set_xlim(-0.6, len(groups) - 0.4)
        axis.set_xlabel(labels[0])
        axis.set_ylabel(labels[1])
        legend = 0.0
        if len(cases) > 1 or legend_title:
            legend = style.legend_above(
                axis, [*handles.values()], [*handles], width - 0.7, legend_title
            )
        figure.set_size_inches(width, HEIGHT_INCHES + legend)
        style.save(figure, target)
