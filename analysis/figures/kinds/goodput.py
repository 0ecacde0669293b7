"""Goodput of each design point: MPTCP beside TCP on every path, stacked."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import path_words, paths
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.axes import SCALE_INCHES, fit, text_inches
from analysis.figures.data import metric_column, ok_runs
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title

WIDTH = 0.82
"""Width of all bars of a design point together; neighbouring points are 1 apart."""
NAMED = 12
"""The most design points whose capacities are written below them."""
LONGEST_INCHES = 11.0
HEIGHT_INCHES = 3.4
PANEL_HEIGHT_INCHES = 1.9
MOST_TOGETHER = 4
"""The most cases whose bars share a panel."""
LETTERS = 90
"""Names of design points that have more letters together are turned."""


STACKED = (
    "Where the bar of MPTCP is as high as the stack beside it, MPTCP adds the paths up"
    " as well as one TCP on each. "
)
LINE = (
    "The line shows what the links carry, headers included, so no goodput reaches it."
    " Repetitions are averaged."
)


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """MPTCP's goodput at each design point beside that of TCP on each path.

    Raises UndrawableError if no run of the request's case is ok.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.model_copy(update={"metric": "goodput"}))
    named = [f"{name}.capacity_mbps" for name in paths(runs)]
    links = sorted(name for name in runs.columns if name.endswith(".capacity_mbps"))
    capacities_of = named if named and set(named) <= set(links) else links
    mptcp = runs[runs["protocol"] == "mptcp"]
    shown = runs if mptcp.empty else mptcp
    if request.case is not None:
        shown = runs[runs["case"] == request.case]
    if shown.empty:
        raise UndrawableError(f"no run of {request.case} is ok")
    goodput = {
        str(case): rows.groupby("point")[column].mean()
        for case, rows in shown.groupby("case", sort=False)
    }
    alone = _tcp_alone(shown[shown["case"] == shown["case"].iloc[0]], capacities_of)
    capacities = runs.groupby("point")[capacities_of].first()
    numbers = style.case_numbers(campaign.runs["case"])
    _plot(goodput, alone, capacities, numbers, target)
    return DrawnFigure(title(request), target.name, f"{STACKED if alone else ''}{LINE}")


def _tcp_alone(rows: pd.DataFrame, named: Sequence[str]) -> dict[str, pd.Series]:
    """Goodput of TCP alone on each path by design point, in Mbit/s.

    rows : the rows of one case of MPTCP; those of another case have no such columns
    Returns an empty mapping unless the goodput is known on all paths.
    """
    heads = [name.rpartition(".")[0] for name in named]
    names = {f"{head}.tcp_goodput_mbps": head for head in heads}
    if not names.keys() <= set(rows.columns):
        return {}
    known = rows.dropna(subset=list(names))
    means = known.groupby("point")[list(names)].mean()
    return {
        f"TCP on {path_words(head)} by itself": means[name]
        for name, head in names.items()
        if len(means)
    }


def _plot(
    cases: Mapping[str, pd.Series],
    alone: Mapping[str, pd.Series],
    capacities: pd.DataFrame,
    numbers: Mapping[str, int],
    target: style.Target,
) -> None:
    """One group of bars per design point, points in order of summed capacity.

    With more than MOST_TOGETHER cases each case has a panel of its own, in which the
    stack of TCP stands beside it.

    cases : goodput by point of each case, in Mbit/s; one bar per case
    alone : goodput by point of TCP on each path, in Mbit/s, stacked beside the bars;
        may be empty
    capacities : capacities in Mbit/s, one row per point and one column per path
    numbers : the number of each case, for its colour
    """
    total = capacities.sum(axis=1).sort_values(kind="stable")
    together = len(cases) <= MOST_TOGETHER
    panels = [dict(cases)] if together else [{name: cases[name]} for name in cases]
    with style.styled(target.look):
        figure, axes = style.panels(1, len(panels))
        width = min(LONGEST_INCHES, max(5.2, 1.6 + 0.75 * len(total)))
        if target.look.columns:
            width = style.COLUMN_INCHES[target.look.columns]
        height = HEIGHT_INCHES if together else PANEL_HEIGHT_INCHES * len(panels)
        for axis, panel in zip(axes, panels, strict=True):
            _bars(axis, panel, alone, total, numbers)
            if not together:
                axis.set_title(next(iter(panel)), loc="left")
        _label_points(axes[-1], capacities.loc[total.index], width)
        names = {} if together else dict.fromkeys(cases)
        handles, labels = axes[0].get_legend_handles_labels()
        shown = [i for i, label in enumerate(labels) if label not in names]
        # The line, which comes first otherwise, stands behind the cases.
        shown = [*shown[1:], shown[0]]
        columns = style.legend_columns([labels[i] for i in shown], width - 0.6)
        figure.legend(
            [handles[i] for i in shown],
            [labels[i] for i in shown],
            loc="outside upper left",
            ncols=columns,
            frameon=False,
            handlelength=1.4,
        )
        rows = -(-len(shown) // columns)
        figure.set_size_inches(width, height + style.LEGEND_ROW_INCHES * rows)
        style.save(figure, target)


def _bars(
    axis: Axes,
    cases: Mapping[str, pd.Series],
    alone: Mapping[str, pd.Series],
    total: pd.Series,
    numbers: Mapping[str, int],
) -> None:
    places = np.arange(len(total))
    width = WIDTH / (len(cases) + bool(alone))
    shift = [width * (i - (WIDTH / width - 1) / 2) for i in range(len(cases) + 1)]
    for place, (name, values) in enumerate(cases.items()):
        axis.bar(
            places + shift[place],
            values.reindex(total.index),
            width,
            color=style.colour(numbers[name]),
            hatch=style.hatch(numbers[name]),
            edgecolor="white" if style.hatch(numbers[name]) else None,
            label=name,
        )
    below = np.zeros(len(total))
    for number, (name, parts) in enumerate(alone.items()):
        heights = parts.reindex(total.index).to_numpy(float)
        axis.bar(
            places + shift[len(cases)],
            heights,
            width,
            below,
            color=style.GREYS[number % len(style.GREYS)],
            label=name,
        )
        below += np.nan_to_num(heights)
    axis.hlines(
        total,
        places - WIDTH / 2 - 0.03,
        places + WIDTH / 2 + 0.03,
        color="black",
        lw=1.2,
        label="capacity of the paths together",
    )
    axis.set_ylabel("goodput [Mbit/s]")
    axis.set_xlim(-0.6, len(total) - 0.4)
    axis.set_ylim(0, float(total.max()) * 1.05)
    axis.set_xticks([])


def _label_points(axis: Axes, capacities: pd.DataFrame, width_inches: float) -> None:
    count = len(capacities)
    if count <= NAMED:
        names = [_name(row) for row in capacities.to_numpy()]
        turned = sum(map(len, names)) > LETTERS or not fit(names, width_inches)
        axis.set_xticks(
            range(count),
            names,
            rotation=30 if turned else 0,
            ha="right" if turned else "center",
        )
        words = _paths(capacities.columns)
        if text_inches(words) > width_inches - SCALE_INCHES:
            words = words.replace("], ", "],\n")
        axis.set_xlabel(words)
    else:
        axis.set_xlabel("design points, in order of capacity")


def _name(capacities: Iterable[float]) -> str:
    return " + ".join(f"{value:.3g}" for value in capacities)


def _paths(columns: Iterable[str]) -> str:
    names = [path_words(name.rpartition(".")[0]) for name in columns]
    return f"capacity of {' + '.join(names)} [Mbit/s], one design point each"
