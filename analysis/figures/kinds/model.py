"""Throughput of each path beside a model's, after thesis Figs 6.3 and 6.4."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, path_words
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.numbers import digits
from analysis.figures import style
from analysis.figures.data import ok_runs, parameter_column, rows_of
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title
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


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One panel per path against the factor `by`.

    Raises UndrawableError for runs about which the model says nothing.
    """
    runs = ok_runs(campaign)
    by = parameter_column(runs, request.by or "")
    names = [n for n in runs.columns if str(n).endswith(".model_packets_per_s")]
    rows = rows_of(request, runs).dropna(subset=[by, *names]).sort_values(by)
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
    _plot(panels, label(by), target)
    return DrawnFigure(title(request), target.name, head=HEAD, cells=tuple(cells))


def _plot(panels: Sequence[Panel], x_label: str, target: style.Target) -> None:
    """Draw the data sent as points and the model as a line, one panel per path."""
    with style.styled(target.look):
        columns = 1 if target.look.narrow else len(panels)
        figure, axes = style.panels(columns, len(panels) // columns)
        for axis, panel in zip(axes, panels, strict=True):
            axis.plot(
                panel.x,
                panel.model,
                color=style.ORANGE,
                ls=style.DASHES[1],
                lw=1.5,
                label="model (eq. 6.6)",
            )
            axis.plot(
                panel.x,
                panel.sent,
                "o-",
                color=style.BLUE,
                ms=4,
                lw=1,
                label="sent",
            )
            axis.set_title(
                f"{panel.name}: RMSE {panel.error:.1f} packets/s", loc="left"
            )
            axis.set_xlabel(x_label)
            axis.set_ylim(bottom=0)
        axes[0].set_ylabel("packets per second")
        axes[0].legend(frameon=False)
        style.save(figure, target)
