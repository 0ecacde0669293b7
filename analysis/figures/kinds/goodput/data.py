"""Goodput of each design point: MPTCP beside TCP on every path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, path_words, paths, plain
from analysis.campaign.path_shares import multipath
from analysis.figures import palette
from analysis.figures.data import metric_column, ok_runs, value_text
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.goodput.request import Goodput

STACKED = (
    "Where the bar of MPTCP is as high as the stack beside it, MPTCP adds the paths up"
    " as well as one TCP on each. "
)
LINE = (
    "The line shows what the links carry, headers included, so no goodput reaches it."
    " Repetitions are averaged."
)
CHANGING = (
    " Of a link that changes it has the mean over the traffic's time; the axis names"
    " the capacity at its beginning."
)


@dataclass(frozen=True, kw_only=True)
class GoodputData(PageText):
    """Goodput and capacity of each design point.

    cases : goodput by point of each case, in Mbit/s
    alone : goodput by point of TCP on each path, in Mbit/s; may be empty
    capacities : capacities in Mbit/s, one row per point and one column per path, at the
        beginning of the run
    carried : what the paths carry together by point, in Mbit/s; of links that change,
        the mean over the traffic's time
    numbers : the number of each case, for its colour
    others : what else tells design points with the same capacities apart, in words, by
        point; empty where the capacities differ
    other : the names of those factors
    """

    cases: Mapping[str, pd.Series]
    alone: Mapping[str, pd.Series]
    capacities: pd.DataFrame
    carried: pd.Series
    numbers: Mapping[str, int]
    others: Mapping[int, str] = field(default_factory=dict)
    other: str = ""


def data(request: Goodput, campaign: Campaign) -> GoodputData:
    """MPTCP's goodput at each design point beside that of TCP on each path.

    Raises UndrawableError if no run of the request's case is ok.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, "goodput")
    named = [f"{name}.capacity_mbps" for name in paths(runs)]
    links = sorted(name for name in runs.columns if name.endswith(".capacity_mbps"))
    capacities_of = named if named and set(named) <= set(links) else links
    several = multipath(runs)
    shown = runs if several.empty else several
    if request.case is not None:
        shown = runs[runs["case"] == request.case]
    if shown.empty:
        raise UndrawableError(f"no run of {request.case} is ok")
    capacities = runs.groupby("point")[capacities_of].first()
    others, other = _others(campaign, capacities)
    carried = _carried(runs, capacities)
    changing = not np.allclose(carried, capacities.sum(axis=1))
    alone = _tcp_alone(shown[shown["protocol"] == "mptcp"], capacities_of)
    return GoodputData(
        cases={
            str(case): rows.groupby("point")[column].mean()
            for case, rows in shown.groupby("case", sort=False)
        },
        alone=alone,
        capacities=capacities,
        carried=carried,
        others=others,
        other=other,
        numbers=palette.case_numbers(campaign.runs["case"]),
        note=f"{STACKED if alone else ''}{LINE}{CHANGING if changing else ''}",
    )


def _carried(runs: pd.DataFrame, capacities: pd.DataFrame) -> pd.Series:
    """The capacity of all paths together by point, and the mean where it changes."""
    means = {}
    for name in capacities:
        mean = f"{str(name).removesuffix('capacity_mbps')}mean_capacity_mbps"
        means[name] = capacities[name]
        if mean in runs.columns:
            known = runs.groupby("point")[mean].mean()
            means[name] = known.reindex(capacities.index).fillna(capacities[name])
    return pd.DataFrame(means).sum(axis=1)


def _others(campaign: Campaign, capacities: pd.DataFrame) -> tuple[dict[int, str], str]:
    """Factors that tell points of equal capacities apart: values by point, and names.

    capacities : by point
    """
    alike = capacities.round(6).duplicated(keep=False)
    rows = campaign.ok_runs.groupby("point").first()
    names = [
        name
        for name in campaign.factors
        if name in rows.columns
        and name not in capacities.columns
        and rows.loc[alike[alike].index, name].nunique() > 1
    ]
    if not names:
        return {}, ""
    units = [label(name).partition(" [")[2].rstrip("]") for name in names]
    words = {
        int(point): ", ".join(
            value_text(rows.loc[point, name], unit, with_unit=True)
            for name, unit in zip(names, units, strict=True)
        )
        for point in rows.index
    }
    return words, ", ".join(plain(name) for name in names)


def _tcp_alone(rows: pd.DataFrame, named: Sequence[str]) -> dict[str, pd.Series]:
    """Goodput of TCP alone on each path by design point, in Mbit/s, as the first case
    has it.

    rows : of MPTCP, the only rows that have such columns
    Returns an empty mapping unless the goodput is known on all paths.
    """
    heads = [name.rpartition(".")[0] for name in named]
    names = {f"{head}.tcp_goodput_mbps": head for head in heads}
    if not names.keys() <= set(rows.columns):
        return {}
    first = rows[rows["case"].isin(rows["case"].head(1))]
    known = first.dropna(subset=list(names))
    means = known.groupby("point")[list(names)].mean()
    return {
        f"TCP on {path_words(head)} by itself": means[name]
        for name, head in names.items()
        if len(means)
    }
