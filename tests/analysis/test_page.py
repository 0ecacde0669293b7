"""The page and its figures: whole, and the same bytes each time."""

import re
from pathlib import Path

import pytest

from analysis import page, statements, table
from tests.analysis import campaign

THESIS = Path(__file__).parents[2] / "results/published/thesis-ch3.csv"


def report(rows, **more) -> page.Report:
    return page.Report(
        title="Bulk transfers",
        runs=table.build(rows),
        factors=campaign.FACTORS,
        statements=statements.read(THESIS),
        made={"kernel": "7.3.4"},
        **more,
    )


def test_page_and_figures_twice_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        path = page.write(report(campaign.rows()), tmp_path / name)
        files = sorted(path.parent.iterdir())
        made.append({file.name: file.read_bytes() for file in files})
    assert made[0] == made[1]
    assert len([name for name in made[0] if name.endswith(".svg")]) == 4
    assert b"Date" not in made[0]["factors.svg"]


def test_page_embeds_what_it_draws(tmp_path: Path) -> None:
    text = page.write(report(campaign.rows()), tmp_path).read_text()
    for name in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / name).stat().st_size > 1000
    assert "| `]80, 100]` | 5 |" in text
    assert "| mptcp | 98 | 0 | 0 | 0 |" in text
    assert (tmp_path / "points.csv").read_text().count("\n") == 99
    assert "`7.3.4`" in text


def test_notes_and_bad_runs_stand_in_the_page(tmp_path: Path) -> None:
    rows = campaign.rows(20)
    rows[3] |= {"verdict": "invalid", "reason": "rate is 1 | 2"}
    text = page.write(report(rows, notes="## Why\n\nHeaders."), tmp_path).read_text()
    assert "- point 1, mptcp: invalid: rate is 1 | 2" in text
    assert "## Why\n\nHeaders.\n" in text
    assert "| mptcp | 19 | 1 | 0 | 0 |" in text


def test_several_cases_have_a_panel_each(tmp_path: Path) -> None:
    rows = campaign.rows(20)
    rows += [{**row, "case": "olia"} for row in rows if row["case"] == "mptcp"]
    text = page.write(report(rows), tmp_path).read_text()
    assert "### olia" in text and "| olia | `]20, 40]` |" in text


def test_nothing_to_report_is_refused(tmp_path: Path) -> None:
    for rows in ([], [{**row, "verdict": "failed"} for row in campaign.rows(2)]):
        with pytest.raises(ValueError, match="nothing to report"):
            page.write(report(rows), tmp_path)


def test_one_point_makes_a_page(tmp_path: Path) -> None:
    assert page.write(report(campaign.rows(1)), tmp_path).exists()
