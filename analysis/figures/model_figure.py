"""The model of LIA beside runs, as a figure."""

import pandas as pd

from analysis.figures import models
from analysis.figures.drawn import Drawn, rows_of, title
from analysis.figures.labels import label
from analysis.figures.request import UndrawableError, Wanted, parameter_column
from analysis.figures.style import Target
from analysis.models.throughput import rmse
from analysis.report.markdown import digits

HEAD = ("path", "runs", "RMSE [packets/s]", "mean of the model less what was sent")


def model(wanted: Wanted, good: pd.DataFrame, target: Target) -> Drawn:
    """A panel a path against the factor `by`; raises UndrawableError for runs that
    the model says nothing of."""
    by = parameter_column(good, wanted.by)
    names = [n for n in good.columns if str(n).endswith(".model_packets_per_s")]
    rows = rows_of(wanted, good).dropna(subset=[by, *names]).sort_values(by)
    if rows.empty or not names:
        raise UndrawableError("no run is of MPTCP with lia over paths with random loss")
    panels, cells = [], []
    for name in sorted(names):
        path = name.partition(".")[0]
        sent, foreseen = rows[f"{path}.sent_packets_per_s"], rows[name]
        error = rmse(list(foreseen), list(sent))
        words = path.replace("path", "path ")
        panels.append(models.Panel(words, rows[by], sent, foreseen, error))
        more = float((foreseen - sent).mean())
        cells.append((words, str(len(rows)), digits(error), digits(more)))
    models.draw(panels, label(by), target)
    return Drawn(title(wanted), target.name, head=HEAD, cells=tuple(cells))
