"""Text of numbers in pages."""

import pytest

from analysis.campaign.numbers import digits, short


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (123.0, "123"),
        (999.4, "999"),
        (999.6, "1000"),
        (14_123.0, "14100"),
        (-23_250.0, "-23200"),
        (999_400.0, "999000"),
        (1_234_000.0, "1.23e+06"),
        (0.000_012_34, "1.23e-05"),
        (0.0, "0.00"),
        (float("inf"), "inf"),
    ],
)
def test_three_digits_and_few_exponents(value: float, text: str) -> None:
    assert digits(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (14_123.0, "14100"), (-1_000.0, "-1000"), (2e6, "2e+06"), (0, "0")],
)
def test_the_same_without_zeros_at_the_end(value: float, text: str) -> None:
    assert short(value) == text
