"""Marks of networks and ellipses of cases, one panel or two."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style
from analysis.figures.kinds.trade_off.data import Panel, TradeOffData

FEW = 12
"""So few networks have larger marks."""
ARROW_POINTS = 16


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
    size = 3.0 if len(cloud.x) > FEW else 4.5
    small = palette.hollow(number, width=0.8)
    axis.plot(cloud.x, cloud.y, ms=size, alpha=0.6, zorder=2, **small)
    if cloud.outline is not None:
        dash = palette.dash(number)
        axis.plot(*cloud.outline.T, color=colour, lw=1.2, ls=dash, zorder=3)
    large = palette.hollow(number, width=1.5)
    place = panel.nearest(cloud.middle)
    axis.plot(*place, ms=8, zorder=4, label=case, clip_on=False, **large)
    if place != cloud.middle:
        _pointer(axis, place, cloud.middle, colour)


def _pointer(
    axis: Axes, place: tuple[float, float], middle: tuple[float, float], colour: str
) -> None:
    """An arrow from the edge of the figure towards medians outside of it."""
    ways = [(at > edge) - (at < edge) for at, edge in zip(middle, place, strict=True)]
    axis.annotate(
        "",
        xy=place,
        xytext=(-ARROW_POINTS * ways[0], -ARROW_POINTS * ways[1]),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2},
        annotation_clip=False,
        zorder=4,
    )
