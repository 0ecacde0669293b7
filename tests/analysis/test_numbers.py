"""Text of numbers in pages."""

import pytest

from analysis.campaign.numbers import bytes_text, digits, short


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


@pytest.mark.parametrize(
    ("value", "text"),
    [(10_400.0, "10400"), (12_345.6, "12350"), (0.012_345, "0.01235"), (5.0, "5")],
)
def test_four_digits_have_no_exponent_either(value: float, text: str) -> None:
    assert short(value, 4) == text
    assert short(value, 4, "+") == f"+{text}"
    assert short(-value, 4, "+") == f"-{text}"


def test_the_difference_of_equal_numbers_has_no_minus() -> None:
    assert [short(-0.0), short(-0.0, 4, "+"), short(0.0, sign="+")] == ["0", "+0", "+0"]


def test_bytes_below_the_next_unit_have_no_exponent() -> None:
    assert bytes_text(999_600) == "1000 kB"
    assert bytes_text(65_536) == "65.5 kB"
    assert bytes_text(2e12) == "2000 GB"
