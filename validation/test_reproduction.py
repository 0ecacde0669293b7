"""The list of campaigns that `make reproduction` executes."""

import subprocess
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.spec import load
from mpbench.store import kept_rows
from validation import reproduction


@pytest.fixture
def steps(tmp_path: Path) -> list[reproduction.Step]:
    return list(reproduction.steps(tmp_path))


def test_every_campaign_of_the_pages_is_executed(
    steps: list[reproduction.Step],
) -> None:
    import yaml

    pages = yaml.safe_load((reproduction.PUBLISHED / "thesis-pages.yaml").read_text())
    named = {
        name for page in pages["pages"].values() for name in page.get("campaigns", ())
    }
    assert len(named) == 16
    names = {step.name for step in steps}
    for suffix in ("", "-v091", "-control", "-v091-control"):
        assert {name + suffix for name in named} <= names
    parts = [step for step in steps if step.set == "parts"]
    assert {name for name in names if "-without-" in name} == {s.name for s in parts}
    for part in ("links", "windows", "lia", "wvegas"):
        assert f"bulk-low-bdp-v091-without-{part}" in names


def test_results_have_the_names_that_the_experiments_have(
    steps: list[reproduction.Step],
) -> None:
    for step in steps:
        if step.set == "designs":
            continue
        words = list(step.words)
        given = [Path(words[i + 1]) for i, w in enumerate(words) if w == "--with"]
        without = [words[i + 1] for i, w in enumerate(words) if w == "--without"]
        assert load(Path(words[1]), given, without).name == step.name


def test_no_two_campaigns_share_a_folder(steps: list[reproduction.Step]) -> None:
    outs = [step.words[-1] for step in steps if step.set != "designs"]
    assert len(outs) == len(set(outs))


def test_a_set_comes_after_those_that_it_reuses(
    steps: list[reproduction.Step],
) -> None:
    order = [step.set for step in steps]
    assert order == sorted(order, key=reproduction.SETS.index)


def test_kept_rows_stand_in_for_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, results = tmp_path / "rows", tmp_path / "results"
    monkeypatch.setattr(reproduction, "ROWS", rows)
    for name in ("bulk-low-bdp", "ab-low-bdp"):
        (rows / name).mkdir(parents=True)
        (rows / name / kept_rows.FILE).touch()
    (results / "bulk-low-bdp").mkdir(parents=True)
    (results / "bulk-low-bdp/campaign.json").touch()
    (rows / "bulk-high-bdp.designs.csv").touch()
    assert reproduction.sources(results) == {
        "ab-low-bdp": rows / "ab-low-bdp",
        "bulk-low-bdp": results / "bulk-low-bdp",
    }
    written = list(reproduction.pages(results))
    assert [words[:2] for words in written] == [
        ("report", str(results / "bulk-low-bdp")),
        ("pages", str(reproduction.PUBLISHED / "thesis-pages.yaml")),
    ]
    (rows / "bulk-low-bdp.designs.csv").touch()
    assert [words[0] for words in reproduction.pages(results)][2:] == ["deviations"]


def test_uncommitted_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.check_call(["git", "-C", str(tmp_path), *identity, *words])

    monkeypatch.setattr(reproduction, "ROOT", tmp_path)
    git("init", "-q")
    (tmp_path / "a").write_text("a")
    git("add", "a")
    git("commit", "-qm", "a")
    assert len(reproduction.clean_commit()) == 40
    (tmp_path / "a").write_text("b")
    with pytest.raises(UserError, match="a and perhaps more files are not committed"):
        reproduction.clean_commit()


def test_the_costs_have_a_row_per_campaign_of_the_papers(
    steps: list[reproduction.Step],
) -> None:
    papers = [step for step in steps if step.set == "papers"]
    _head, _rule, *rows, last = reproduction.costs(papers)
    assert [row.split(" | ")[1] for row in rows] == [step.name for step in papers]
    assert {"olia-scenario-b", "rtt-compensation"} <= {step.name for step in papers}
    assert last.startswith("| | all |")
