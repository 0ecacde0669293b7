"""Box plots of a metric by batches of a criterion, after thesis Figs 3.3a to 3.5a."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign import batches
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.data import (
    REFERENCE_LINES,
    criterion_label,
    criterion_values,
    group_label,
    groups_by,
    metric_column,
    metric_missing,
    networks,
    ok_runs,
    parameter_column,
    rows_of,
)
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.titles import title

SPREAD = 0.56
"""Width over which the points of a box are spread, in boxes."""
GOLDEN = 0.6180339887498949
COLUMNS = 2
"""The most panels side by side."""
LABEL_INCHES = 0.78
"""Width that the label of a batch needs."""
BOUND_COLUMNS = {"aggregation_benefit": "aggregation_benefit_bound"}
"""The column of the greatest possible value of a metric."""
READING = (
    "A box reaches from the first to the third quartile and shows the median. Its"
    " whiskers reach to the last point within 1.5 interquartile ranges. Every network"
    " is a faint point, with its repetitions averaged. A batch does not include its"
    " lower bound, except the first batch."
)


@dataclass(frozen=True)
class Panel:
    """The runs of one case and group, all series of the same length.

    case, group : in words; group is the value of the factor `by`, or empty
    criterion : sorts the runs into batches
    values : the metric
    bound : the greatest possible value of the metric; None where none is known
    """

    case: str
    group: str
    criterion: pd.Series
    values: pd.Series
    bound: pd.Series | None = None


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One panel per case, and per value of the factor `by`; one box per batch."""
    assert request.criterion is not None
    runs = ok_runs(campaign)
    column = metric_column(runs, request)
    values = criterion_values(runs, request.criterion)
    rows = runs.assign(_criterion=values).dropna(subset=[column, "_criterion"])
    rows = rows_of(request, rows)
    if rows.empty:
        raise metric_missing(request)
    by = [parameter_column(rows, request.by)] if request.by else []
    rows = networks(rows, ["case", *by])
    what = group_label(rows, request.by)
    bound_column = BOUND_COLUMNS.get(request.metric or "", "")
    panels = {
        f"{case}, {what} {group}" if group else str(case): Panel(
            str(case),
            group,
            panel_rows["_criterion"],
            panel_rows[column],
            panel_rows.get(bound_column),
        )
        for case, case_rows in rows.groupby("case", sort=False)
        for group, panel_rows in groups_by(case_rows, request.by)
    }
    bounds = batches.edges(rows["_criterion"], request.batches, request.signed)
    labels = (criterion_label(str(values.name), request.criterion), label(column))
    lines = REFERENCE_LINES.get(request.metric or "", ())
    _plot(panels, labels, bounds, lines, target)
    absolute = request.criterion.difference == "absolute"
    name = f"|{values.name}|" if absolute else str(values.name)
    summary = _summary(list(panels.values()), bounds, column, name)
    return DrawnFigure(
        title(request),
        target.name,
        reading=READING,
        summary=summary,
        group_label=what,
    )


def _summary(
    panels: Sequence[Panel], bounds: Sequence[float], metric: str, criterion: str
) -> pd.DataFrame:
    """The quartiles of every box, for summary.csv."""
    parts = []
    for panel in panels:
        part = batches.summary(panel.criterion, panel.values, bounds)
        part.insert(0, "case", panel.case)
        part.insert(0, "group", panel.group)
        part.insert(0, "criterion", criterion)
        part.insert(0, "metric", metric)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _plot(
    panels: Mapping[str, Panel],
    labels: tuple[str, str],
    bounds: Sequence[float],
    lines: Sequence[float],
    target: style.Target,
) -> None:
    """One panel per name, at least one.

    labels : labels of the criterion and of the metric
    bounds : edges of the batches
    lines : values of the metric at which a line is drawn
    """
    with style.styled(target.look):
        columns = 1 if target.look.narrow else min(COLUMNS, len(panels))
        rows = math.ceil(len(panels) / columns)
        figure, axes = style.panels(columns, rows)
        width, height = style.PANEL_INCHES
        width = max(width, 0.7 + LABEL_INCHES * (len(bounds) - 1))
        figure.set_size_inches(width * columns, height * rows)
        for place, (axis, name) in enumerate(zip(axes, panels, strict=False)):
            panel = panels[name]
            for value in lines:
                axis.axhline(
                    value, color=style.GREY, lw=0.8, ls="-" if not value else ":"
                )
            _boxes(axis, panel, bounds)
            if panel.bound is not None:
                _mark_bound(axis, panel.criterion, panel.bound, bounds)
            axis.set_xlabel(labels[0])
            if place % columns == 0:
                axis.set_ylabel(labels[1])
            if len(panels) > 1:
                axis.set_title(name, loc="left")
        if min(float(panel.values.min()) for panel in panels.values()) >= 0:
            axes[0].set_ylim(bottom=-0.02 * axes[0].get_ylim()[1])
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        style.save(figure, target)


def _boxes(axis: Axes, panel: Panel, bounds: Sequence[float]) -> None:
    by_batch = batches.groups(panel.criterion, panel.values, bounds)
    for place, group in enumerate(by_batch):
        axis.plot(
            place + _spread(len(group)),
            np.sort(group),
            ".",
            color=style.BLUE,
            alpha=0.6,
            ms=5,
            mew=0,
            zorder=3,
        )
    filled = [place for place, group in enumerate(by_batch) if len(group)]
    axis.boxplot(
        [by_batch[place] for place in filled],
        positions=filled,
        widths=0.62,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={
            "facecolor": (*_rgb(style.LIGHT_BLUE), 0.45),
            "edgecolor": style.BLUE,
        },
        whiskerprops={"color": style.BLUE},
        capprops={"color": style.BLUE},
        medianprops={"color": style.ORANGE, "lw": 1.8},
        zorder=2,
    )
    names = [
        f"{batches.label(bounds, i)}\nn = {len(group)}"
        for i, group in enumerate(by_batch)
    ]
    axis.set_xticks(range(len(by_batch)), names)
    axis.set_xlim(-0.6, len(by_batch) - 0.4)


def _mark_bound(
    axis: Axes, criterion: pd.Series, bound: pd.Series, bounds: Sequence[float]
) -> None:
    by_batch = batches.groups(criterion, bound, bounds)
    places = [i for i, group in enumerate(by_batch) if len(group)]
    axis.plot(
        places,
        [float(np.median(by_batch[i])) for i in places],
        "D",
        color="black",
        mfc="white",
        ms=4.5,
        zorder=4,
        label="most that headers allow (median)",
    )
    axis.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        handletextpad=0.2,
    )


def _spread(count: int) -> np.ndarray:
    """Sideways positions that are even and not random: the golden ratio's sequence."""
    return (np.arange(1, count + 1) * GOLDEN % 1 - 0.5) * SPREAD


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
