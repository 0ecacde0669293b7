"""Numbers of the documentation: read from marks, written by runs."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from docs.builder import measured
from mpbench.errors import UserError

RUNS = pd.DataFrame(
    {
        "case": ["a", "a", "b", "b"],
        "goodput_mbps": [9.0, 11.0, 4.0, 6.0],
        "jain": [1.0, 1.0, None, None],
        "ended": ["reset", "reset", "complete", None],
    }
)
TEXT = """\
<!-- run: experiments/quickstart.yaml -->
In a: <!-- value: goodput_mbps case=a as .1f -->3<!-- end --> Mbit/s, and in b
   <!-- value: goodput_mbps case=b / goodput_mbps case=a as .0% -->3 %<!-- end -->.

<!-- table: goodput_mbps jain by case as .1f -->
old
<!-- end -->
"""


def page(tmp_path: Path, text: str) -> measured.Page:
    (tmp_path / "page.md").write_text(text)
    found = measured.Page(tmp_path / "page.md", tmp_path)
    found.tables["experiments/quickstart.yaml"] = RUNS
    return found


def test_values_and_tables_are_written(tmp_path: Path) -> None:
    new = measured.filled(page(tmp_path, TEXT))
    assert "as .1f -->10.0<!-- end --> Mbit/s" in new
    assert "as .0% -->50%<!-- end -->." in new
    assert "|---|---|---|\n| a | 10.0 | 1.0 |\n| b | 5.0 |  |\n\n<!-- end -->" in new
    assert "old" not in new
    assert measured.filled(page(tmp_path, new)) == new


def test_sentences_of_explain_are_a_column(tmp_path: Path) -> None:
    captured = Path("tests/analysis/captured/events")
    results = tmp_path / "results"
    for name in ("no-endpoint", "well-mptcp-cubic"):
        shutil.copytree(measured.ROOT / captured / name, results / "runs" / name)
    runs = pd.DataFrame({"id": ["no-endpoint", "well-mptcp-cubic"], "case": ["a", "b"]})
    new = measured.explained(runs, results)
    text = measured.table("explain by case", new)
    assert "| a | no further subflow was asked for on 2 connections: " in text
    assert "| b |  |" in text


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("case=a as", "case=c as", r"page\.md:2: case=c: no run that is ok"),
        ("goodput_mbps case=a as", "goodput case=a as", r"page\.md:2: goodput: no col"),
        ("run: experiments/quickstart", "run: none", r"page\.md:1: none.yaml: neither"),
        ("<!-- run: experiments/quickstart.yaml -->", "", r"page\.md:2: no <!-- run"),
    ],
)
def test_a_mark_that_says_nothing(
    old: str, new: str, fault: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=fault):
        measured.filled(page(tmp_path, TEXT.replace(old, new)))


def test_every_mark_names_an_experiment_and_every_picture_is_there() -> None:
    pages = [measured.Page(path, Path("none")) for path in measured.marked()]
    assert pages
    for found in pages:
        marks = list(measured.MARK.finditer(found.text))
        files = {m["file"] for m in marks if m["run"]}
        assert all(measured.named(file, found) for file in files), found.path
        modules = {m["module"] for m in marks if m["bench"]}
        assert all(find_spec(module) for module in modules), found.path
        assert files or modules, found.path
        assert "\n<!-- value" not in found.text, found.path
        assert all(target.is_file() for *_, target in measured.pictures(found))


def test_a_table_has_the_words_of_a_column(tmp_path: Path) -> None:
    assert measured.table("ended by case", RUNS).splitlines()[4:] == [
        "| a | reset |",
        "| b | complete |",
        "",
    ]


def test_a_benchmark_is_measured_again_when_pages_are_written(tmp_path: Path) -> None:
    text = "<!-- bench: platform --terse -->\nold\n<!-- end -->\n"
    found = page(tmp_path, text)
    assert measured.filled(found) == text
    new = measured.filled(found, benches=True)
    assert "old" not in new and new.count("\n") == 5 and new.endswith("<!-- end -->\n")


def test_a_benchmark_that_fails_is_named(tmp_path: Path) -> None:
    found = page(tmp_path, "<!-- bench: no.such.module --><!-- end -->\n")
    with pytest.raises(UserError, match=r"page\.md:1: no\.such\.module: "):
        measured.filled(found, benches=True)


@pytest.mark.guest
def test_a_page_says_what_its_runs_give(tmp_path: Path) -> None:
    """The quickest page; `make docs-numbers` executes all of them."""
    handover = measured.Page(measured.DOCS / "changing-links.md", tmp_path)
    assert measured.filled(handover) == handover.text
