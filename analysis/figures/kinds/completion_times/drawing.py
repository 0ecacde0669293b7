"""Drawing of the completion times of flows, as steps."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures import palette, style
from analysis.figures.kinds.completion_times.data import CompletionData

HEIGHT_INCHES = 2.8


def draw(data: CompletionData, look: style.Look) -> Figure:
    """Draw one curve per case: the part of the flows that is complete within a time, or
    of the samples that are at most a value."""
    figure, (axis,) = style.panels(1)
    for case, values in data.curves.items():
        times = pd.Series(list(values), dtype=float)
        steps = np.sort(times.dropna().to_numpy())
        shares = np.arange(1, len(steps) + 1) / len(values)
        axis.step(
            steps,
            shares,
            where="post",
            **palette.curve(data.numbers[case], len(data.numbers), len(steps)),
            label=f"{case} (n = {len(values)})",
        )
    if data.log in ("x", "both"):
        axis.set_xscale("log")
    else:
        axis.set_xlim(left=min(0.0, *axis.get_xlim()))
    axis.set_ylim(0, 1.02)
    axis.set_xlabel(data.label)
    axis.set_ylabel(f"part of the {data.what}")
    style.size_single(figure, axis, HEIGHT_INCHES, look)
    return figure
