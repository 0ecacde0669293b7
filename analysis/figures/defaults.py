"""The figures of an experiment that asks for none."""

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import OWN_FACTOR, column_of, paths
from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.campaign.numbers import is_number
from analysis.figures.data import MOST_GROUPS
from analysis.figures.kinds.box.request import Box
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.kinds.groups.request import Groups
from analysis.figures.kinds.histogram.request import Histogram
from analysis.figures.kinds.over_time.data import tells_much
from analysis.figures.kinds.over_time.request import OverTime
from analysis.figures.kinds.scatter.request import Scatter
from analysis.run.number_columns import UNITS

DIFFERENCES = {"capacity": "capacity_mbps", "delay": "delay_ms"}
"""Factors whose difference between the first two paths a metric is drawn against."""
MOST_FACTORS = 2
"""The factors that a metric is drawn against where more than two paths leave no single
difference."""


def requests(campaign: Campaign) -> tuple[FigureRequest, ...]:
    """The goodput, the factors, each metric of the experiment, and runs over time.

    A metric is drawn against a factor of the traffic with a few values, such as a
    size, or else against the differences of two paths' capacities and delays, as far
    as the design varies them. With more paths, it is drawn against the first factors.
    The figures over time are drawn for several users or phases.
    """
    found: list[FigureRequest] = []
    if "goodput" in campaign.metrics and _capacities_bound(campaign):
        found.append(Goodput())
    if any(is_number(campaign.runs, name) for name in campaign.factors):
        found.append(Histogram(batches=10))
    for metric in campaign.metrics:
        found += _of_metric(campaign, metric)
    if tells_much(campaign):
        found += [OverTime(quantities=(quantity,)) for quantity in ("goodput", "cwnd")]
    return tuple(found)


def _capacities_bound(campaign: Campaign) -> bool:
    """Whether no goodput exceeds the capacities of all links together.

    In a data centre they are those of classes of links, and say nothing of the sum.
    """
    runs = campaign.ok_runs
    if "goodput_mbps" not in runs.columns:
        return True
    links = [name for name in runs.columns if name.endswith(".capacity_mbps")]
    return not (runs["goodput_mbps"] > runs[links].sum(axis=1)).any()


def _of_metric(campaign: Campaign, metric: str) -> list[FigureRequest]:
    runs = campaign.ok_runs
    column = column_of(metric, runs)
    if metric == "goodput" or not is_number(runs, column) or runs[column].isna().all():
        return []
    sizes = [
        factor
        for factor in campaign.factors
        if factor.startswith("traffic") and 1 < runs[factor].nunique() <= MOST_GROUPS
    ]
    if sizes:
        by = _parameter(sizes[0])
        return [Groups(metric=metric, by=by)]
    if len(paths(runs)) > 2:
        numbers = [name for name in campaign.factors if is_number(runs, name)]
        return [
            Scatter(metric=metric, by=_parameter(name))
            for name in numbers[:MOST_FACTORS]
        ]
    behind = {
        factor: {f"{path}.{key}" for path in paths(runs)[:2]}
        for factor, key in DIFFERENCES.items()
    }
    return [
        Box(metric=metric, criterion=Criterion(factor=factor))
        for factor, columns in behind.items()
        if columns & set(campaign.factors)
        and len(columns) > 1
        and columns <= set(runs.columns)
    ]


def _parameter(column: str) -> str:
    """`traffic.size` for the column `traffic.size_bytes`, `out` for `factor.out_s`."""
    head, _, last = column.removeprefix(OWN_FACTOR).rpartition(".")
    name, _, unit = last.rpartition("_")
    name = name if name and unit in UNITS else last
    return f"{head}.{name}" if head else name
