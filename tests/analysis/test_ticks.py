"""Ticks and labels of figures: numbers that can be read, and that do not touch."""

from itertools import pairwise

import pytest
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from analysis.figures import axes, style, ticks


def drawn(
    x: tuple[float, ...], y: tuple[float, ...], labels: tuple[str, str], log: str = ""
) -> tuple[Figure, Axes]:
    figure, (axis,) = style.panels(1)
    axis.plot(x, y)
    axes.dress(axis, labels, log or None, (min(x), min(y)))
    style.widen(figure)
    ticks.put_right(figure)
    figure.draw_without_rendering()
    return figure, axis


def names(axis: Axes, which: str = "x") -> list[str]:
    found = axis.get_xticklabels() if which == "x" else axis.get_yticklabels()
    return [text.get_text() for text in found]


@pytest.mark.parametrize(
    ("highest", "label", "expected", "tick"),
    [
        (8e-6, "goodput [Mbit/s]", "goodput [10⁻⁶ Mbit/s]", "8"),
        (8e-5, "retransmission ratio", "retransmission ratio [10⁻⁶]", "80"),
        (0.008, "loss [%]", "loss [%]", "0.008"),
        (8e7, "packets", "packets [10⁶]", "80"),
        (800_000, "packets", "packets", "800000"),
        (8e7, "size [bytes]", "size", "80 MB"),
    ],
)
def test_a_power_of_ten_stands_in_the_label(
    highest: float, label: str, expected: str, tick: str
) -> None:
    with style.styled(style.Look()):
        _, axis = drawn((0, highest), (0, highest), (label, label))
    for found, text in ((names(axis), axis.get_xlabel()), (names(axis, "y"), None)):
        assert tick in found
        assert text in (expected, None)
    assert axis.get_ylabel() == expected
    assert axis.yaxis.get_offset_text().get_text() == ""


def test_panels_with_one_scale_have_one_power_of_ten() -> None:
    with style.styled(style.Look()):
        figure, four = style.panels(2, 2)
        for axis in four:
            axis.plot([1, 2], [1e-6, 8e-6])
        for axis in (four[0], four[2]):
            axis.set_ylabel("goodput [Mbit/s]")
        ticks.put_right(figure)
    assert [axis.get_ylabel() for axis in four] == ["goodput [10⁻⁶ Mbit/s]", ""] * 2


@pytest.mark.parametrize(
    "x", [(0.00101, 0.00109), (0.0, 8.0), (123_456.0, 123_999.0), (3.00001, 3.00005)]
)
@pytest.mark.parametrize("inches", [1.6, 4.4])
def test_numbers_below_an_axis_do_not_touch(
    x: tuple[float, float], inches: float
) -> None:
    with style.styled(style.Look()):
        figure, axis = drawn(x, (0, 1), ("x", "y"))
        figure.set_size_inches(inches, 3)
        figure.draw_without_rendering()
        low, high = axis.get_xlim()
        boxes = [
            text.get_window_extent()
            for place, text in zip(
                axis.get_xticks(), axis.get_xticklabels(), strict=True
            )
            if low <= place <= high
        ]
    assert boxes
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_a_long_label_has_several_lines() -> None:
    long = "goodput, over the-case-with-a-long-name-of-its-own [Mbit/s]"
    with style.styled(style.Look()):
        figure, (axis,) = style.panels(1)
        figure.set_size_inches(2.5, 2)
        axis.set_title(long, loc="left")
        axis.set_ylabel(long)
        axis.set_xlabel("x")
        ticks.put_right(figure)
        figure.draw_without_rendering()
        up = axis.yaxis.label.get_window_extent()
    assert "\n" in axis.get_ylabel() and "\n" in axis.get_title("left")
    assert axis.get_ylabel().replace("\n", " ").replace("- ", "-") == long
    assert up.y0 >= 0 and up.y1 <= figure.bbox.height
    assert axis.get_xlabel() == "x"


def test_a_logarithmic_axis_of_nearly_equal_values_has_ticks() -> None:
    with style.styled(style.Look()):
        _, axis = drawn((1, 2), (10.0, 10.000001), ("x", "y"), "y")
    shown = names(axis, "y")
    assert len(set(shown)) == len(shown) >= 3


def test_a_long_label_below_an_axis_stays_in_the_picture() -> None:
    long = "smoothed RTT, over the-case-with-a-long-name-of-its-own-and-more"
    with style.styled(style.Look()):
        figure, panels = style.panels(2)
        for axis in panels:
            axis.set_xlabel(long)
        figure.set_size_inches(7, 3)
        ticks.put_right(figure)
        figure.draw_without_rendering()
        one, other = (axis.xaxis.label.get_window_extent() for axis in panels)
    assert one.x0 >= 0 and other.x1 <= figure.bbox.width
    assert one.x1 < other.x0


def test_a_title_ends_before_a_colour_bar() -> None:
    long = "the-case-with-a-long-name-of-its-own-and-more-of-it"
    with style.styled(style.Look()):
        figure, panels = style.panels(2, 3)
        for axis in panels:
            axis.set_title(long, loc="left")
        bar = figure.colorbar(ScalarMappable(), ax=panels, fraction=0.2)
        figure.set_size_inches(7, 6)
        ticks.put_right(figure)
        figure.draw_without_rendering()
        left = bar.ax.get_window_extent().x0
        ends = [
            text.get_window_extent().x1
            for axis in panels
            for text in ticks._titles(axis)
        ]
    assert len(ends) == 6 and max(ends) <= left
