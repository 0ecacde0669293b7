"""Pages of a publication: drawn, judged in every configuration, always the same."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from analysis.campaign import table
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.style import Look, Target
from analysis.published import (
    cells,
    publication,
    statements,
)
from analysis.published.answers import Outcome
from analysis.report import answers_section, publication_pages
from mpbench.commands import pages as command
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.report.pages_file import Pages
from tests.analysis import campaign
from tests.analysis.publications import BOX, SHEETS, made, publication_of, said, write

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
THESIS = ROOT / "results/published/thesis-pages.yaml"
MPCC = ROOT / "results/published/mpcc-pages.yaml"


def test_a_page_has_both_campaigns_and_the_answers(tmp_path: Path) -> None:
    write(tmp_path, said("t", "it is more than nothing", value=0))
    page = (tmp_path / "figure-3.4.md").read_text()
    assert page.startswith("# Fig. 3.4: benefit\n")
    assert "](figure-3-4a.png)" in page and "](figure-3-4a-2.png)" in page
    assert "| it is large | sec. 1, p. 2, Fig. 3.4a | median" in page
    assert "| **differs** | 100% |" in page and "| agrees | 100% |" in page
    index = (tmp_path / "README.md").read_text()
    assert "- 1 of 2 statements agree, 1 differ and 0 are undecided." in index
    assert "| Table 5.3 | fairness | - | - | - |" in index
    assert "| Fig. 9.9 | nothing | - | - |" in index
    assert "- kernel: `k`" in index
    assert "## What differs: upstream" in index
    points = pd.read_csv(tmp_path / "points" / "a.csv")
    assert len(points) == 40 and "experimental_aggregation_benefit" in points


def test_campaigns_of_another_publication_are_left_out(tmp_path: Path) -> None:
    stranger = replace(made("stranger", 3), made={"kernel": "other"})
    write(tmp_path, results=(made("a", 1), made("b", 2), stranger))
    assert "other" not in (tmp_path / "README.md").read_text()
    names = {path.stem for path in (tmp_path / "points").iterdir()}
    assert names == {"a", "b"}


def test_cells_that_another_command_compares_are_counted(tmp_path: Path) -> None:
    """Of the campaigns of the statements alone: no other was compared with them."""
    sheets = (*SHEETS, publication.Sheet("t", "", "Table 9", link="t.md", elsewhere=4))
    up, old = publication.Configuration("up"), publication.Configuration("old", "-old")
    known = tuple(
        made(f"{name}{end}", seed)
        for end in ("", "-old")
        for seed, name in enumerate(("a", "b"), 1)
    )
    more = {"sheets": sheets, "configurations": (up, old)}

    def counted() -> list[str]:
        write(tmp_path, results=known, **more)
        index = (tmp_path / "README.md").read_text()
        return [line for line in index.splitlines() if "cells agree" in line]

    none = "- 0 of 4 cells agree, 0 differ and 0 are undecided; 4 were not measured."
    assert [line.partition(" Fragile")[0] for line in counted()] == [none] * 2
    page = "1 of 4 numbers agree, 1 differ and 2 are undecided. Two deviations"
    (tmp_path / "t.md").write_text(page)
    up_line, old_line = counted()
    assert up_line.startswith("- 1 of 4 cells agree, 1 differ and 2 are undecided")
    assert "not measured" not in up_line and old_line.startswith(none[:-1])
    rows = (tmp_path / "verdicts.csv").read_text()
    assert rows.count("Table 9/") == 8 and rows.count("not measured") == 4


def test_campaigns_of_two_builds_are_told_apart(tmp_path: Path) -> None:
    again = replace(made("b", 2), made={"kernel": "k2", "commit": "c2"})
    write(tmp_path, results=(made("a", 1), again))
    index = (tmp_path / "README.md").read_text()
    assert "- kernel `k`, commit `-`: `a`\n- kernel `k2`, commit `c2`: `b`\n" in index
    assert "Campaigns of different builds cannot be compared run by run." in index


def test_the_index_links_to_a_page_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "x.md").touch()
    write(tmp_path / "pages")
    index = (tmp_path / "pages/README.md").read_text()
    assert "| [Table 5.3](../x.md) | fairness | - | - | - |" in index


def test_every_configuration_is_judged_on_every_statement(tmp_path: Path) -> None:
    known = (made("a", 1), made("a-new", 2, goodput_mbps=2000.0))
    two = (
        publication.Configuration("old"),
        publication.Configuration("new", "-new", text="a new one"),
    )
    inputs = replace(said("i", "forty points", value=0), kind="input")
    missing = said("m", "of another campaign", rows="c")
    write(tmp_path, inputs, missing, results=known, configurations=two)
    index = (tmp_path / "README.md").read_text()
    told = "statements agree, {} differ and 0 are undecided; 1 were not measured."
    for line in (
        f"**old**:\n\n- 0 of 2 {told.format(1).replace('statements', 'sentences')}\n",
        f"\n- 0 of 2 {told.format(1)}",
        "**new** (a new one):\n\n- 1 of 2 sentences agree",
        f"\n- 1 of 2 {told.format(0)}",
    ):
        assert line in index
    page = (tmp_path / "figure-3.4.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| it is large")]
    assert [row.split(" | ")[2] for row in rows] == ["old", "new"]
    assert "| forty points |" in page and "| input |" in page
    assert "No results of `b-new` yet." in page


def test_a_configuration_without_any_results_is_not_named(tmp_path: Path) -> None:
    two = (
        publication.Configuration("old"),
        publication.Configuration("new", "-new", text="a new one"),
    )
    write(tmp_path, results=(made("a", 1),), configurations=two)
    page = (tmp_path / "figure-3.4.md").read_text()
    assert "No results of `b` yet." in page
    assert "-new" not in page


def test_a_statement_that_asks_for_a_number_alone_is_not_counted(
    tmp_path: Path,
) -> None:
    write(tmp_path, said("number", "so much", relation="", value=""))
    index = (tmp_path / "README.md").read_text()
    assert "- 0 of 1 statements agree, 1 differ and 0 are undecided." in index
    assert "| so much |" in (tmp_path / "figure-3.4.md").read_text()


def test_a_change_is_judged_on_either_side(tmp_path: Path) -> None:
    now = said("c", "it changed", value=0)
    before = {**now.values, "value": 5000}
    change = statements.Change(
        "2026-01-02",
        "Why not.",
        {"value": 5000},
        {"value": 0},
        before,
        now.values,
        "1a",
    )
    write(tmp_path, replace(now, changes=(change,)))
    page = (tmp_path / "criteria.md").read_text()
    assert (
        "| `c` | 2026-01-02 | 1a | value: 5000 | value: 0 | Why not. |"
        " **differs** (until then: no) → agrees (until then: yes) |"
    ) in page
    assert "1 change." in page and "| upstream | no | 0 | 1 | 0 |" in page


def test_cells_are_on_the_page_and_in_the_headline(tmp_path: Path) -> None:
    fixed = made("a", 1, goodput_mbps=20.0)
    cell = cells.Cell(
        "T", "goodput", "x", "mptcp", {}, "goodput_mbps", "Mbit/s", 1.0, 20.0, None, ""
    )
    sheet = replace(
        SHEETS[1], campaigns=("a",), cells=(cell, replace(cell, value=30.0))
    )
    shown = replace(publication_of(()), sheets=(sheet,))
    (tmp_path / "x.md").touch()
    folder = tmp_path / "pages"
    publication_pages.write(
        shown, {"a": fixed}, {}, folder, Look(formats=("png",)), redraws=20
    )
    page = (folder / "table-5.3.md").read_text()
    assert "| 20 | 20 ± 0 | 40 | +0 (+0.0%) | agrees | same | 100% |" in page
    assert (
        "**differs** | other" in page and "[The campaign's own page](../x.md)" in page
    )
    index = (folder / "README.md").read_text()
    assert "- 1 of 2 cells agree, 1 differ and 0 are undecided." in index


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name)
    files = [
        {p.relative_to(tmp_path / name): p.read_bytes() for p in found if p.is_file()}
        for name in ("one", "two")
        for found in [sorted((tmp_path / name).rglob("*"))]
    ]
    assert files[0] == files[1] and len(files[0]) >= 5


def test_two_figures_after_the_same_one_have_two_names(tmp_path: Path) -> None:
    target = Target(tmp_path, "", Look(formats=("png",)))
    done = publication_pages.reproduce(
        SHEETS[0],
        publication_of(()),
        {"a": made("a", 1)},
        {"a": (BOX, BOX)},
        target,
    )
    drawn = [figure.drawn for figure in done.figures]
    names = [figure.name for figure in drawn if isinstance(figure, DrawnFigure)]
    assert names == ["figure-3-4a", "figure-3-4a-2"] and done.missing == ("b",)


def test_the_thesis_is_whole() -> None:
    """Each statement is on a page; each page has figures and campaigns that exist."""
    pages = Pages(THESIS)
    sheets = pages.publication.sheets
    drawn: dict[str, set[str]] = {}
    for sheet in sheets:
        for name in sheet.campaigns:
            path = pages.experiment(name)
            assert path is not None, name
            for figure in load(path).figures:
                published = (figure.after or "").removeprefix("Fig. ")
                if sheet.has(published):
                    drawn.setdefault(sheet.name, set()).add(name)
    for sheet in sheets:
        assert sheet.link or drawn.get(sheet.name) == set(sheet.campaigns), sheet.name
        for cell in sheet.cells:
            file = pages.experiment(sheet.campaigns[0])
            assert file is not None and cell.case in load(file).cases
    names = [statement.id for statement in pages.statements]
    assert len(set(names)) == len(names)
    for statement in pages.statements:
        assert any(sheet.has(statement.figure) for sheet in sheets), statement.id
        readings = [reading.criterion for reading in statement.readings]
        for asked in (statement.criterion, *readings):
            for campaign_name in asked.sets.campaigns():
                assert pages.experiment(campaign_name), statement.id


def test_the_pages_of_mpcc_are_whole() -> None:
    """Every file of statements is named, and every statement is on one page."""
    pages = Pages(MPCC)
    known = {path.name for path in MPCC.parent.glob("mpcc-*.yaml")} - {MPCC.name}
    assert set(pages.file.statements) == known
    names = [statement.id for statement in pages.statements]
    assert len(set(names)) == len(names)
    for sheet in pages.publication.sheets:
        for name in sheet.campaigns:
            path = pages.experiment(name)
            assert path, name
            assert load(path).expect, name
    for statement in pages.statements:
        on = [one for one in pages.publication.sheets if one.has(statement.figure)]
        assert len(on) == 1, statement.id
        named = statement.criterion.sets.campaigns()
        assert named <= set(on[0].campaigns), statement.id


def test_numbers_that_are_not_judged_are_not_said_to_be_missing() -> None:
    shown = answers_section.outcome_verdict
    assert shown(Outcome("median 7.87", n=15)) == "not judged"
    assert shown(Outcome("not measured: no results of bulk")) == "not measured"


def test_what_has_no_number_is_no_figure() -> None:
    shown = [answers_section.figure(name) for name in ("3.4a", "C.1", "12")]
    assert shown == ["Fig. 3.4a", "Fig. C.1", "Fig. 12"]
    for name in ("Table 5.3", "Theorem 5.1", "sec. 7.2.7"):
        assert answers_section.figure(name) == name


@pytest.mark.parametrize(
    ("after", "figure"),
    [
        ("Fig. 3.4a", "3.4a"),
        ("mpcc Fig. 11", "11"),
        ("Table C.1", "Table C.1"),
        ("mpcc Theorem 5.1", "Theorem 5.1"),
    ],
)
def test_a_figure_is_found_after_a_papers_short_name(after: str, figure: str) -> None:
    request = Goodput(after=after)
    assert publication_pages.published(request) == figure


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pages:\n", "page:\n", r"pages.yaml:\d+: page: unknown key; did you mean"),
        ("thesis-ch4.yaml", "thesis-ch9.yaml", r"pages.yaml:\d+: statements: no file"),
        ("\npages:", "\ncauses: {nothing: {text: x}}\npages:", "causes: unknown key"),
        ("baseline: upstream", "baseline: up", r":\d+: matrix: baseline: no config"),
        ("- fairness-phases", "- fairness-phase", "no statement or page names"),
        ("-table-5.4.csv", "-table-5.9.csv", r"pages.yaml:\d+: cells: no file"),
    ],
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = THESIS.read_text()
    text = text.replace("- thesis-", f"- {THESIS.parent}/thesis-")
    for key in ("cells", "deviations"):
        text = text.replace(f"{key}: thesis-", f"{key}: {THESIS.parent}/thesis-")
    path = tmp_path / "pages.yaml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=message):
        Pages(path)


def test_a_smaller_design_is_said(tmp_path: Path) -> None:
    file = ROOT / "experiments" / "thesis" / "bulk-low-bdp.yaml"
    whole = load(file)
    assert whole.design is not None
    fewer = whole.model_copy(
        update={"design": whole.design.model_copy(update={"points": 30})}
    )
    assert command._subset(whole, whole) == command._subset(None, whole) == ()
    (line,) = command._subset(whole, fewer)
    assert line == "A design of 30 points; the experiment file has 98."


@pytest.mark.parametrize(
    ("experiment", "lines"),
    [
        ("bulk-high-bdp", ("One network in 5 alone, of 213.",)),
        ("model-loss", ()),
    ],
)
def test_a_thinned_design_says_which_networks_are_left(
    experiment: str, lines: tuple[str, ...]
) -> None:
    """A grid has no points to thin."""
    file = ROOT / f"experiments/thesis/{experiment}.yaml"
    thinned = file.parent / "configurations/thinned.yaml"
    assert command._subset(load(file), load(file, [thinned])) == lines


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    arguments = [str(THESIS), str(tmp_path / "none"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(command.command, arguments)
    assert isinstance(result.exception, UserError)
    assert "none" in str(result.exception)


def rows_with(points: int = 40) -> list[dict[str, Any]]:
    rows = campaign.rows(points)
    for row in rows:
        ratio = (0.01, 0.02)[row["path"] == 1] if row["path"] else 0.015
        row["retransmission_ratio"] = ratio
        row |= {"path1.loss_percent": 1.0, "path2.loss_percent": 2.0}
    return rows


def test_what_needs_other_runs_of_the_network() -> None:
    frame = table.build(rows_with())
    mptcp = frame[frame["case"] == "mptcp"]
    share = mptcp["path1.share"]
    assert np.allclose(mptcp["mean_loss_percent"], share + 2 * (1 - share))
    assert np.allclose(mptcp["less_lossy_share"], 1 - share)
    better = mptcp["path1.tcp_goodput_mbps"] > mptcp["path2.tcp_goodput_mbps"]
    assert ((mptcp["first_path_quality"] == "best") == better).all()
    assert ((mptcp["first_path_use"] == "best") == (share > 0.5)).all()
    assert frame[frame["case"] != "mptcp"]["mean_loss_percent"].isna().all()


@pytest.mark.parametrize("loss", [1.0, 2.0])
def test_two_paths_of_equal_loss_have_that_mean_loss(loss: float) -> None:
    """By rounding errors alone, some of these would be above 1 %, and some below."""
    rows = campaign.rows(40, 1)
    for row, share in zip(rows, np.linspace(0.001, 0.999, len(rows)), strict=True):
        row |= {"path1.loss_percent": loss, "path2.loss_percent": loss}
        row |= {"path1.share": float(share), "path2.share": 1 - float(share)}
    known = table.build(rows)["mean_loss_percent"].dropna()
    assert len(known) and set(known) == {loss}


def test_r_n_is_of_the_same_network() -> None:
    rows = []
    for row in campaign.rows(6):
        if row["path"]:
            continue
        for name, rate in (("lowrtt", 3.0), ("roundrobin", 1.0 + row["point"])):
            more = {"case": name, "scheduler": name, "requests_per_s": rate}
            rows.append({**row, **more})
    frame = table.build(rows)
    one = frame[frame["case"] == "lowrtt"]
    expected = (2.0 - one["point"]) / (4.0 + one["point"])
    assert np.allclose(one["request_balance"], expected)
    assert frame[frame["case"] == "roundrobin"]["request_balance"].isna().all()
