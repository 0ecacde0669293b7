"""Spread within networks beside that between: the numbers and the page's section."""

import pandas as pd
import pytest

from analysis.campaign.spread import spread
from analysis.report import spread_section
from tests.analysis.test_compared_cases import campaign


def frame(*networks: list[float]) -> pd.DataFrame:
    rows = [
        {"id": f"{point}-{n}", "point": point, "repetition": n, "x": value}
        for point, values in enumerate(networks)
        for n, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def test_within_is_pooled_and_between_is_of_means() -> None:
    """Variances 1 (2 degrees of freedom) and 8 (1): (2 + 8) / 3; means 2 and 12."""
    found = spread(frame([1, 2, 3], [10, 14]), "x")
    assert found is not None
    assert found.within == pytest.approx((10 / 3) ** 0.5)
    assert found.between == pytest.approx(50**0.5)
    assert (found.networks, found.runs, found.of_networks) == (2, 5, 2)
    assert found.mean == 7
    assert found.share == pytest.approx((10 / 3 / 50) ** 0.5)
    assert found.percent == pytest.approx(100 * (10 / 3) ** 0.5 / 7)


def test_identical_repetitions_say_nothing_about_chance() -> None:
    assert spread(frame([1, 1, 1], [2, 2]), "x") is None
    found = spread(frame([1, 1, 1], [2, 4]), "x")
    assert found is not None
    assert (found.networks, found.runs, found.of_networks) == (1, 2, 2)
    assert found.within == pytest.approx(2**0.5)
    assert found.between == pytest.approx(2**0.5), "of the means 1 and 3"


def test_a_changed_delay_alone_is_no_result() -> None:
    rows = frame([1, 1]).assign(**{"path1.delay_change_percent": [0.1, 0.2]})
    assert spread(rows, "x") is None
    rows["srtt_ms"] = [7.0, 8.0]
    found = spread(rows, "x")
    assert found is not None and found.within == 0 and found.networks == 1


def test_one_network_has_no_spread_between() -> None:
    found = spread(frame([1, 3]), "x")
    assert found is not None
    assert (found.between, found.share) == (None, None)


def test_missing_values_and_single_runs_take_no_part() -> None:
    assert spread(frame([1], [2], [3]), "x") is None
    found = spread(frame([1, 3, float("nan")], [2, float("nan")]), "x")
    assert found is not None
    assert (found.networks, found.runs, found.of_networks) == (1, 2, 2)


def test_the_page_has_a_row_per_case_and_metric() -> None:
    made = campaign({"a": [1, 3, 10, 12], "b": [5, 5, 6, 6]}, repetitions=2)
    text = "\n".join(spread_section.lines(made))
    assert text.startswith("## Spread within and between networks")
    (row,) = [line for line in text.splitlines() if line.startswith("| goodput")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:] == ["a", "2", "4", "6.50", "1.41", "21.8", "2", "6.36", "0.222"]


@pytest.mark.parametrize("repetitions", [1, 2])
def test_no_section_without_repetitions_that_differ(repetitions: int) -> None:
    made = campaign({"a": [4, 4, 7, 7]}, repetitions=repetitions)
    assert list(spread_section.lines(made)) == []
