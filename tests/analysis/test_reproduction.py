"""Pages of a publication: drawn, answered, with causes, the same each time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.request import FigureRequest
from analysis.figures.style import Look, Target
from analysis.published import publication, resampling, selection, statements
from analysis.report import publication_pages
from mpbench.commands import pages as command
from mpbench.errors import UserError
from mpbench.report.pages_file import Pages
from mpbench.spec import load
from tests.analysis import campaign

ROOT = Path(__file__).parents[2]
THESIS = ROOT / "results/published/thesis-pages.yaml"
BOX = FigureRequest.model_validate(
    {
        "kind": "box",
        "metric": "experimental_aggregation_benefit",
        "criterion": {"factor": "capacity"},
        "after": "Fig. 3.4a",
    }
)
SHEETS = (
    publication.Sheet("figure-3.4", "benefit", "Fig. 3.4, p. 25", "3.4", ("a", "b")),
    publication.Sheet("table-5.3", "fairness", "Table 5.3", link="../x.md"),
    publication.Sheet("figure-9.9", "nothing", "Fig. 9.9", "9.9", ("c",)),
)


def made(name: str, seed: int, **columns: Any) -> Campaign:
    runs = table.build(campaign.rows(40, seed)).assign(**columns)
    return Campaign(name, runs, campaign.FACTORS, made={"kernel": "k"})


def publication_of(
    said: Sequence[statements.Statement], causes: Mapping[str, publication.Cause]
) -> publication_pages.Publication:
    return publication_pages.Publication(
        "Somebody, 2017", "pages.yaml", SHEETS, said, causes
    )


def said(**values: object) -> statements.Statement:
    plain: dict[str, Any] = {
        **dict(id="s", section="1", page="2", figure="3.4a", statement="it is large"),
        **dict(statistic="median", metric="goodput_mbps", criterion="", above=None),
        **dict(up_to=None, relation=">", value="1000", tolerance=0.0),
        "rows": selection.Selection("a"),
    }
    return statements.Statement(**{**plain, **values})


def write(
    folder: Path, causes: Mapping[str, publication.Cause], *more: statements.Statement
) -> tuple[publication_pages.Reproduced, ...]:
    campaigns = {"a": made("a", 1), "b": made("b", 2, goodput_mbps=2000.0)}
    return publication_pages.write(
        publication_of((said(), *more), causes),
        campaigns,
        {"a": (BOX,), "b": (BOX,)},
        folder,
        Look(formats=("png",)),
    )


def test_a_page_has_both_campaigns_and_the_answers(tmp_path: Path) -> None:
    done = write(tmp_path, {}, said(id="t", value="0"))
    page = (tmp_path / "figure-3.4.md").read_text()
    assert page.startswith("# Fig. 3.4: benefit\n")
    assert "](figure-3-4a.png)" in page and "](figure-3-4a-2.png)" in page
    assert "| it is large |" in page and "*it is large*: The cause is open." in page
    assert (done[0].agreeing, len(done[0].differing)) == (1, 1)
    assert publication_pages.verdict(done[0]) == "differs, open"
    index = (tmp_path / "README.md").read_text()
    assert "| [Table 5.3](../x.md) | fairness | - | - | on its own page |" in index
    assert "| Fig. 9.9 | nothing | 0 | 0 | no results yet |" in index
    assert "2 statements can be answered" in index and "agree with 1 of them" in index
    points = pd.read_csv(tmp_path / "points" / "a.csv")
    assert len(points) == 40 and "experimental_aggregation_benefit" in points


def test_a_cause_is_answered_from_its_runs(tmp_path: Path) -> None:
    cause = publication.Cause("The buffers. More.", selection.Selection("b"))
    done = write(tmp_path, {"s": cause})
    (each,) = done[0].answers
    assert each.tested is not None and each.tested.agrees is True
    page = (tmp_path / "figure-3.4.md").read_text()
    assert "More. The runs of `b` have: median 2e+03 (n = 40). They agree with" in page
    assert publication_pages.verdict(done[0]) == "differs, with cause"
    assert "The buffers." in (tmp_path / "README.md").read_text()


def test_a_cause_that_its_runs_do_not_show_leaves_it_open(tmp_path: Path) -> None:
    done = write(tmp_path, {"s": publication.Cause("x.", selection.Selection("a"))})
    (each,) = done[0].answers
    assert each.tested is not None and not each.explained
    assert publication_pages.verdict(done[0]) == "differs, open"
    assert (
        "does not explain it, so the cause is open."
        in (tmp_path / "README.md").read_text()
    )


def test_a_cause_can_ask_of_another_metric(tmp_path: Path) -> None:
    cause = publication.Cause("x.", selection.Selection("b"), metric="point")
    done = write(tmp_path, {"s": cause})
    assert not done[0].answers[0].explained
    page = (tmp_path / "figure-3.4.md").read_text()
    assert "of `b`, `point` have: median 19.5 (n = 40). They do not agree" in page


def test_chance_is_a_cause_where_points_drawn_again_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A median just below the value, and one far from it."""
    monkeypatch.setattr(resampling, "RESAMPLES", 200)
    known = made("a", 1).mptcp_runs["goodput_mbps"].median()
    cause = publication.Cause("No more than chance. So.", chance=True)
    near = said(id="near", statement="it is near", value=str(known + 1e-6))
    done = write(tmp_path, {"s": cause, "near": cause}, near)
    far_off, close = done[0].answers
    assert far_off.odds == 0 and not far_off.explained
    assert close.odds == pytest.approx(0.5, abs=0.2) and close.by_chance
    page = (tmp_path / "figure-3.4.md").read_text()
    assert f"in {close.odds:.0%} of them, so the difference is within" in page
    assert (
        "We drew 200 designs" in page
        and "in 0% of them" in page
        and "more than chance" in page
    )
    index = (tmp_path / "README.md").read_text()
    assert f"within chance: the statement holds in {close.odds:.0%} of" in index
    assert "agree with 0 of them. 1 differ by no more than chance." in index
    assert publication_pages.verdict(done[0]) == "differs, 1 open"


def test_a_cause_without_its_runs_leaves_it_open(tmp_path: Path) -> None:
    cause = publication.Cause("The buffers.", selection.read("elsewhere; case=lia"))
    done = write(tmp_path, {"s": cause})
    assert publication_pages.verdict(done[0]) == "differs, open"
    page = (tmp_path / "figure-3.4.md").read_text()
    assert "There are no results of `elsewhere` yet, so the cause is open." in page
    assert (
        "is not tested yet, so the cause is open."
        in (tmp_path / "README.md").read_text()
    )


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {})
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
        publication_of((), {}),
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
    names = [each.id for each in pages.statements]
    assert len(set(names)) == len(names)
    for each in pages.statements:
        if each.figure:
            assert any(sheet.has(each.figure) for sheet in sheets), each.id
        for asked in filter(None, (each.rows, each.against)):
            assert not asked.campaign or pages.experiment(asked.campaign), each.id


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pages:\n", "page:\n", r"pages.yaml:\d+: page: unknown key; did you mean"),
        ("thesis-ch4.csv", "thesis-ch9.csv", r"pages.yaml:\d+: statements: no file"),
        ("\npages:", "\ncauses: {nothing: {text: x}}\npages:", "no statement has the"),
    ],
)
def test_a_wrong_file_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = THESIS.read_text().split("\ncauses:")[0] + "\n"
    text = text.replace("- thesis-", f"- {THESIS.parent}/thesis-")
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
