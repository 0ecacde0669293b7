"""Throughput of each path and of a model, after thesis Figs 6.3 and 6.4."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, path_words
from analysis.campaign.numbers import digits
from analysis.figures.data import ok_runs, parameter_column, rows_of
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.model.request import Model
from analysis.models.throughput import rmse

HEAD = ("path", "runs", "RMSE [packets/s]", "mean of the model less what was sent")


@dataclass(frozen=True)
class Panel:
    """One path.

    x : values of the factor, rising
    sent, model : packets per second at each x
    error : root-mean-square error, in packets per second
    """

    name: str
    x: pd.Series
    sent: pd.Series
    model: pd.Series
    error: float


@dataclass(frozen=True, kw_only=True)
class ModelData(PageText):
    """One panel per path, at least one; label : of the factor."""

    panels: Sequence[Panel]
    label: str


def data(request: Model, campaign: Campaign) -> ModelData:
    """Throughput that each path sent and that the model predicts, over the factor `by`.

    Raises UndrawableError for runs about which the model says nothing.
    """
    runs = ok_runs(campaign)
    by = parameter_column(runs, request.by)
    names = [n for n in runs.columns if str(n).endswith(".model_packets_per_s")]
    rows = rows_of(runs, None, request.case).dropna(subset=[by, *names]).sort_values(by)
    if rows.empty or not names:
        raise UndrawableError("no run is of MPTCP with lia over paths with random loss")
    panels, cells = [], []
    for name in sorted(names):
        path = name.rpartition(".")[0]
        sent, predicted = rows[f"{path}.sent_packets_per_s"], rows[name]
        error = rmse(list(predicted), list(sent))
        words = path_words(path)
        panels.append(Panel(words, rows[by], sent, predicted, error))
        excess = float((predicted - sent).mean())
        cells.append((words, str(len(rows)), digits(error), digits(excess)))
    return ModelData(panels=panels, label=label(by), head=HEAD, cells=tuple(cells))
