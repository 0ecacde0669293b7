"""Goodput of each design point: MPTCP beside TCP on every path, stacked."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.campaign.campaign import Campaign
from analysis.figures import style
from analysis.figures.data import metric_column, ok_runs
from analysis.figures.drawn import DrawnFigure, UndrawableError
from analysis.figures.request import FigureRequest
from analysis.figures.titles import title

WIDTH = 0.82
"""Width of all bars of a design point together; neighbouring points are 1 apart."""
NAMED = 12
"""The most design points whose capacities are written below them."""
NARROW = 8
"""The most design points beside which the legend does not fit into one row."""
LONGEST_INCHES = 11.0


STACKED = (
    "Where the bar of MPTCP is as high as the stack beside it, MPTCP adds the paths up"
    " as well as one TCP on each. "
)
LINE = (
    "The line is what the links carry, headers included, so no goodput reaches it."
    " Repetitions are averaged."
)


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """MPTCP's goodput at each design point beside that of TCP on each path.

    Raises UndrawableError if no run of the request's case is ok.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, "goodput")
    paths = sorted(name for name in runs.columns if name.endswith(".capacity_mbps"))
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
    alone = _tcp_alone(shown[shown["case"] == shown["case"].iloc[0]], paths)
    capacities = runs.groupby("point")[paths].first()
    _plot(goodput, alone, capacities, target)
    return DrawnFigure(title(request), target.name, f"{STACKED if alone else ''}{LINE}")


def _tcp_alone(rows: pd.DataFrame, paths: Sequence[str]) -> dict[str, pd.Series]:
    """Goodput of TCP alone on each path by design point, in Mbit/s.

    rows : the rows of one case of MPTCP; those of another case have no such columns
    Returns an empty mapping unless the goodput is known on all paths.
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


def _plot(
    cases: Mapping[str, pd.Series],
    alone: Mapping[str, pd.Series],
    capacities: pd.DataFrame,
    target: style.Target,
) -> None:
    """One group of bars per design point, points in order of summed capacity.

    cases : goodput by point of each case, in Mbit/s; one bar per case
    alone : goodput by point of TCP on each path, in Mbit/s, stacked beside the bars;
        may be empty
    capacities : capacities in Mbit/s, one row per point and one column per path
    """
    total = capacities.sum(axis=1).sort_values(kind="stable")
    places = np.arange(len(total))
    width = WIDTH / (len(cases) + bool(alone))
    shift = [width * (i - (WIDTH / width - 1) / 2) for i in range(len(cases) + 1)]
    with style.styled(target.look):
        figure, (axis,) = style.panels(1)
        inches = max(5.2, 1.6 + 0.75 * len(total))
        figure.set_size_inches(min(LONGEST_INCHES, inches), 3.6)
        for number, (name, values) in enumerate(cases.items()):
            axis.bar(
                places + shift[number],
                values.reindex(total.index),
                width,
                color=style.SERIES[number % len(style.SERIES)],
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
        narrow = target.look.columns is not None or len(total) <= NARROW
        _finish(axis, capacities.loc[total.index], 1 + len(cases), narrow)
        style.save(figure, target)


def _finish(
    axis: Axes, capacities: pd.DataFrame, stacked_from: int, narrow: bool
) -> None:
    count = len(capacities)
    axis.set_ylabel("goodput [Mbit/s]")
    axis.set_xlim(-0.6, count - 0.4)
    axis.set_ylim(0, float(capacities.sum(axis=1).max()) * 1.05)
    if count <= NAMED:
        axis.set_xticks(range(count), [_name(row) for row in capacities.to_numpy()])
        axis.set_xlabel(_paths(capacities.columns))
    else:
        axis.set_xticks([])
        axis.set_xlabel("design points, in order of capacity")
    # Above the axes: there is no corner that the bars surely leave free.
    handles, names = axis.get_legend_handles_labels()
    # The line, which comes first otherwise, ends the first column.
    order = [*range(1, stacked_from), 0, *range(stacked_from, len(names))]
    axis.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        loc="lower left",
        bbox_to_anchor=(0, 1.01),
        ncols=2 if narrow else len(names),
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
    )


def _name(capacities: Iterable[float]) -> str:
    return " + ".join(f"{value:.3g}" for value in capacities)


def _paths(columns: Iterable[str]) -> str:
    paths = [name.partition(".")[0].replace("path", "path ") for name in columns]
    return f"capacity of {' + '.join(paths)} [Mbit/s], one design point each"
