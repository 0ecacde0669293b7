"""Two metrics of each network and case, as they are and over those of one case."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.campaign import question
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, without_mathematics
from analysis.campaign.directions import LESS, MORE, Direction, direction
from analysis.campaign.numbers import is_number, short
from analysis.campaign.observations import networks
from analysis.figures import ellipses, palette, scales
from analysis.figures.data import (
    axis_labels,
    check_distinct,
    ok_runs,
    panels_of,
    parameter_column,
    summary_row,
)
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.trade_off.request import TradeOff

READING = (
    "A small mark is a network, with its repetitions averaged; a large one has the"
    " medians of its case. The ellipse has the standard deviation of the networks that"
    " are shown along its axes; it is no interval, and needs"
    f" {ellipses.LEAST_POINTS} networks."
)
CORNERS: Mapping[tuple[Direction, Direction], str] = {
    (MORE, MORE): "Better is up and to the right.",
    (LESS, MORE): "Better is up and to the left.",
    (MORE, LESS): "Better is down and to the right.",
    (LESS, LESS): "Better is down and to the left.",
}
"""By the directions of the horizontal and of the vertical metric."""
AXES = ("x", "y")


@dataclass(frozen=True)
class Cloud:
    """The networks of one case. x, y : shape (n,); outline : its ellipse, or None"""

    x: np.ndarray
    y: np.ndarray
    outline: np.ndarray | None

    @property
    def middle(self) -> tuple[float, float]:
        return float(np.median(self.x)), float(np.median(self.y))


@dataclass(frozen=True)
class Panel:
    """One panel.

    log : the axes with a logarithmic scale
    ranges : of the axes where outliers are cut off, by "x" and "y"
    one : whether lines show the value 1
    name : the value of the factor whose networks it shows
    """

    clouds: Mapping[str, Cloud]
    labels: tuple[str, str]
    log: str | None
    ranges: Mapping[str, scales.Range]
    one: bool = False
    name: str = ""

    def nearest(self, place: tuple[float, float]) -> tuple[float, float]:
        """The place of the figure that is nearest to a pair of values."""
        x, y = (
            min(max(value, self.ranges[name].ends[0]), self.ranges[name].ends[1])
            if name in self.ranges
            else value
            for name, value in zip(AXES, place, strict=True)
        )
        return x, y


@dataclass(frozen=True, kw_only=True)
class TradeOffData(PageText):
    """The panels, at least one. numbers : of each case, for its colour"""

    panels: Sequence[Panel]
    numbers: Mapping[str, int]


def data(request: TradeOff, campaign: Campaign) -> TradeOffData:
    """Both metrics of each network, and with `over` also over those of that case."""
    runs = ok_runs(campaign)
    names = (request.against, request.metric)
    columns = [_column(request, name, campaign) for name in names]
    keys = [parameter_column(runs, request.panels)] if request.panels else []
    rows = networks(runs.dropna(subset=columns), ["case", *keys])
    if "point" not in rows.columns or rows.empty:
        raise UndrawableError("no run that is ok has both metrics")
    by_case = {str(c): of for c, of in rows.groupby("case", sort=False)}
    shown = [request.case] if request.case is not None else list(by_case)
    check_distinct(len(shown), "cases")
    if not set(shown) <= set(by_case):
        raise UndrawableError(f"no run of {request.case} that is ok has both metrics")
    usual = (label(columns[0]), label(columns[1]))
    labels = axis_labels(request.labels, usual)
    found = {case: by_case[case][columns].to_numpy(float).T for case in shown}
    panels = [_panel(found, labels, request.log)]
    if request.panels is not None:
        panels = list(_by_factor(rows, request.panels, shown, columns, panels[0]))
    elif request.over in by_case and len(by_case) > 1:
        panels += _over(by_case, shown, request.over or "", columns, labels)
    ways = [direction(n.rpartition(".")[2], campaign.directions) for n in names]
    better = CORNERS.get((ways[0], ways[1]), "")
    plain = [without_mathematics(text).partition(" [") for text in usual]
    quantities = [name for name, _, _ in plain]
    units = [unit.rstrip("]") for _, _, unit in plain]
    if request.panels is not None:
        # The ranges are those of all networks together.
        beyond = [*_beyond(_panel(found, labels, request.log), quantities, units)]
    else:
        beyond = [*_beyond(panels[0], quantities, units)]
        for panel in panels[1:]:
            beyond += _beyond(panel, quantities, ("", ""), " of the second panel")
    if request.panels is not None and request.over is not None:
        beyond.append(f"Beside panels, values over those of {request.over} have none.")
    return TradeOffData(
        panels=panels,
        numbers=palette.case_numbers(campaign.runs["case"]),
        note=" ".join(filter(None, [better, *beyond])),
        reading=READING,
        summary=pd.DataFrame(
            [
                summary_row(
                    column, "", case, without_mathematics(label(column)), values
                )
                for case in shown
                for column, values in zip(
                    columns, map(pd.Series, found[case]), strict=True
                )
            ]
        ),
        batch_label="metric",
    )


def _by_factor(
    rows: pd.DataFrame, by: str, shown: Sequence[str], columns: list[str], whole: Panel
) -> Iterator[Panel]:
    """A panel per value of a factor, with the scales and ranges of the whole."""
    for name, group in panels_of(rows, by):
        of = {str(c): of_case for c, of_case in group.groupby("case", sort=False)}
        found = {c: of[c][columns].to_numpy(float).T for c in shown if c in of}
        clouds = _clouds(found, whole.ranges, whole.log)
        if clouds:
            yield replace(whole, clouds=clouds, name=name)


def _column(request: TradeOff, metric: str, campaign: Campaign) -> str:
    name = f"{request.part}.{metric}" if request.part else metric
    runs = campaign.ok_runs
    known = question.columns(name, runs, campaign.entries)
    good = [c for c in known if is_number(runs, c) and runs[c].notna().any()]
    if not good:
        raise UndrawableError(f"no run has the metric {name}")
    return good[0]


def _over(
    by_case: Mapping[str, pd.DataFrame],
    shown: Sequence[str],
    over: str,
    columns: Sequence[str],
    labels: tuple[str, str],
) -> Iterator[Panel]:
    """The panel of both metrics over those of a case, if these are above 0."""
    base = by_case[over].groupby("point")[list(columns)].mean()
    if (base <= 0).any().any():
        return
    ratios = {}
    for case in shown:
        of_case = by_case[case].groupby("point")[list(columns)].mean()
        both = of_case.index.intersection(base.index)
        if len(both):
            ratios[case] = (of_case.loc[both] / base.loc[both]).to_numpy(float).T
    names = [text.partition(" [")[0] for text in labels]
    words = (f"{names[0]}, over {over}", f"{names[1]}, over {over}")
    if ratios:
        yield _panel(ratios, words, scales.NONE, over)


def _panel(
    values: Mapping[str, np.ndarray],
    labels: tuple[str, str],
    asked: str | None,
    over: str | None = None,
) -> Panel:
    """The panel of the values of each case.

    values : of each case, shape (2, n), across and up
    over : the case that values are divided by; its own are 1, and do not say what is
        far from the others
    """
    told = [both for case, both in values.items() if case != over]
    every = np.concatenate(told or list(values.values()), axis=1)
    stays = [] if over is None else [[1.0]]
    log = scales.log_axes(asked, every[0], every[1])
    ranges = {
        name: found
        for name, numbers in zip(AXES, every, strict=True)
        if log not in (name, "both")
        and (found := scales.cut(numbers, stays, most_beyond=1))
    }
    one = over is not None
    return Panel(_clouds(values, ranges, log), labels, log, ranges, one)


def _clouds(
    values: Mapping[str, np.ndarray],
    ranges: Mapping[str, scales.Range],
    log: str | None,
) -> dict[str, Cloud]:
    clouds = {}
    for case, both in values.items():
        # Outliers would blow an ellipse up as they flatten an axis.
        inside = np.ones(both.shape[1], bool)
        for name, numbers in zip(AXES, both, strict=True):
            if name in ranges:
                cut = ranges[name]
                inside &= (numbers >= cut.low) & (numbers <= cut.high)
        outline = ellipses.outline(both[0][inside], both[1][inside], log)
        clouds[case] = Cloud(both[0], both[1], outline)
    return clouds


def _beyond(
    panel: Panel, names: Sequence[str], units: Sequence[str], place: str = ""
) -> Iterator[str]:
    """Sentences on what lies outside a panel.

    names, units : of the quantities across and up
    place : ` of the second panel`; empty for the first
    """
    count = sum(len(cloud.x) for cloud in panel.clouds.values())
    for axis, name, unit in zip(AXES, names, units, strict=True):
        yield scales.told(panel.ranges.get(axis), count, f"marks{place}", unit, name)
    for case, cloud in panel.clouds.items():
        if panel.nearest(cloud.middle) != cloud.middle:
            x, y = (
                f"{short(value)}{f' {unit}' if unit else ''}"
                for value, unit in zip(cloud.middle, units, strict=True)
            )
            to = f"the medians of {case}: {x} across, {y} up"
            yield f"The arrow{place} points to {to}."
