"""Scales, ranges and pages of figures, chosen from the data."""

import numpy as np
import pytest

from analysis.figures import ellipses, palette, scales, style

TEN = [float(value) for value in range(10, 20)]
MANY = 4 * TEN


def test_an_outlier_that_flattens_an_axis_is_cut_and_told() -> None:
    shown = scales.cut([*MANY, 1000.0])
    assert shown is not None
    assert (shown.low, shown.high, shown.beyond, shown.farthest) == (10, 19, 1, 1000)
    assert shown.ends == (10 - 0.45, 19 + 0.45)
    assert scales.told(shown, 41, "marks", "ms") == (
        "1 of 41 marks lies outside the figure, the farthest at 1000 ms."
    )
    assert scales.told(None, 41, "marks") == ""


def test_both_sides_are_cut_and_the_farthest_is_told() -> None:
    shown = scales.cut([*MANY, 500.0, -2000.0])
    assert shown is not None and (shown.beyond, shown.farthest) == (2, -2000)
    assert "2 of 42 dots lie outside" in scales.told(shown, 42, "dots")


def test_a_group_of_few_values_is_never_cut() -> None:
    far = [*MANY, 36.0, 1000.0]
    assert scales.cut(far, [MANY, [36.0], [1000.0]]) is None
    # Of a group of five values, only the middle has to stay.
    lone = [*MANY, 12.0, 13.0, 14.0, 15.0, 1000.0]
    shown = scales.cut(lone)
    assert shown is not None and scales.cut(lone, [MANY, lone[40:]]) == shown
    assert scales.cut(lone, [MANY, lone[41:]]) is None


def test_the_middle_of_each_group_stays() -> None:
    low = [float(value) for value in range(10, 40)] * 5
    high = [90.0, 90.0, 95.0, 95.0]
    odd, even = [*high, 2000.0], [*high, 2000.0, 2000.0]
    alone = scales.cut([*low, *odd])
    assert alone == scales.Range(10, 39, 5, 2000)
    assert scales.cut([*low, *odd], [low, odd]) == scales.Range(10, 95, 1, 2000)
    assert scales.cut([*low, *even], [low, even]) == scales.Range(10, 95, 2, 2000)
    # The median of this group lies between 95 and 2000, where it has no mark.
    torn = [*high[:3], 2000.0, 2000.0, 2000.0]
    assert scales.cut([*low, *torn], [low, torn]) is None


def test_boxes_stay_from_quartile_to_quartile() -> None:
    low = [float(value) for value in range(10, 40)] * 5
    # Quartiles 12 and 90: the median stays without them, and the box would not.
    wide = [11.0, 12.0, 13.0, 90.0, 2000.0]
    assert scales.cut([*low, *wide], [low, wide]) == scales.Range(10, 39, 2, 2000)
    boxed = scales.cut([*low, *wide], boxes=[low, wide])
    assert boxed == scales.Range(10, 90, 1, 2000)
    assert scales.cut([*low, 1000.0], boxes=[low, []]) == scales.cut([*low, 1000.0])
    few = [90.0, 2000.0]
    assert scales.cut([*low, *few], boxes=[low, few]) is None


def test_no_logarithmic_axis_has_values_far_below_the_others() -> None:
    """Of any number, since on that axis all others would share a small part."""
    usual = list(np.geomspace(1, 1000, 92))
    assert scales.is_logarithmic(usual)
    for count in (1, 4, 8):
        assert not scales.is_logarithmic([*usual, *count * [1e-12]])


def test_no_more_than_one_value_in_twenty_is_cut_off() -> None:
    """Values of which many are equal put a quarter of all beyond their fences."""
    one = scales.cut([*TEN, *TEN[:9], 1000.0])
    assert one is not None and one.beyond == 1
    assert scales.cut([*TEN, *TEN[:8], 1000.0]) is None
    crowded = [1.0, 1.01] * 180 + list(np.linspace(2, 40, 130))
    assert scales.cut(crowded) is None


