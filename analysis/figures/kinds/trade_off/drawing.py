"""Marks of networks and ellipses of cases, one panel or two."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style
from analysis.figures.kinds.trade_off.data import Panel, TradeOffData

FEW = 12
"""So few networks have larger marks."""


def draw(data: TradeOffData, look: style.Look) -> Figure:
    """Draw one mark per network and case, and the middle and ellipse of each case."""
    columns = 1 if look.narrow else len(data.panels)
    figure, places = style.grid(columns, -(-len(data.panels) // columns))
    for axis, panel in zip(places, data.panels, strict=True):
        for case, number in data.numbers.items():
            if case in panel.clouds:
                _cloud(axis, panel, case, number)
        if panel.one:
            for line in (axis.axhline, axis.axvline):
                line(1, color=palette.GREY, lw=0.8, ls=":", zorder=0)
        clouds = panel.clouds.values()
        least = (min(c.x.min() for c in clouds), min(c.y.min() for c in clouds))
        axes.dress(axis, panel.labels, panel.log, least)
        if "x" in panel.ranges:
            axis.set_xlim(*panel.ranges["x"].ends)
        if "y" in panel.ranges:
            axis.set_ylim(*panel.ranges["y"].ends)
    axes.size_panels(figure, places, columns, look)
    return figure


def _cloud(axis: Axes, panel: Panel, case: str, number: int) -> None:
    cloud, colour = panel.clouds[case], palette.colour(number)
    mark = palette.marker(number)
    size = 3.0 if len(cloud.x) > FEW else 4.5
    axis.plot(cloud.x, cloud.y, mark, color=colour, ms=size, mew=0, alpha=0.5, zorder=2)
    if cloud.outline is not None:
        dash = palette.dash(number)
        axis.plot(*cloud.outline.T, color=colour, lw=1.2, ls=dash, zorder=3)
    axis.plot(
        *cloud.middle,
        mark,
        color=colour,
        ms=8,
        mec="white",
        mew=0.8,
        zorder=4,
        label=case,
    )
