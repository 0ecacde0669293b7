"""The comparison of MPTCP with QUIC is judged as its statements say."""

import re
from pathlib import Path

import pandas as pd
import pytest

from studies import quic
from studies.quic import CAMPAIGNS, MPTCP, STATEMENTS, cell, judged, table, wins

ROOT = Path(__file__).parents[1]


def rows(**values: list[float]) -> pd.DataFrame:
    """Rows of a campaign: three values of each case."""
    metric = values.pop("metric", ["interruption_s"])[0]
    made = [
        {"point": 0, "case": case, "repetition": i, "verdict": "ok", str(metric): value}
        for case, of in values.items()
        for i, value in enumerate(of)
    ]
    return pd.DataFrame(made)


def test_a_cell_needs_three_runs_that_are_ok() -> None:
    found = rows(noq=[1.0, 2.0, 3.0], picoquic=[1.0, 2.0])
    middle, half = cell(found, "noq", "interruption_s") or (0, 0)
    # Student's t with 2 degrees of freedom, 4.303, times 1 / sqrt(3)
    assert middle == 2 and half == pytest.approx(4.303 / 3**0.5, rel=1e-3)
    assert cell(found, "picoquic", "interruption_s") is None
    found.loc[0, "verdict"] = "invalid"
    assert cell(found, "noq", "interruption_s") is None


@pytest.mark.parametrize("won", [69, 70])
def test_most_networks_are_seven_tenths(won: int) -> None:
    made = [
        {"point": p, "case": case, "repetition": 0, "verdict": "ok", "goodput_mbps": g}
        for p in range(100)
        for case, g in (("upstream", 5.0), ("noq", 6.0 if p < won else 5.0))
    ]
    assert wins(pd.DataFrame(made), "noq") is (won == 70)
    assert wins(pd.DataFrame(made), "picoquic") is None
    assert wins(pd.DataFrame(made[:138]), "noq") is None


@pytest.mark.parametrize(
    ("seconds", "case", "column"),
    [(1.0, "picoquic", 2), (1.01, "picoquic", 3), (3.0, "noq", 2), (2.99, "noq", 3)],
)
def test_the_bounds_of_an_interruption(seconds: float, case: str, column: int) -> None:
    lines = [
        line.split("|")
        for line in judged({"quic-down": rows(**{case: [seconds] * 3})})
        if line.startswith("| Q3") and f"`{case}`" in line
    ]
    (line,) = lines
    assert f"`{case}`" in line[column + 1]


@pytest.mark.parametrize(("share", "holds"), [(0.8, True), (0.79, False)])
def test_what_a_coupled_controller_leaves_a_tcp(share: float, holds: bool) -> None:
    made = rows(lia=[share] * 3, tcp=[1.0] * 3).rename(
        columns={"interruption_s": "single.goodput_mbps"}
    )
    (_, _, _, judge), *_ = [s for s in STATEMENTS if s[0] == "Q6"]
    assert judge(made, "lia") is holds and judge(made, "olia") is None


def test_goodput_of_networks_is_divided_by_their_capacity() -> None:
    made = rows(noq=[5.0, 5.0, 5.0]).rename(columns={"interruption_s": "goodput_mbps"})
    made = made.assign(**dict.fromkeys(quic.CAPACITIES, 5.0))
    assert "| `noq` | 3 of 3 | 0.5 ± 0 |" in list(table("quic-bulk", made))


def test_the_page_has_the_tables_of_the_kept_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert quic.main(quic.KEPT) == 0
    page = (ROOT / "docs/mptcp-and-quic.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out in page


def test_each_campaign_has_a_file_and_each_statement_stands_in_the_notes() -> None:
    files = {path.stem for path in (ROOT / "experiments/quic").glob("*.yaml")}
    assert files == set(CAMPAIGNS)
    notes = (ROOT / "studies/notes/quic.md").read_text(encoding="utf-8")
    found = set(re.findall(r"^\| (Q\d+) \| `(quic-[a-z-]+)`", notes, re.M))
    assert found == {(name, campaign) for name, campaign, _, _ in STATEMENTS}
    cases = (ROOT / "experiments/quic/parts/cases.yaml").read_text(encoding="utf-8")
    assert all(f"\n  {case}: " in cases for case in (*MPTCP, *quic.QUIC, "tcp"))
