"""The outcomes of a real series of patches, from the rows of its runs."""

import pandas as pd
import pytest

from studies.ci_series import CAMPAIGNS, KEPT, STEPS, cell, judged, main, rows_of, table

EXPECTED = {
    "comment": "ok",
    "rewrite": "ok",
    "burst": "ok",
    "repaired": "ok",
}


@pytest.fixture(params=CAMPAIGNS)
def rows(request: pytest.FixtureRequest) -> pd.DataFrame:
    found = rows_of(KEPT, request.param)
    assert found is not None
    return found


def test_steps_without_a_regression_are_ok(rows: pd.DataFrame) -> None:
    for step, outcome in EXPECTED.items():
        found = judged(rows, step)
        assert found is not None
        assert found.outcome == outcome, step
        assert found.pairs == 24


def test_a_null_patch_and_a_rewrite_leave_all_equal(rows: pd.DataFrame) -> None:
    for step in ("comment", "rewrite"):
        found = judged(rows, step)
        assert found is not None
        assert found.equal == 24


def test_a_kernel_that_does_not_boot_says_why(rows: pd.DataFrame) -> None:
    assert judged(rows, "unbootable") is None
    panic = "not ok: guest kernel panicked: MPTCP has no default scheduler"
    assert cell(rows, "unbootable") == panic


@pytest.mark.parametrize("name", ["ci-series", "ci-series-6-12"])
def test_the_regression_is_found_with_loss(name: str) -> None:
    rows = rows_of(KEPT, name)
    assert rows is not None
    found = judged(rows, "third")
    assert found is not None
    assert found.outcome == "not ok"


def test_half_of_the_networks_leave_the_regression_undecided() -> None:
    """Points of a design that grows come in this order."""
    rows = rows_of(KEPT, "ci-series")
    assert rows is not None
    found = judged(rows[rows["point"] < 12], "third")
    assert found is not None
    assert (found.outcome, found.needed) == ("undecided", 24)


def test_the_table_is_that_of_the_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(KEPT) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(STEPS)
    found = {name: rows_of(KEPT, name) for name in CAMPAIGNS}
    whole = {name: rows for name, rows in found.items() if rows is not None}
    assert lines == list(table(whole))
