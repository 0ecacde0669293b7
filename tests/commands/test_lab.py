"""`mpbench init lab`: a course of five exercises."""

import re
from pathlib import Path

import pandas as pd
import pytest

import mpbench
from mpbench.commands.init import LAB, TEMPLATES
from mpbench.experiment_files import load
from tests.calls import Command

EXERCISES = sorted(path.name for path in (TEMPLATES / LAB).glob("*.yaml"))


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(monkeypatch, capsys)


def test_the_course_is_written_and_read(command: Command) -> None:
    done = command("init", "lab")
    assert (done.status, done.out) == (0, "Wrote lab. Next: read lab/README.md\n")
    assert [path.name for path in sorted(Path("lab").iterdir())] == [
        *EXERCISES,
        "README.md",
    ]
    page = Path("lab/README.md").read_text()
    questions, _, answers = page.partition("\n## Answers\n")
    assert len(EXERCISES) == 5
    for number, name in enumerate(EXERCISES, start=1):
        assert questions.count(f"| `{name}` | ") == 1
        assert f"- Exercise {number}: " in questions
        assert answers.count(f"\n**{number}. ") == 1
        head = Path("lab", name).read_text().partition("\nname:")[0]
        assert head.startswith(f"# Exercise {number}. ") and "?\n" in head
        assert "Guess first" in head and "\n# Look at: " in head
        results = f"results/{load(Path('lab', name)).name}"
        assert f"\n#     mpbench run {name}\n" in head
        assert f"\n#     mpbench report {results} --open\n" in head


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_asks_what_mptcp_has_beside_tcp_and_not_the_reverse(name: str) -> None:
    spec = load(TEMPLATES / LAB / name)
    alone = {label for label, case in spec.cases.items() if case.protocol == "tcp"}
    if alone:
        assert spec.compare is not None
        assert {spec.compare.baseline} == alone


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_runs_and_is_reported(command: Command, name: str) -> None:
    """On the fake backend; its figures are drawn, and its runs are few."""
    command("init", "lab")
    done = command("run", Path("lab", name), "--backend", "fake")
    assert done.status == 0, done.err
    spec = load(Path("lab", name))
    table = mpbench.load(Path("results", spec.name)).runs
    assert len(table) <= 12 and set(table.verdict) == {"ok"}
    done = command("report", Path("results", spec.name), "--format", "md")
    assert done.status == 0, done.err
    report = Path("results", spec.name, "report")
    page = (report / "README.md").read_text()
    assert "cannot be drawn" not in page
    for metric in spec.metrics:
        assert metric in {"traffic_split", *METRICS}


METRICS = ("goodput", "aggregation_benefit", "smoothed_rtt", "jain", "interruption")
"""Metrics that the answers speak of."""


def test_another_folder_and_one_that_is_empty(command: Command) -> None:
    Path("here").mkdir()
    assert command("init", "lab", "--out", "here").status == 0
    assert command("init", "lab", "--out", "a/b").status == 0
    for folder in ("here", "a/b"):
        assert len(list(Path(folder).iterdir())) == 6


def test_no_file_is_overwritten(command: Command) -> None:
    Path("lab").mkdir()
    Path("lab/1-aggregation.yaml").write_text("precious\n")
    done = command("init", "lab")
    assert done.status == 2
    assert done.err.strip().endswith(
        "lab: has files already; give another folder with --out"
    )
    assert [path.read_text() for path in Path("lab").iterdir()] == ["precious\n"]
    Path("file").write_text("precious\n")
    done = command("init", "lab", "--out", "file")
    assert done.status == 2
    assert "file: is a file; give a folder that is new or empty" in done.err
    done = command("init", "lab", "--out", "file/below")
    assert done.status == 2 and len(done.err.splitlines()) == 1
    assert Path("file").read_text() == "precious\n"


def test_the_name_of_the_course_is_suggested(command: Command) -> None:
    done = command("init", "labs")
    assert done.status == 2
    assert re.search(r"no template 'labs'; did you mean 'lab'", done.err)


@pytest.mark.guest
def test_a_small_buffer_lets_a_slow_path_stop_a_fast_one(command: Command) -> None:
    """The answer to exercise 4: MPTCP has about half of what TCP has on path 1."""
    command("init", "lab")
    only = ("--only", "lowrtt", "--only", "tcp")
    done = command("run", Path("lab/4-schedulers.yaml"), *only)
    assert done.status == 0, done.err
    table: pd.DataFrame = mpbench.load(Path("results/lab-schedulers")).ok
    goodput = table.set_index("case").goodput_mbps
    assert goodput["tcp"] == pytest.approx(8 * 1448 / 1514, rel=0.02)
    assert 0.35 < goodput["lowrtt"] / goodput["tcp"] < 0.6
