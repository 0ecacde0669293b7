"""Throughput of each path beside a model's line."""

from matplotlib.figure import Figure

from analysis.figures import palette, style
from analysis.figures.kinds.model.data import ModelData


def draw(data: ModelData, look: style.Look) -> Figure:
    """Draw the data sent as points and the model as a line, one panel per path."""
    panels = data.panels
    columns = 1 if look.narrow else len(panels)
    figure, axes = style.panels(columns, len(panels) // columns)
    for axis, panel in zip(axes, panels, strict=True):
        axis.plot(
            panel.x,
            panel.model,
            color=palette.ORANGE,
            ls=palette.DASHES[1],
            lw=1.5,
            label="model (eq. 6.6)",
        )
        axis.plot(
            panel.x,
            panel.sent,
            "o-",
            color=palette.BLUE,
            ms=4,
            lw=1,
            label="sent",
        )
        axis.set_title(f"{panel.name}: RMSE {panel.error:.1f} packets/s", loc="left")
        axis.set_xlabel(data.label)
        axis.set_ylim(bottom=0)
    axes[0].set_ylabel("packets per second")
    axes[0].legend(frameon=False)
    return figure
