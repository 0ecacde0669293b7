"""Boxes in groups, one colour per case."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import axes, palette, style
from analysis.figures.kinds.groups.data import GroupsData

WIDTH = 0.8
"""Width of all boxes of a group together; neighbouring groups are 1 apart."""
GROUP_INCHES = 0.42
"""Width that a box needs."""
HEIGHT_INCHES = 2.9
LONGEST_INCHES = 11.0


def draw(data: GroupsData, look: style.Look) -> Figure:
    """Draw one group of boxes per name; few values are marks in place of a box."""
    cases, numbers = data.boxes, data.numbers
    groups = list(next(iter(cases.values())))
    box_width = WIDTH / len(cases)
    figure, (axis,) = style.panels(1)
    needed = 1.0 + GROUP_INCHES * len(groups) * max(len(cases), 2)
    width = min(LONGEST_INCHES, max(style.PANEL_INCHES[0], needed))
    if look.columns:
        width = style.COLUMN_INCHES[look.columns]
    for value in data.lines:
        axis.axhline(value, color=palette.GREY, lw=0.8, ls=":")
    handles = {}
    for place, (name, by_group) in enumerate(cases.items()):
        colour, hatch = palette.colour(numbers[name]), palette.hatch(numbers[name])
        shift = box_width * (place - (len(cases) - 1) / 2)
        filled = [i for i, group in enumerate(groups) if len(by_group[group])]
        if not filled:
            continue
        few = [i for i in filled if len(by_group[groups[i]]) < style.LEAST_BOX]
        marks = axis.plot(
            [i + shift for i in few for _ in by_group[groups[i]]],
            [value for i in few for value in by_group[groups[i]].to_numpy(float)],
            color=colour,
            marker=palette.marker(numbers[name]),
            markersize=5,
            linestyle="none",
        )
        filled = [i for i in filled if i not in few]
        if not filled:
            handles[name] = marks[0]
            continue
        drawn = axis.boxplot(
            [by_group[groups[i]].to_numpy(float) for i in filled],
            positions=np.asarray(filled) + shift,
            widths=box_width * 0.82,
            manage_ticks=False,
            patch_artist=True,
            boxprops={
                "facecolor": f"{colour}40",
                "edgecolor": colour,
                "hatch": hatch,
            },
            whiskerprops={"color": colour},
            capprops={"color": colour},
            medianprops={"color": "black", "lw": 1.4},
            flierprops={"marker": ".", "ms": 4, "mew": 0, "mfc": colour},
        )
        handles[name] = drawn["boxes"][0]
    axis.set_xticks(range(len(groups)), groups)
    if sum(map(len, groups)) * 0.09 > width - 1:
        axis.tick_params(axis="x", labelrotation=30)
    axis.set_xlim(-0.6, len(groups) - 0.4)
    axis.set_xlabel(data.labels[0])
    axis.set_ylabel(data.labels[1])
    if data.log:
        least = min(g.min() for by in cases.values() for g in by.values() if len(g))
        axes.dress(axis, data.labels, "y", (1, least))
    elif data.shown:
        axis.set_ylim(*data.shown.ends)
    legend = 0.0
    if len(cases) > 1 or data.legend_title:
        legend = style.legend_above(
            axis, [*handles.values()], [*handles], width - 0.7, data.legend_title
        )
    figure.set_size_inches(width, HEIGHT_INCHES + legend)
    return figure
