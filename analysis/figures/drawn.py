"""A figure as it stands in the page: its title, its numbers, and what reads it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from analysis.figures.labels import plain
from analysis.figures.request import Wanted
from analysis.run.quantities import QUANTITIES

LINES = {
    "aggregation_benefit": (0.0, 1.0),
    "experimental_aggregation_benefit": (0.0, 1.0),
    "traffic_split": (0.5,),
    "utilisation": (1.0,),
    "jain": (1.0,),
    "request_balance": (0.0,),
    "less_lossy_share": (0.5,),
}
"""Values of a metric that a reader looks for."""
BOUND = {"aggregation_benefit": "aggregation_benefit_bound"}
MEASURED = {
    "first_path_quality": "the quality of the first path",
    "first_path_use": "what the first path carried",
    "mean_loss": "the mean loss probability",
}
"""Criteria that are no parameters, in words."""
OF_MPTCP = ("traffic_split",)
"""Metrics that say nothing of a transport with one path."""


def rows_of(wanted: Wanted, runs: pd.DataFrame) -> pd.DataFrame:
    """The rows that a figure is of: one case's; of all, those that the metric is of."""
    if wanted.case is not None:
        return runs[runs["case"] == wanted.case]
    if wanted.metric in OF_MPTCP:
        return runs[runs["protocol"] == "mptcp"]
    return runs


@dataclass(frozen=True)
class Drawn:
    """A figure as it stands in the page.

    name : of its files, without suffix; empty for a table, which has none
    note : how to read it
    summary : quartiles by case and batch; empty for a figure without batches
    head, cells : of a table
    """

    title: str
    name: str
    note: str = ""
    summary: pd.DataFrame = field(default_factory=pd.DataFrame)
    head: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] = ()


def title(wanted: Wanted) -> str:
    """What it shows, in words; known before it is drawn."""
    metric = {"traffic_split": "share of path 1"}.get(wanted.metric)
    what = metric or plain(wanted.metric)
    quantities = [QUANTITIES[name].words for name in wanted.quantities]
    text = {
        "goodput": "goodput of each design point",
        "histogram": "factors of the design",
        "cdf": f"distribution of {what}",
        "table": f"medians of {what}",
        "over_time": f"{_list(quantities)} over time",
        "model": "throughput of each path and the model's",
    }.get(wanted.kind, what)
    text = text[0].upper() + text[1:]
    if wanted.users:
        text += f" of {_list(wanted.users)}"
    if wanted.kind == "over_time" and wanted.point:
        text += f", point {wanted.point}"
    if wanted.repetition:
        text += f", repetition {wanted.repetition}"
    if wanted.factor:
        joined = "by the sign of" if wanted.kind == "cdf" else "against"
        text += f" {joined} {_criterion(wanted)}"
    if wanted.by:
        text += f" by {_words(wanted.by)}"
    text += f", {wanted.case}" if wanted.case else ""
    return f"{text} (after {wanted.after})" if wanted.after else text


def _criterion(wanted: Wanted) -> str:
    if wanted.factor in MEASURED:
        return MEASURED[wanted.factor]
    factor = wanted.factor.replace("_", " ").replace(".", " ")
    return {
        "absolute": f"the absolute {factor} difference",
        "signed": f"the {factor} difference (path 1 less path 2)",
        "none": factor.replace("path", "path "),
    }[wanted.difference]


def _list(words: Sequence[str]) -> str:
    *most, last = words or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ").replace("path", "path ")
