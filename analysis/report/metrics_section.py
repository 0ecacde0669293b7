"""Medians of a campaign's metrics by case, as a section of its page."""

from collections.abc import Iterator

import pandas as pd

from analysis.campaign import needs
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import (
    DESIGN_WEIGHT,
    column_of,
    label,
    without_mathematics,
)
from analysis.campaign.numbers import is_number, quartiles, weighted_quartiles
from analysis.figures.data import MPTCP_METRICS, networks
from analysis.report.markdown import markdown

MOST_VALUES = 12
"""A factor of the traffic with more values than this does not split the table."""


def lines(campaign: Campaign) -> Iterator[str]:
    """Median and quartiles of the experiment's metrics over all runs, by case.

    A factor of the traffic with a few values, such as a size, splits the table. A
    campaign with weights of its networks gets a second table, which uses them.
    """
    runs = campaign.ok_runs
    columns = {metric: column_of(metric, runs) for metric in campaign.metrics}
    known = [
        n for n in columns.values() if is_number(runs, n) and runs[n].notna().any()
    ]
    if runs.empty or not known:
        return
    yield "## Metrics"
    yield ""
    split = [name for name in campaign.factors if _splits(runs, name)]
    yield from _table(runs, split, known, weighted=False)
    yield (
        "The table shows the median of each case with the first and third quartile. n"
        " counts networks, whose repetitions are averaged. For a single network, n"
        " counts repetitions. The table of runs has all metrics of every run."
    )
    yield ""
    if DESIGN_WEIGHT in runs.columns:
        yield from _table(runs, split, known, weighted=True)
        yield (
            "This table gives every place of the design's domain the same weight: a"
            " network counts as much as the share of the domain that is nearest to it."
            " A median that differs much from the first table leans on how the design"
            " spreads its networks, for example on those at the ends of the ranges."
        )
        yield ""
    unknown = [metric for metric, column in columns.items() if column not in known]
    if unknown:
        told = ", ".join(f"{name}{_needed(name)}" for name in unknown)
        yield f"No run with the verdict ok has these metrics: {told}."
        yield ""


def _needed(metric: str) -> str:
    """Reason why a metric may be absent, in brackets; empty if more than the file
    decides."""
    needed = needs.NEEDS.get(metric)
    return f" (it needs {needed})" if needed else ""


def _table(
    runs: pd.DataFrame, split: list[str], known: list[str], weighted: bool
) -> Iterator[str]:
    """Median and quartiles of each case, in which networks have weights or not."""
    rows = []
    mptcp_columns = {column_of(metric, runs) for metric in MPTCP_METRICS}
    samples = networks(runs, ["case", *split])
    for (case, *values), group in samples.groupby(["case", *split], sort=False):
        idle = set() if (group["protocol"] == "mptcp").any() else mptcp_columns
        cells = [
            "-" if name in idle else _cell(group, name, weighted) for name in known
        ]
        place = [str(case), *(f"{value:.12g}" for value in values)]
        rows.append([*place, str(len(group)), *cells])
    names = [without_mathematics(label(name)) for name in (*split, "n", *known)]
    yield from markdown(["case", *names], rows, numbers_from=1)


def _cell(group: pd.DataFrame, name: str, weighted: bool) -> str:
    if weighted:
        return weighted_quartiles(group[name], group[DESIGN_WEIGHT])
    return quartiles(group[name])


def _splits(runs: pd.DataFrame, factor: str) -> bool:
    """Whether the factor is a number of the traffic with only a few values."""
    few = is_number(runs, factor) and runs[factor].nunique() <= MOST_VALUES
    return few and factor.startswith("traffic")
