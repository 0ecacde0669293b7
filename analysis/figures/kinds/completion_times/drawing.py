"""Steps of the completion times of flows."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures import palette, style
from analysis.figures.kinds.completion_times.data import CompletionData
from analysis.run.flow_times import completion_s

HEIGHT_INCHES = 2.8


def draw(data: CompletionData, look: style.Look) -> Figure:
    """Draw one curve per case: the part of the flows that is complete within a time."""
    figure, (axis,) = style.panels(1)
    for case, flows in data.curves.items():
        times = pd.Series([completion_s(flow) for flow in flows], dtype=float)
        steps = np.sort(times.dropna().to_numpy())
        shares = np.arange(1, len(steps) + 1) / len(flows)
        axis.step(
            steps,
            shares,
            where="post",
            color=palette.colour(data.numbers[case]),
            ls=palette.dash(data.numbers[case], len(data.numbers)),
            lw=1.5,
            label=f"{case} (n = {len(flows)})",
        )
    if data.log in ("x", "both"):
        axis.set_xscale("log")
    else:
        axis.set_xlim(left=0)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("completion time [s]")
    axis.set_ylabel("part of the flows")
    style.size_single(figure, axis, HEIGHT_INCHES, look)
    return figure
