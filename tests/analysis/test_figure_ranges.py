"""Ranges of axes over values that are nearly equal."""

import pytest

from analysis.figures import style


@pytest.mark.parametrize(
    ("values", "scale", "widened"),
    [
        ((3.00001, 3.00005), "linear", True),
        ((-3.00001, -3.00005), "linear", True),
        ((3.00001, 3.00005), "log", False),
        ((3.0, 3.1), "linear", False),
        ((0.0, 1e-9), "linear", False),
    ],
)
def test_nearly_equal_values_look_equal(
    values: tuple[float, float], scale: str, widened: bool
) -> None:
    with style.styled(style.Look()):
        figure, (axes,) = style.panels(1)
        axes.plot([1, 2], values)
        axes.set_yscale(scale)
        before = axes.get_ylim()
        style.widen(figure)
    low, high = axes.get_ylim()
    assert ((low, high) != before) is widened
    assert low <= min(values) and max(values) <= high
    if widened:
        assert high - low == pytest.approx(0.03, rel=0.01)


def test_ticks_are_whole_numbers_of_their_own() -> None:
    """No `+3` beside an axis, to be added to each tick."""
    with style.styled(style.Look()):
        figure, (axes,) = style.panels(1)
        axes.plot([100_001.0, 100_009.0], [1, 2])
        figure.canvas.draw()
        assert axes.xaxis.get_major_formatter().get_offset() == ""
