"""Throughput of each path beside a model's, after thesis Figs 6.3 and 6.4."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.figures import style


@dataclass(frozen=True)
class Panel:
    """Of one path. x, sent, model : of the same length, in the order of x"""

    name: str
    x: pd.Series
    sent: pd.Series
    model: pd.Series
    error: float


def draw(panels: Sequence[Panel], label: str, target: style.Target) -> list[Path]:
    """A panel a path: what was sent as points, the model as a line.

    label : of x; error : the root-mean-square error, packets a second
    """
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
            axis.set_xlabel(label)
            axis.set_ylim(bottom=0)
        axes[0].set_ylabel("packets a second")
        axes[0].legend(frameon=False)
        return style.save(figure, target)
