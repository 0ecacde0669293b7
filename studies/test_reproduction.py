"""The list of campaigns that `make reproduction` executes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.store import kept_rows
from studies import (
    kept,
    mpcc_campaigns,
    publications,
    reachability,
    reference_index,
    reproduction,
    spread,
    undecided,
)

pytestmark = pytest.mark.slow


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
    sets = (*reproduction.SETS, reproduction.MPCC)
    assert order == sorted(order, key=sets.index)


def test_kept_rows_stand_in_for_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, results = tmp_path / "rows", tmp_path / "results"
    monkeypatch.setattr(reproduction, "ROWS", rows)
    monkeypatch.setattr(reproduction, "TABLES", rows)
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
    reused = {
        step.name: step.words[2:4]
        for step in reproduction.steps(results)
        if step.set == "upstream" and "--reuse" in step.words
    }
    assert reused == {
        name: ("--reuse", str(rows / name)) for name in ("ab-low-bdp", "bulk-low-bdp")
    }
    written = list(reproduction.pages(results))
    assert [words[:2] for words in written] == [
        ("report", str(results / "bulk-low-bdp")),
        ("pages", str(reproduction.PUBLISHED / "thesis-pages.yaml")),
    ]
    (rows / "bulk-low-bdp.designs.csv").touch()
    after = [words[0] for words in reproduction.pages(results)]
    assert after == ["report", "deviations", "pages"]


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
    _head, _rule, *rows, last = reproduction.costs(papers, steps)
    assert [row.split(" | ")[1] for row in rows] == [step.name for step in papers]
    assert {"olia-scenario-b", "rtt-compensation"} <= {step.name for step in papers}
    assert last.startswith("| | all |")


def test_the_costs_are_those_of_the_configuration(
    steps: list[reproduction.Step],
) -> None:
    """Fewer networks where a campaign has fewer, and no run that is copied."""
    names = ("lossy-low-bdp-v091", "lossy-low-bdp-control")
    without = [f"lossy-low-bdp-v091-without-{part}" for part in ("lia", "links")]
    named = {step.name: step for step in steps}
    wanted = [named[name] for name in (*names, *without)]
    _head, _rule, *rows, _last = reproduction.costs(wanted, steps)
    cells = [row.split(" | ") for row in rows]
    points, runs = 46, 6
    assert [cell[2:4] for cell in cells] == [
        ["91", str(91 * runs)],
        [str(points), str(points * runs)],
        [str(points), str(points)],  # of the case with LIA alone
        [str(points), str(points * runs)],
    ]


def test_the_set_mpcc_has_all_campaigns_of_its_pages(
    steps: list[reproduction.Step],
) -> None:
    import yaml

    pages = yaml.safe_load((reproduction.PUBLISHED / "mpcc-pages.yaml").read_text())
    named = {
        name for page in pages["pages"].values() for name in page.get("campaigns", ())
    }
    mine = [step for step in steps if step.set == reproduction.MPCC]
    assert named == {step.name for step in mine}
    files = {path.stem for path in mpcc_campaigns.FOLDER.glob("*.yaml")}
    assert files - named == {"mpcc-phases"}
    for step in mine:
        reused = [step.words[i + 1] for i, w in enumerate(step.words) if w == "--reuse"]
        assert all(
            mpcc_campaigns.ORDER.index(Path(folder).name)
            < mpcc_campaigns.ORDER.index(step.name)
            for folder in reused
            if Path(folder).parent != reproduction.ROWS
        )


def test_figures_fit_into_the_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not fit is left out whole, and cheaper ones follow."""
    costs = dict.fromkeys(mpcc_campaigns.ORDER, 1800.0)
    costs["mpcc-fig-5a"] = 1e6
    costs |= dict.fromkeys(mpcc_campaigns.REUSED, 0.0)
    monkeypatch.setattr(mpcc_campaigns, "cpu_s", costs.__getitem__)
    first = mpcc_campaigns.FIGURES[0]
    assert list(mpcc_campaigns.affordable(1)) == list(first)
    assert list(mpcc_campaigns.affordable(1.5)) == [*first, "mpcc-fig-6a"]
    assert list(mpcc_campaigns.affordable(0.9)) == ["mpcc-fig-6a"]
    assert not list(mpcc_campaigns.affordable(0.4))
    chosen = list(mpcc_campaigns.affordable(4))
    for name, source in mpcc_campaigns.REUSED.items():
        assert (name in chosen) == (source in chosen)


def test_the_cost_of_a_campaign_is_that_of_its_plan() -> None:
    assert 60 < mpcc_campaigns.cpu_s("mpcc-theorem-5.1") < 3600
    assert mpcc_campaigns.cpu_s("mpcc-fig-11-rates") == 0


