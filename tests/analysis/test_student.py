"""Quantiles of Student's t: printed ones, scipy's, and the distribution itself."""

import math

import pytest
from scipy import special, stats

from analysis.campaign import student


@pytest.mark.parametrize(
    ("freedom", "p", "printed"),
    [(1, 0.975, 12.706), (2, 0.975, 4.303), (10, 0.975, 2.228), (30, 0.95, 1.697)],
)
def test_printed_quantiles(freedom: int, p: float, printed: float) -> None:
    """Abramowitz and Stegun, table 26.10."""
    assert student.quantile(freedom, p) == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize("freedom", [*range(1, 41), 99, 100, 1000, 9999])
def test_quantiles_are_scipys(freedom: int) -> None:
    for p in (0.9, 0.95, 0.975, 0.995, 0.9995):
        mine = student.quantile(freedom, p)
        assert mine == pytest.approx(float(special.stdtrit(freedom, p)), rel=1e-12)
        assert student.quantile(freedom, 1 - p) == pytest.approx(-mine, rel=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.5001, 0.6, 0.99, 0.999999])
def test_one_and_two_degrees_have_a_formula(p: float) -> None:
    one, two = math.tan(math.pi * (p - 0.5)), 2 * p - 1
    assert student.quantile(1, p) == pytest.approx(one, rel=1e-9, abs=1e-15)
    expected = two * math.sqrt(2 / (1 - two * two))
    assert student.quantile(2, p) == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 57])
@pytest.mark.parametrize("value", [0.0, 0.3, 2.0, 40.0])
def test_the_share_within_is_scipys(freedom: int, value: float) -> None:
    expected = 1 - 2 * stats.t.sf(value, freedom)
    assert student.within(value, freedom) == pytest.approx(expected, abs=2e-15)


@pytest.mark.parametrize(("freedom", "p"), [(0, 0.9), (3, 0.0), (3, 1.0)])
def test_no_quantile(freedom: int, p: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        student.quantile(freedom, p)
