"""Colours, dashes, marks and fillings by which the series of a figure differ."""

from collections.abc import Iterable
from typing import Any

# After the colours of Okabe and Ito, which can be told apart with any colour vision.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#7F7F7F"
LIGHT_BLUE = "#BFDDF0"
SERIES = (
    BLUE,
    ORANGE,
    "#009E73",
    "#B8559A",
    "#B07D00",
    "#3A9BD9",
    "#6B6B6B",
    "#7A4FD0",
)
"""Colours of cases in their order, the same as in the dashboard (canvas.js). All of
them are dark enough to be seen on white."""
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 1.5, 1.5, 1.5)))
"""Line styles, so that lines differ without their colours too."""
HATCHES = ("", "////", "....", "xxxx")
"""Fillings of bars and boxes beyond the first eight."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marks of single values, so that cases differ without their colours too."""
CURVE_MARKS = 5
"""About so many marks stand along a curve."""
MOST_SERIES = len(SERIES) * len(DASHES)
"""More lines, bars or boxes than this would not all look different."""
GREYS = ("#A6A6A6", "#D4D4D4", "#7F7F7F", "#BEBEBE")
"""Greys of stacked bars; neighbours differ in lightness."""
NEUTRAL = "#303030"
"""The colour of theory that is the same for all cases."""


def colour(number: int) -> str:
    """The colour of the case, line or bar of that number, from 0."""
    return SERIES[number % len(SERIES)]


def dash(number: int) -> Any:
    """The style of a line: each differs from all others by colour or style, and from
    its neighbours without its colour too."""
    return DASHES[(number + number // len(SERIES)) % len(DASHES)]


def curve(number: int, count: int, values: int) -> dict[str, Any]:
    """The look of curve `number` of `count`, as keyword arguments of a drawing.

    values : number of values of the curve
    """
    look = {"color": colour(number), "ls": dash(number), "lw": 1.5}
    return look | steps_marked(number, count, values)


def steps_marked(number: int, count: int, values: int) -> dict[str, Any]:
    """Marks along curve `number` of `count`, as keyword arguments of a drawing.

    values : number of values of the curve

    More curves than dashes need marks to differ on a grey printer: of the curves with
    one mark, each has another dash.
    """
    if count <= len(DASHES):
        return {}
    mark = MARKERS[number // len(DASHES) % len(MARKERS)]
    return _marks(mark, number, count, values)


def _marks(mark: str, number: int, count: int, values: int) -> dict[str, Any]:
    """A few marks along line `number` of `count`, where the other lines have none."""
    apart = max(1, values // CURVE_MARKS)
    first = 1 + number * apart // count
    return {
        "marker": mark,
        "markersize": 4.5,
        "markerfacecolor": "white",
        "markeredgewidth": 0.9,
        "markevery": (min(first, max(0, values - 1)), apart),
    }


def time_line(number: int, count: int, values: int) -> dict[str, Any]:
    """The look of line `number` of `count` over time, as arguments of a drawing.

    values : number of values of the line

    Such lines go up and down, which hides dashes, so each has marks of its own beside
    its colour. The ninth line has the first one's marks, and other dashes.
    """
    look = {"color": colour(number), "ls": DASHES[number // len(SERIES) % len(DASHES)]}
    if count == 1 and values > 1:
        return look
    return look | _marks(MARKERS[number % len(MARKERS)], number, count, values)


def marker(number: int) -> str:
    """The mark of a case: with its colour, it differs for the first 64 cases."""
    return MARKERS[(number + number // len(SERIES)) % len(MARKERS)]


def hollow(number: int, width: float = 1.0) -> dict[str, Any]:
    """The mark of a case without a filling, as keyword arguments of a drawing: where
    cases have the same values, all their marks are seen.

    width : of the outline, in points
    """
    return {
        "marker": marker(number),
        "markerfacecolor": "none",
        "markeredgecolor": colour(number),
        "markeredgewidth": width,
        "linestyle": "none",
    }


def hatch(number: int) -> str:
    """The filling of the bar or box of that number."""
    return HATCHES[number // len(SERIES) % len(HATCHES)]


def case_numbers(cases: Iterable[object]) -> dict[str, int]:
    """The number of each case, which gives it one colour in all figures.

    cases : the column `case` of all runs of the campaign
    """
    names = dict.fromkeys(str(case) for case in cases)
    return {name: number for number, name in enumerate(names)}