@pytest.mark.parametrize(("name", "source"), mpcc_campaigns.REUSED.items())
def test_what_a_campaign_copies_are_runs_of_the_earlier_one(
    name: str, source: str
) -> None:
    """A run's id follows from its design point, so both files have the point."""

    def ids(of: str) -> set[str]:
        spec = load(mpcc_campaigns.FOLDER / f"{of}.yaml")
        return {run.id for run in make_plan(spec, {}).runs}

    assert ids(name) < ids(source)


def test_a_run_of_the_data_centre_takes_what_was_measured() -> None:
    """27 s of CPU time for a run under MPCC."""
    runs = 5 * 2
    assert 25 < mpcc_campaigns.cpu_s("mpcc-fig-19-rates") / runs < 30


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--set", "mpcc", "--set", "papers"], "stands alone"),
        (["--cpu-hours", "4"], "is for --set mpcc"),
    ],
)
def test_sets_that_do_not_go_together(
    words: list[str],
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["reproduction", *words])
    with pytest.raises(SystemExit) as ended:
        reproduction.main()
    assert ended.value.code == 2
    assert fault in capsys.readouterr().err


def test_the_index_is_written_after_the_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And its exit status is that of the command."""
    done: list[str] = []
    page = ("report", "x", "--out", str(reproduction.ROOT / "build/no-such-page.md"))

    def mpbench(words: tuple[str, ...]) -> int:
        done.append(words[0])
        return 0

    def write_index(words: list[str]) -> int:
        done.append("index")
        return 7

    monkeypatch.setattr("sys.argv", ["reproduction", "--kept"])
    monkeypatch.setattr(kept, "unpack", lambda folder: None)
    monkeypatch.setattr(reproduction, "one_build", lambda folders: None)
    monkeypatch.setattr(reproduction, "keep", lambda results, sets: 0)
    monkeypatch.setattr(reproduction, "pages", lambda results: [page])
    monkeypatch.setattr(reproduction, "prune", lambda folder: [])
    monkeypatch.setattr(reproduction, "mpbench", mpbench)

    def write(name: str) -> Callable[[list[str]], int]:
        def main(_: list[str]) -> int:
            done.append(name)
            return 0

        return main

    monkeypatch.setattr(reachability, "main", write("reachability"))
    monkeypatch.setattr(spread, "main", write("spread"))
    monkeypatch.setattr(undecided, "main", write("undecided"))
    monkeypatch.setattr(reference_index, "main", write_index)
    assert reproduction.main() == 7
    assert done == ["report", "reachability", "spread", "undecided", "index"]


def test_what_no_page_shows_is_removed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("![a figure](a.png)\n")
    (tmp_path / "b.md").write_text("![a network](network.svg)\n")
    names = {"a.png", "a.svg", "old.png", "network.svg", "runs.csv", "points.csv"}
    for name in names:
        (tmp_path / name).touch()
    assert reproduction.prune(tmp_path) == ["a.svg", "old.png", "runs.csv"]
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"README.md", "b.md", "a.png", "network.svg", "points.csv"}


def test_each_publication_has_a_build_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = {}
    for name, source, build in (
        ("bulk", "thesis ch. 3", "1"),
        ("arrivals", "nsdi11 sec. 3", "2"),
        ("oscillation", "balia sec. V-C, Fig. 3", "2"),
        ("idle", "Wischik et al. 2011, sec. 4", "2"),
        ("mpcc-fig-5a", "mpcc Fig. 5a", "3"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "experiment.yaml").write_text(f"source: '{source}'\n")
        builds[tmp_path / name] = {"kernel": build}
    monkeypatch.setattr(reproduction, "_build", builds.__getitem__)
    reproduction.one_build(builds)
    builds[tmp_path / "oscillation"] = {"kernel": "1"}
    with pytest.raises(UserError, match=r"oscillation: of another build than .*arriv"):
        reproduction.one_build(builds)


def test_every_campaign_is_of_the_publication_of_its_set(
    steps: list[reproduction.Step],
) -> None:
    """So that the pages of MPCC can come from another build than the thesis's."""
    own = {"papers": "papers", reproduction.MPCC: reproduction.MPCC}
    apart = set(publications.OWN_BUILDS.values())
    for step in steps:
        source = load(Path(step.words[1])).source
        assert source, step.name
        found = publications.kept_with(step.name, source)
        if found in (publications.AGAIN, publications.ADDED):
            assert step.set == "papers", step.name
        elif found == "reach":
            assert step.set == "reach", step.name
        elif found == publications.MOVED:
            assert step.set == "control", step.name
        elif found == publications.LOSSES:
            sets = ("upstream", "designs", "v091", "control", "parts")
            assert step.set in sets, step.name
        elif found in apart:
            assert step.set in ("papers", "exploration"), step.name
        elif step.set == "exploration":
            assert found in ("thesis", "papers", reproduction.MPCC), step.name
        else:
            assert found == own.get(step.set, "thesis"), step.name
