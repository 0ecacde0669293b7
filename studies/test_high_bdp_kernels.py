"""Configurations that leave connections on one path are told from those that do not."""

import pandas as pd
import pytest

from studies.high_bdp_kernels import judged


def runs(benefit: list[float], first: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "case": "lia",
            "verdict": "ok",
            "experimental_aggregation_benefit": benefit,
            "path1.share": first,
            "path2.share": [1 - x for x in first],
        }
    )


@pytest.mark.parametrize(
    ("benefit", "first", "outcome"),
    [
        ([0.7] * 30, [0.6] * 30, "excluded"),
        ([0.0] * 30, [1.0] * 30, "**candidate**"),
        ([0.0] * 30, [0.005] * 30, "**candidate**"),
        ([0.0] * 30, [0.6] * 30, "open"),
        ([0.7] * 30, [1.0] * 10 + [0.6] * 20, "open"),
        ([0.7] * 30, [1.0] * 9 + [0.6] * 21, "excluded"),
        ([0.19] * 16 + [0.9] * 14, [1.0] * 30, "**candidate**"),
    ],
)
def test_outcomes(benefit: list[float], first: list[float], outcome: str) -> None:
    ((_, count, _, _, found),) = judged(runs(benefit, first))
    assert (count, found) == ("30", outcome)


def test_runs_that_do_not_count_are_left_out() -> None:
    all_runs = runs([0.7] * 30, [0.6] * 30)
    all_runs.loc[:3, "verdict"] = "invalid"
    all_runs.loc[4:5, "experimental_aggregation_benefit"] = float("nan")
    assert judged(all_runs)[0][1] == "24"
