"""Medians of a campaign's metrics by case, as a section of its page."""

from collections.abc import Iterator

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import column_of, label, without_mathematics
from analysis.campaign.numbers import is_number, quartiles
from analysis.figures.data import MPTCP_METRICS, networks
from analysis.report.markdown import markdown

MOST_VALUES = 12
"""A factor of the traffic with more values than this does not split the table."""
MPTCP_COLUMNS = {column_of(metric) for metric in MPTCP_METRICS}


def lines(campaign: Campaign) -> Iterator[str]:
    """Median and quartiles of the experiment's metrics over all runs, by case.

    A factor of the traffic with a few values, such as a size, splits the table.
    """
    runs = campaign.ok_runs
    columns = {metric: column_of(metric) for metric in campaign.metrics}
    known = [
        n for n in columns.values() if is_number(runs, n) and runs[n].notna().any()
    ]
    if runs.empty or not known:
        return
    yield "## Metrics"
    yield ""
    split = [name for name in campaign.factors if _splits(runs, name)]
    rows = []
    samples = networks(runs, ["case", *split])
    for (case, *values), group in samples.groupby(["case", *split], sort=False):
        idle = set() if (group["protocol"] == "mptcp").any() else MPTCP_COLUMNS
        cells = ["-" if name in idle else quartiles(group[name]) for name in known]
        place = [str(case), *(f"{value:.12g}" for value in values)]
        rows.append([*place, str(len(group)), *cells])
    names = [without_mathematics(label(name)) for name in (*split, "n", *known)]
    yield from markdown(["case", *names], rows, numbers_from=1)
    yield (
        "The table shows the median of each case with the first and third quartile. n"
        " counts networks, whose repetitions are averaged. For a single network, n"
        " counts repetitions. The table of runs has all metrics of every run."
    )
    yield ""
    unknown = [metric for metric, column in columns.items() if column not in known]
    if unknown:
        yield f"No run with the verdict ok has these metrics: {', '.join(unknown)}."
        yield ""


def _splits(runs: pd.DataFrame, factor: str) -> bool:
    """Whether the factor is a number of the traffic with only a few values."""
    few = is_number(runs, factor) and runs[factor].nunique() <= MOST_VALUES
    return few and factor.startswith("traffic")
