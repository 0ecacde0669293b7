"""The page and its figures: whole, and the same bytes each time."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import markdown
import pandas as pd
import pytest

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import Criterion
from analysis.figures.kinds.box.request import Box
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.kinds.histogram.request import Histogram
from analysis.published import statements
from analysis.report import campaign_page
from analysis.report.campaign_page import Contents
from analysis.report.markdown import inert
from tests.analysis import campaign

pytestmark = pytest.mark.slow

BENEFITS = ("goodput", "aggregation_benefit", "experimental_aggregation_benefit")
THESIS = Path(__file__).parents[2] / "results/published/thesis-ch3.yaml"


def loaded(
    rows: list[dict[str, Any]],
    factors: tuple[str, ...] = campaign.FACTORS,
    metrics: tuple[str, ...] = BENEFITS,
) -> Campaign:
    return Campaign(
        "Bulk transfers",
        table.build(rows),
        factors,
        metrics,
        made={"kernel": "7.3.4"},
    )


def written(campaign: Campaign, folder: Path, **contents: Any) -> Path:
    """The page of a campaign beside the thesis's statements."""
    shown = Contents(statements=statements.read(THESIS), **contents)
    page = campaign_page.write(campaign, shown, folder).page
    assert page is not None
    return page


@pytest.mark.slow
def test_page_and_figures_twice_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        path = written(loaded(campaign.rows()), tmp_path / name)
        files = sorted(path.parent.iterdir())
        made.append({file.name: file.read_bytes() for file in files})
    assert made[0] == made[1]
    assert len([name for name in made[0] if name.endswith(".svg")]) == 7
    assert b"Date" not in made[0]["factors.svg"]


def test_page_embeds_what_it_draws(tmp_path: Path) -> None:
    text = written(loaded(campaign.rows()), tmp_path).read_text()
    for name in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / name).stat().st_size > 1000
    assert "| `]80, 100]` | 5 |" in text
    assert "| mptcp | 98 | 0 | 0 | 0 |" in text
    assert (tmp_path / "points.csv").read_text().count("\n") == 99
    assert "`7.3.4`" in text


def test_notes_and_bad_runs_stand_in_the_page(tmp_path: Path) -> None:
    rows = campaign.rows(20)
    rows[3] |= {"verdict": "invalid", "reason": "rate is 1 | 2"}
    notes = "## Why\n\nHeaders."
    text = written(loaded(rows), tmp_path, notes=notes).read_text()
    assert "- point 1, mptcp: invalid: rate is 1 | 2" in text
    assert "## Why\n\nHeaders.\n" in text
    assert "| mptcp | 19 | 1 | 0 | 0 |" in text


def test_the_page_says_what_the_experiment_is_for(tmp_path: Path) -> None:
    made = replace(loaded(campaign.rows(20)), description="# The paper\nonly draws it.")
    text = written(made, tmp_path).read_text()
    assert text.startswith("# Bulk transfers\n\n**Do `tcp1` and `tcp2` have higher")
    assert "\n\nThe paper only draws it.\n\n| case |" in text


def test_several_cases_have_a_panel_each(tmp_path: Path) -> None:
    rows = campaign.rows(20)
    rows += [{**row, "case": "olia"} for row in rows if row["case"] == "mptcp"]
    text = written(loaded(rows), tmp_path).read_text()
    assert "### olia" in text and "| olia | `]20, 40]` |" in text


def test_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to report"):
        written(loaded([]), tmp_path)


def test_without_a_good_run_the_page_says_so(tmp_path: Path) -> None:
    rows = [{**row, "verdict": "failed", "reason": "x"} for row in campaign.rows(2)]
    figures = (Goodput(), Histogram())
    text = written(loaded(rows), tmp_path, figures=figures).read_text()
    assert "Not drawn: no run is ok." in text
    assert "| mptcp | 0 | 0 | 2 | 0 |" in text
    assert "(factors.png)" in text and "(goodput.png)" not in text


def box(metric: str, factor: str, difference: str = "absolute", **more: Any) -> Box:
    criterion = Criterion(factor=factor, difference=difference)
    return Box(metric=metric, criterion=criterion, **more)


