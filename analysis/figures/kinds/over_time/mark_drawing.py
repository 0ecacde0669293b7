"""Events in figures over time: a thin vertical line with a sign at its lower end."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from analysis.run.marks import Mark

LOOKS = {
    "join": ("#303030", "^"),
    "stale": ("#B00020", "v"),
    "recovered": ("#1B7F3B", "^"),
    "backup": ("#8A6100", "s"),
    "fallback": ("#5B2FB0", "D"),
    "closed": ("#B00020", "X"),
}
"""Colour and sign of each kind; kinds of one colour differ in their signs."""


def draw(axis: Axes, marks: Sequence[Mark], span: tuple[float, float]) -> None:
    """Draw the marks within the time shown; each kind has one entry of the legend."""
    shown = [mark for mark in marks if span[0] <= mark.time_s <= span[1]]
    across = axis.get_xaxis_transform()  # times, and fractions of the axis's height
    for kind in dict.fromkeys(mark.kind for mark in shown):
        colour, sign = LOOKS[kind]
        times = [mark.time_s for mark in shown if mark.kind == kind]
        axis.vlines(
            times, 0, 1, transform=across, colors=colour, lw=0.6, alpha=0.6, zorder=1
        )
        axis.plot(
            times,
            [0.03] * len(times),
            transform=across,
            ls="none",
            marker=sign,
            markersize=4,
            color=colour,
            zorder=5,
            label=kind,
        )
