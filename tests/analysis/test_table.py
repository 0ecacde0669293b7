"""The join of a campaign's runs, on a made-up campaign."""

import warnings
from pathlib import Path

import pytest

from analysis.campaign import table
from analysis.run import metrics
from tests.analysis import campaign


def test_experimental_benefit_is_joined_from_the_cases_of_a_point() -> None:
    frame = table.build(campaign.rows(5))
    for point, group in frame.groupby("point"):
        by_case = group.set_index("case")["goodput_mbps"]
        expected = metrics.experimental_aggregation_benefit(
            by_case["mptcp"], [by_case["tcp1"], by_case["tcp2"]]
        )
        mptcp = frame[(frame["point"] == point) & (frame["case"] == "mptcp")]
        assert mptcp["experimental_aggregation_benefit"].item() == expected
        assert mptcp["path2.tcp_goodput_mbps"].item() == by_case["tcp2"]
    others = frame[frame["case"] != "mptcp"]
    assert others["experimental_aggregation_benefit"].isna().all()


def test_only_ok_rows_are_joined() -> None:
    rows = campaign.rows(3)
    rows[1]["verdict"] = "invalid"  # tcp1 of point 0
    rows[3]["verdict"] = "timeout"  # mptcp of point 1
    rows[7] = {k: v for k, v in rows[7].items() if k != "goodput_mbps"} | {
        "verdict": "failed"
    }
    frame = table.build(rows)
    assert frame["experimental_aggregation_benefit"].isna().all()
    assert len(table.ok(frame)) == 6


def test_repetitions_do_not_mix() -> None:
    rows = campaign.rows(1)
    again = [{**row, "repetition": 1, "goodput_mbps": 1.0} for row in rows]
    frame = table.build(rows + again)
    mptcp = frame[frame["case"] == "mptcp"]
    assert mptcp["path1.tcp_goodput_mbps"].tolist() == [rows[1]["goodput_mbps"], 1.0]


def test_the_reference_is_mptcps_own_controller_else_reno() -> None:
    rows = campaign.rows(1)
    cubic = {"congestion_control": "cubic", "case": "cubic1", "goodput_mbps": 2.0}
    rows.insert(0, {**rows[1], **cubic})
    first = "path1.tcp_goodput_mbps"
    assert table.build(rows)[first].dropna().item() == rows[2]["goodput_mbps"]
    rows[1]["congestion_control"] = "cubic"
    assert table.build(rows)[first].dropna().item() == 2.0


def test_differences_and_types() -> None:
    frame = table.build(campaign.rows(4))
    difference = frame["path1.capacity_mbps"] - frame["path2.capacity_mbps"]
    assert (frame["capacity_difference_mbps"] == difference).all()
    assert str(frame["path"].dtype) == "Int64"
    assert str(frame["goodput_mbps"].dtype) == "float64"


def test_no_rows_and_failed_rows_make_a_table() -> None:
    assert table.build([]).empty
    assert table.ok(table.build([])).empty
    failed = {"point": 0, "case": "mptcp", "repetition": 0, "verdict": "failed"}
    assert len(table.build([failed])) == 1


def test_parquet_and_csv_hold_it(tmp_path: Path) -> None:
    import pandas as pd

    frame = table.build(campaign.rows(4))
    frame.to_parquet(tmp_path / "runs.parquet")
    frame.to_csv(tmp_path / "runs.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "runs.parquet"), frame)
    read = pd.read_csv(tmp_path / "runs.csv", keep_default_na=False, na_values={})
    text = ["id", "case", "verdict", "reason", "protocol", "congestion_control"]
    assert (read[text] == frame[text]).all(axis=None)
    numbers = pd.read_csv(tmp_path / "runs.csv").drop(columns=text)
    pd.testing.assert_frame_equal(numbers, frame.drop(columns=text), check_dtype=False)


@pytest.mark.parametrize("missing", ["path2.delay_ms", "path2.capacity_mbps"])
def test_a_factor_that_is_missing_has_no_difference(missing: str) -> None:
    rows = [{**row, missing: None} for row in campaign.rows(1)]
    name = missing.removeprefix("path2.").replace("_", "_difference_")
    assert name not in table.build(rows).columns


def test_a_wide_table_takes_another_column_without_a_warning() -> None:
    """pandas warns of columns that lie apart in memory, on the user's terminal."""
    wide = {f"metric{number}": float(number) for number in range(150)}
    frame = table.build([{**row, **wide} for row in campaign.rows(2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "_other" in frame.assign(_other=1, _more=2).columns