def test_what_the_experiment_asks_is_drawn_and_nothing_else(tmp_path: Path) -> None:
    figures = (
        box("traffic_split", "queueing_delay", "signed", batches=4),
        box("goodput", "path1.capacity", "none", case="tcp1", after="Fig. 9"),
        box("goodput", "path1.capacity", "none", case="tcp1", batches=2),
        box("jain", "delay"),
        box("goodput", "loss"),
    )
    asked = loaded(campaign.rows(30), metrics=("utilisation", "goodput"))
    text = written(asked, tmp_path, figures=figures).read_text()
    assert re.findall(r"\]\((.+)\.png\)", text.partition("## Figures")[2]) == [
        "traffic-split-queueing-delay-signed",
        "goodput-path1-capacity-tcp1",
        "goodput-path1-capacity-tcp1-2",
    ]
    assert "### Goodput against path 1 capacity, tcp1 (after Fig. 9)" in text
    assert "Not drawn: no run has the metric jain." in text
    assert "Not drawn: no run has the parameter path1.loss." in text
    assert "| `[-100, -50]` |" in text
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert set(summary["criterion"]) == {
        "queueing_delay_difference_ms",
        "path1.capacity_mbps",
    }
    assert set(summary["case"]) == {"mptcp", "tcp1"}
    assert summary.groupby(["metric", "criterion"]).size().tolist() == [7, 4]


def test_the_table_has_the_experiments_metrics(tmp_path: Path) -> None:
    rows = [{**row, "utilisation": 0.5} for row in campaign.rows(5)]
    asked = loaded(rows, metrics=("utilisation", "traffic_split"))
    text = written(asked, tmp_path).read_text()
    assert "| case | n | utilisation | share of path 1 |" in text
    assert "| tcp1 | 5 | 0.500 (0.500 to 0.500) | - |" in text


def test_sizes_of_traffic_split_the_table(tmp_path: Path) -> None:
    rows = [
        {**row, "traffic.size_bytes": size}
        for row in campaign.rows(3)
        for size in (8000, 2_000_000)
    ]
    asked = loaded(rows, factors=("traffic.size_bytes",))
    text = written(asked, tmp_path).read_text()
    assert "| case | traffic size [bytes] | n | goodput [Mbit/s] |" in text
    assert "| mptcp | 8000 | 3 |" in text and "| tcp2 | 2000000 | 3 |" in text


def test_goodput_of_tcp_alone(tmp_path: Path) -> None:
    rows = [row for row in campaign.rows(3) if row["protocol"] == "tcp"]
    text = written(loaded(rows), tmp_path).read_text()
    assert "(goodput.png)" in text and "Ours beside" not in text


def test_one_point_makes_a_page(tmp_path: Path) -> None:
    assert written(loaded(campaign.rows(1)), tmp_path).exists()


def test_names_of_a_stranger_are_no_html(tmp_path: Path) -> None:
    """In cases, reasons, states and notes; as a browser would read the page."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    link = "[x](javascript:alert(1)) [y](data:text/html,z)"
    rows = campaign.rows(2)
    rows[0] |= {"case": evil}
    rows[1] |= {"verdict": "failed", "reason": f"{evil} {link}"}
    loaded_ = replace(loaded(rows), name=evil, state=(evil,), made={"kernel": evil})
    text = written(loaded_, tmp_path, notes=f"{evil} {link} 1 < 2").read_text()
    assert "alert(1)" in text and "1 < 2" in text
    html = markdown.markdown(text, extensions=["tables"])
    for active in ("<script", "<img src=x", 'href="javascript', 'href="data'):
        assert active not in html


@pytest.mark.parametrize(
    "text",
    [
        "[x](&#106;avascript:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x]\n\n[x]: javascript:alert(1)",
        "[x]\n\n[x]:\n  javascript:alert(1)",
        "[x][y]\n\n[y]: &#106;avascript:alert(1)",
        "> [x]\n>\n> [x]:\n> javascript:alert(1)",
    ],
)
def test_no_link_of_a_stranger_runs_a_script(text: str) -> None:
    html = unescape(markdown.markdown(inert(text)))
    assert "alert(1)" in html and "href" not in html


def test_links_of_a_page_stay() -> None:
    text = "[a](../b.md#c:d), [b](https://example.org/?x=1&y:2); [note]: see c:d below"
    assert inert(text) == text
