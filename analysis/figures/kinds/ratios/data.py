"""A metric of each case over that of one case, network by network, as a table."""

from collections.abc import Sequence

import pandas as pd

from analysis.campaign import directions
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, plain
from analysis.campaign.numbers import digits
from analysis.figures.data import metric_column, ok_runs, value_text
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.ratios.request import Ratios

NAMED = 3
"""Number of the best and of the worst networks that are named."""
HEAD = ("case", "n", "mean", "median", "5th percentile", "95th percentile")


def data(request: Ratios, campaign: Campaign) -> PageText:
    """One row per case: mean, median and percentiles of the ratio over networks.

    The best and the worst networks stand at the end of the row by the number of their
    design point, and below the table with the values of all factors. Of a metric that
    has no good direction, they are the highest and the lowest. There is no picture.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    others = [str(case) for case in runs["case"].unique() if case != request.over]
    cases = others if request.case is None else [request.case]
    good_way = directions.direction(request.metric, campaign.directions)
    less_is_good = good_way == directions.LESS
    good, bad = directions.ends(good_way)
    cells: list[tuple[str, ...]] = []
    named: list[int] = []
    for case in cases:
        ratios = by_point(runs, case, request.over, column)
        if ratios.empty:
            continue
        ordered = ratios.sort_values(kind="stable")
        rising, falling = ordered.iloc[:NAMED], ordered.iloc[::-1].iloc[:NAMED]
        first, second = (rising, falling) if less_is_good else (falling, rising)
        named += [int(point) for part in (first, second) for point in part.index]
        marks = (ratios.mean(), *ratios.quantile([0.5, 0.05, 0.95]))
        cells.append(
            (case, str(len(ratios)), *map(digits, marks), _told(first), _told(second))
        )
    if not cells:
        raise UndrawableError(
            f"no network has both {request.over} and another case with the metric"
        )
    note = (
        f"The table shows ratios to {request.over}, one per design point: the mean over"
        f" the repetitions of each case, divided. The {good} and the {bad} are those of"
        f" the case in the row. {_points(runs, campaign.factors, named)}"
    )
    head = (*HEAD, good, bad)
    return PageText(note=note.strip(), head=head, cells=tuple(cells))


def by_point(runs: pd.DataFrame, case: str, over: str, column: str) -> pd.Series:
    """The ratio of the means over repetitions, by design point.

    Points that lack either case are left out, and points where `over` has nothing.
    """
    one, other = (
        runs[runs["case"] == name].groupby("point")[column].mean().astype(float)
        for name in (case, over)
    )
    return (one / other.where(other > 0)).dropna()


def _told(ratios: pd.Series) -> str:
    """`1.53 (point 12), 1.42 (point 3)`"""
    return ", ".join(f"{digits(ratio)} (point {p})" for p, ratio in ratios.items())


def _points(runs: pd.DataFrame, factors: Sequence[str], points: Sequence[int]) -> str:
    """A sentence with the values of all factors at each of these points."""
    told = []
    for point in sorted(set(points)):
        row = runs[runs["point"] == point].iloc[0]
        values = []
        for factor in factors:
            unit = label(factor).partition(" [")[2].rstrip("]")
            text = value_text(row[factor], unit, with_unit=True)
            values.append(f"{plain(factor)} {text}")
        told.append(f"Point {point}: {', '.join(values)}.")
    return " ".join(told)