@pytest.mark.parametrize(
    "values",
    [
        TEN,
        [*TEN, 36.0],  # far out, but the rest still has a third of the axis
        [1.0, 1.0, 1.0, 1.0, 9.0],  # the rest has no range
        [1.0, 2.0, 3.0, 1000.0],  # too few to know
        [],
    ],
)
def test_other_values_are_all_shown(values: list[float]) -> None:
    assert scales.cut(values) is None


def test_equal_values_make_no_outliers_of_others() -> None:
    """MPTCP is never interrupted, and TCP for 1 to 4 s, which is what counts."""
    tcp = [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 4.0, 4.0, 4.0, 4.0]
    mptcp = [0.0] * 12
    assert scales.cut([*mptcp, *mptcp, *tcp], [mptcp, mptcp, tcp]) is None


def test_a_third_of_the_axis_is_the_limit() -> None:
    # Quartiles 12 and 17 give fences at -3 and 32.
    assert scales.cut([*MANY, 37.0]) is None  # 9 of 27
    assert scales.cut([*MANY, 37.1]) is not None


def test_a_logarithmic_axis_for_values_over_decades() -> None:
    decades = list(np.logspace(-2, 3, 30))
    assert scales.is_logarithmic(decades)
    assert not scales.is_logarithmic([0.0, *decades])
    assert not scales.is_logarithmic([*TEN, 1000.0])  # an outlier, and no decades
    assert not scales.is_logarithmic(TEN)
    assert not scales.is_logarithmic([1, 10, 100, 1000])
    near = [100.0, 100.1, 100.2, 100.3, 100.4, 110.0, 109.0]
    assert not scales.is_logarithmic(near)  # a logarithm would not spread them
    assert scales.log_axes(None, decades, TEN) == "x"
    assert scales.log_axes(None, TEN, decades) == "y"
    assert scales.log_axes(None, decades, decades) == "both"
    assert scales.log_axes("none", decades, decades) is None
    assert scales.log_axes("y", TEN, TEN) == "y"


def test_an_ellipse_on_paper() -> None:
    # Standard deviations (n - 1) of 2 and 1 along the axes, around (10, 5).
    root = 2**0.5
    x = 10 + 2 * root * np.array([1, -1, 0, 0, 0])
    y = 5 + root * np.array([0, 0, 1, -1, 0])
    outline = ellipses.outline(x, y, None)
    assert outline is not None
    assert outline.min(axis=0) == pytest.approx([8, 4], abs=0.02)
    assert outline.max(axis=0) == pytest.approx([12, 6], abs=0.02)
    log = ellipses.outline(np.exp(x), y, "x")
    assert log is not None
    assert np.log(log[:, 0]).max() == pytest.approx(12, abs=0.02)
    assert ellipses.outline(x[:4], y[:4], None) is None
    assert ellipses.outline([1.0] * 5, [2.0] * 5, None) is None


def test_series_differ_without_colours() -> None:
    for count in (1, 4, 5, 9, 12, 32):
        looks = set()
        for number in range(count):
            marks = palette.steps_marked(number, count, 40)
            looks.add((str(palette.dash(number)), marks.get("marker")))
        assert len(looks) == count
    colours = {(palette.colour(n), str(palette.dash(n))) for n in range(32)}
    assert len(colours) == 32


@pytest.mark.parametrize(
    ("count", "columns", "height", "sizes"),
    [
        (4, 2, 3.1, [4]),
        (5, 1, 3.1, [3, 2]),
        (12, 2, 3.1, [6, 6]),
        (16, 3, 3.1, [9, 7]),
        (2, 1, 20.0, [1, 1]),
    ],
)
def test_panels_fit_a_page(
    count: int, columns: int, height: float, sizes: list[int]
) -> None:
    parts = style.split(list(range(count)), columns, height)
    assert [len(part) for part in parts] == sizes
    assert [n for part in parts for n in part] == list(range(count))


def test_a_figure_that_marks_what_is_beyond_cuts_off_more() -> None:
    far = [*TEN, 1000.0]
    assert scales.cut(far) is None
    assert scales.cut(far, most_beyond=1) == scales.Range(10, 19, 1, 1000)
