"""The registered criterion, at its limits."""

from pathlib import Path

import pandas as pd
import pytest

from studies import outside_check

NOTE = Path(__file__).parent / "notes/outside-check.md"


def table(
    clean: float, lossy: float = 0.0, far: int = 0, left: int = 20
) -> pd.DataFrame:
    """Runs of `left` networks, half of them with loss. QEMU differs by these percent,
    and by 6 % in `far` networks without loss."""
    rows = []
    for point in range(left):
        loss = 0.1 * (point % 2)
        change = lossy if loss else 6.0 if point // 2 < far else clean
        for case in ("tcp", "mptcp"):
            for name, value in ((case, 10.0), (f"{case}_debian", 10 + change / 10)):
                rows.append((point, name, "ok", loss, value))
    names = ["point", "case", "verdict", outside_check.LOSS, outside_check.METRIC]
    return pd.DataFrame(rows, columns=names)


def held(rows: pd.DataFrame) -> dict[str, bool | None]:
    found = list(outside_check.clauses(rows))
    assert [c.holds for c in found[:4]] == [c.holds for c in found[4:]]
    return {clause.name: clause.holds for clause in found[:4]}


@pytest.mark.parametrize(
    ("rows", "name", "holds"),
    [
        (table(0.99), "median", True),
        (table(1.01), "median", False),
        (table(-1.01), "median", False),
        (table(0.0, far=2), "each", True),
        (table(0.0, far=3), "each", False),
        (table(0.0, 9.9), "with loss", True),
        (table(0.0, -10.1), "with loss", False),
        (table(0.0, left=19), "with loss", None),
        (table(0.0, left=17), "median", None),
        (table(0.0, left=14), "each", None),
        (table(0.0, left=19), "all ok", None),
        (table(0.0), "all ok", True),
    ],
)
def test_a_clause_holds_up_to_its_limit(
    rows: pd.DataFrame, name: str, holds: bool | None
) -> None:
    assert held(rows)[name] is holds


def test_a_run_that_is_not_ok_is_no_agreement() -> None:
    rows = table(0.0)
    rows.loc[rows["case"].isin(["tcp_debian", "mptcp_debian"]), "verdict"] = "invalid"
    assert held(rows)["all ok"] is False
    assert held(rows)["median"] is None


def test_the_exit_status_says_what_was_found(tmp_path: Path) -> None:
    for rows, status in ((table(0.5), 0), (table(2.0), 1), (table(0.5, left=4), 3)):
        rows.to_csv(tmp_path / "runs.csv")
        assert outside_check.main(tmp_path) == status


def test_the_note_has_the_limits_of_the_program() -> None:
    text = NOTE.read_text()
    for percent in (
        outside_check.MEDIAN_PERCENT,
        outside_check.EACH_PERCENT,
        outside_check.LOSSY_PERCENT,
    ):
        assert f"within -{percent:g} % and +{percent:g} %" in text
    assert f"at least {outside_check.EACH_AT_LEAST} differences" in text
