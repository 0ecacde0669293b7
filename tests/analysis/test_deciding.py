"""Forecasts of the number of values that would decide a statement."""

import pytest

from analysis.published import criterion, deciding
from analysis.published.deciding import Forecast
from analysis.published.judging import Judged, Verdict

AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED


def asked(**values: object) -> criterion.Criterion:
    given = {"statistic": "mean", "metric": "jain", "relation": ">", "value": 0}
    return criterion.parse(given | values)


def judged(value: float, *interval: float, needs: int | None = None) -> Judged:
    low_high = (interval[0], interval[1]) if interval else None
    return Judged(UNDECIDED, value, low_high, needs=needs)


def test_an_interval_twice_too_wide_needs_four_times_the_values() -> None:
    """A mean of 1 with an interval of 2 to either side leaves 0 out at 4 n."""
    found = deciding.forecast(asked(), judged(1, -1, 3), 100)
    assert found.verdict is AGREES and found.values is not None
    assert 400 < found.values <= 410


def test_a_value_on_the_wrong_side_would_differ() -> None:
    found = deciding.forecast(asked(), judged(-1, -3, 1), 100)
    assert found.verdict is DIFFERS


def test_a_value_at_the_limit_has_no_number() -> None:
    found = deciding.forecast(asked(), judged(0, -1, 1), 20)
    assert found == Forecast(None, None, "the effect is at the limit of the criterion")


def test_a_tolerance_needs_the_narrow_interval_within_it() -> None:
    """The 90 % interval reaches 0.839 times 2; within 1 to either side at 2.82 n."""
    about = asked(relation="about", tolerance=1)
    found = deciding.forecast(about, judged(0, -2, 2), 1000)
    assert found.verdict is AGREES and found.values is not None
    assert 2817 <= found.values < 2880


def test_a_difference_of_one_sample_each_is_compared_with_zero() -> None:
    between = asked(value=5, rows="case=a", against="case=b", statistic="median")
    found = deciding.forecast(between, judged(1, -1, 3), 100)
    assert found.verdict is AGREES


def test_too_few_values_need_at_least_as_many_as_an_interval() -> None:
    found = deciding.forecast(asked(), judged(1, needs=6), 5)
    assert (found.values, found.verdict) == (6, None)


@pytest.mark.parametrize(
    ("forecasts", "expected"),
    [
        ([Forecast(9, AGREES), Forecast(20, AGREES)], Forecast(20, AGREES)),
        ([Forecast(9, DIFFERS), Forecast(5, AGREES)], Forecast(9, DIFFERS)),
        ([Forecast(9, DIFFERS), Forecast(None)], Forecast(9, DIFFERS)),
        ([Forecast(9, AGREES), Forecast(None, None, "x")], Forecast(None, None, "x")),
        ([Forecast(9, AGREES), Forecast(6, None, "few")], Forecast(9, None, "few")),
    ],
)
def test_one_statement_that_differs_decides_a_sentence(
    forecasts: list[Forecast], expected: Forecast
) -> None:
    assert deciding.of_sentence(forecasts) == expected
