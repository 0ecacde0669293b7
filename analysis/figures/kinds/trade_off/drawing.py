"""Marks of networks and ellipses of cases, in one panel or several."""

from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style
from analysis.figures.kinds.trade_off.data import Panel, TradeOffData

FEW = 12
"""So few networks have larger marks."""
ARROW_POINTS = 16
MANY = 6
"""The ellipses of more cases are thin, and marks of networks faint."""
LINE, THIN_LINE = 1.2, 0.6
OPAQUE, FAINT = 0.6, 0.3
MOST_COLUMNS = 3
"""The most panels side by side, of a factor's values."""


def draw(data: TradeOffData, look: style.Look) -> list[Figure]:
    """Draw one mark per network and case, and the middle and ellipse of each case."""
    by_factor = any(panel.name for panel in data.panels)
    most = MOST_COLUMNS if by_factor else len(data.panels)
    columns = 1 if look.narrow else min(most, len(data.panels))
    legend = style.LEGEND_ROW_INCHES * len(data.numbers)
    parts = style.split(data.panels, columns, style.PANEL_INCHES[1], legend)
    return [_picture(replace(data, panels=part), columns, look) for part in parts]


def _picture(data: TradeOffData, columns: int, look: style.Look) -> Figure:
    panels = data.panels
    figure, places = style.grid(columns, -(-len(panels) // columns))
    clouds = [cloud for panel in panels for cloud in panel.clouds.values()]
    least = (min(c.x.min() for c in clouds), min(c.y.min() for c in clouds))
    many = len(data.numbers) > MANY
    for axis, panel in zip(places, panels, strict=False):
        for case, number in data.numbers.items():
            if case in panel.clouds:
                _cloud(axis, panel, case, number, many)
        if panel.one:
            for across in (axis.axhline, axis.axvline):
                across(1, color=palette.GREY, lw=0.8, ls=":", zorder=0)
        own = panel.clouds.values()
        of_panel = (min(c.x.min() for c in own), min(c.y.min() for c in own))
        axes.dress(axis, panel.labels, panel.log, least if panel.name else of_panel)
        if panel.name:
            axis.set_title(panel.name)
    if any(panel.name for panel in panels):
        _same_range(places[: len(panels)])
    for axis, panel in zip(places, panels, strict=False):
        if "x" in panel.ranges:
            axis.set_xlim(*panel.ranges["x"].ends)
        if "y" in panel.ranges:
            axis.set_ylim(*panel.ranges["y"].ends)
    for axis in places[len(panels) :]:
        axis.set_visible(False)
    axes.size_panels(figure, places[: len(panels)], columns, look)
    return figure


def _same_range(places: list[Axes]) -> None:
    """Give all panels the range of the widest ones."""
    x, y = ([a.get_xlim() for a in places], [a.get_ylim() for a in places])
    for axis in places:
        axis.set_xlim(min(low for low, _ in x), max(high for _, high in x))
        axis.set_ylim(min(low for low, _ in y), max(high for _, high in y))


def _cloud(axis: Axes, panel: Panel, case: str, number: int, many: bool) -> None:
    cloud, colour = panel.clouds[case], palette.colour(number)
    size = 3.0 if many or len(cloud.x) > FEW else 4.5
    small = palette.hollow(number, width=0.8)
    alpha, line = (FAINT, THIN_LINE) if many else (OPAQUE, LINE)
    axis.plot(cloud.x, cloud.y, ms=size, alpha=alpha, zorder=2, **small)
    if cloud.outline is not None:
        dash = palette.dash(number)
        axis.plot(*cloud.outline.T, color=colour, lw=line, ls=dash, zorder=3)
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
