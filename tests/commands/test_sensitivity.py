"""`mpbench sensitivity`, on made-up numbers."""

import json
from pathlib import Path

import pandas as pd
import pytest

from mpbench.store import manifest
from mpbench.store.layout import Run
from tests.calls import Called, Command
from tests.spec.files import TEXT

pytestmark = pytest.mark.slow

METRICS = "metrics: [goodput, aggregation_benefit]\n"


@pytest.fixture(autouse=True)
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("small.yaml")
    path.write_text(TEXT + METRICS)
    return path


def sensitivity(command: Command, *options: str, file: str = "small.yaml") -> Called:
    return command("sensitivity", file, "--backend", "fake", *options)


def test_three_designs(command: Command) -> None:
    done = sensitivity(command, "--designs", "3", "--json")
    assert done.status == 0, done.err
    figures = json.loads(done.out)
    assert {row["designs"] for row in figures} == {3}
    assert {row["metric"] for row in figures} == {"goodput", "aggregation_benefit"}
    medians = [
        row
        for row in figures
        if (row["metric"], row["statistic"]) == ("aggregation_benefit", "median")
    ]
    (mptcp,) = medians
    assert mptcp["relative_to"] == "range" and mptcp["relative_deviation"] > 0
    tables = [Path("results/small"), *map(Path, ("results/small.designs/2",))]
    points = [
        pd.read_csv(path / "design.csv")["path1.capacity_mbps"] for path in tables
    ]
    assert not points[0].equals(points[1])
    kept = pd.read_csv("results/small.designs/sensitivity.csv")
    assert len(kept) == len(figures)


def test_more_designs_throw_nothing_away(command: Command) -> None:
    sensitivity(command, "--designs", "2")
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    done = sensitivity(command, "--designs", "3")
    assert done.status == 0
    assert done.out.count("0 to do now") == 2
    after = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    assert before.items() < after.items()


def test_failed_runs_can_be_had_again(command: Command) -> None:
    sensitivity(command, "--designs", "2")
    rows = sorted(Path("results/small.designs").rglob("row.json"))
    failed = json.loads(rows[0].read_text()) | {"verdict": "failed"}
    manifest.rewrite(Run(rows[0].parent), {"row.json": json.dumps(failed).encode()})
    left = sensitivity(command, "--designs", "2")
    assert left.status == 1 and "--retry-failed" in left.out
    again = sensitivity(command, "--designs", "2", "--retry-failed")
    assert again.status == 0, again.out
    assert "1 to do now" in again.out
    assert json.loads(rows[0].read_text())["verdict"] == "ok"


def test_a_campaign_that_has_run_is_the_first_design(command: Command) -> None:
    command("run", "small.yaml", "--backend", "fake")
    done = sensitivity(command, "--designs", "2")
    assert done.out.count("0 to do now") == 1


def test_until(command: Command) -> None:
    done = sensitivity(command, "--designs", "2", "--until", "90%")
    assert done.status == 0
    assert "Design 3," not in done.out
    done = sensitivity(command, "--designs", "2", "--until", "0.01 %", "--most", "4")
    assert done.status == 3
    assert "Design 4," in done.out and "Design 5," not in done.out
    assert "after 4 designs the standard error is" in done.err


def folders() -> list[Path]:
    return [
        Path("results/small"),
        *(Path(f"results/small.designs/{k}") for k in (2, 3)),
    ]


def test_points_are_added_and_throw_nothing_away(command: Command) -> None:
    sensitivity(command)
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    small = [pd.read_csv(folder / "design.csv") for folder in folders()]
    done = sensitivity(
        command, "--until", "0.01%", "--add", "points", "--most", "9", "--json"
    )
    assert done.status == 3
    assert "with 9 points the standard deviation is" in done.err
    after = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    assert before.items() < after.items()
    assert len(after) == len(before) // 4 * 9
    for few, folder in zip(small, folders(), strict=True):
        many = pd.read_csv(folder / "design.csv")
        assert len(many) == 9
        pd.testing.assert_frame_equal(many[:4], few)
    figures = json.loads(done.out)
    assert {row["points"] for row in figures} == {4, 6, 9}
    kept = pd.read_csv("results/small.designs/sensitivity.csv")
    assert len(kept) == len(figures)
    assert dict(kept.groupby("points")["runs"].max()) == {4: 12, 6: 18, 9: 27}


@pytest.mark.slow
def test_points_go_on_where_they_stopped_and_until_it_is_settled(
    command: Command,
) -> None:
    limits = ("--add", "points", "--most", "6")
    sensitivity(command, "--until", "0.01%", *limits)
    done = sensitivity(command, "--until", "0.01%", *limits)
    assert done.out.count("0 to do now") == 6
    assert "3 designs of 4 points: all has run" in done.out
    done = sensitivity(command, "--until", "900%", *limits)
    assert done.status == 0
    assert "6 points" not in done.out


def test_a_grown_design_is_an_experiment_of_its_own(command: Command) -> None:
    """The folder's file gives the same design, and so does the file as advised."""
    sensitivity(command, "--until", "0.01%", "--add", "points", "--most", "6")
    for folder in folders():
        done = command(
            "run",
            str(folder / "experiment.yaml"),
            "--backend",
            "fake",
            "--out",
            str(folder),
        )
        assert "18 runs in the plan, 18 finished (18 ok), 0 to do now" in done.out
    own = TEXT.replace("points: 4", "points: 6\n  grown_from: 4") + METRICS
    Path("small.yaml").write_text(own)
    done = command("run", "small.yaml", "--backend", "fake")
    assert "18 runs in the plan, 18 finished (18 ok), 0 to do now" in done.out
    done = sensitivity(command, "--until", "0.01%", "--add", "points", "--most", "7")
    assert "in the file: points: 7, grown_from: 4" in done.out


def test_the_first_design_of_the_file_again(command: Command) -> None:
    """Runs that were added stay beside the smaller plan."""
    sensitivity(command, "--until", "0.01%", "--add", "points", "--most", "6")
    done = command("run", "small.yaml", "--backend", "fake")
    assert "12 runs in the plan, 12 finished (12 ok), 0 to do now" in done.out
    assert "6 runs of an earlier plan" in done.out


def test_no_more_points_than_there_are(command: Command) -> None:
    text = TEXT.replace("points: 4", "points: 4\n  candidates: 5") + METRICS
    Path("few.yaml").write_text(text)
    done = sensitivity(
        command,
        "--until",
        "0.001%",
        "--add",
        "points",
        "--most",
        "9",
        file="few.yaml",
    )
    assert done.status == 3, done.err
    assert "with 4 points the standard deviation is" in done.err
    assert "no more points can be had: " in done.err
    assert "6 is more than the 5 candidates allow" in done.err
    assert len(pd.read_csv("results/small.designs/sensitivity.csv")) > 0


def test_lists_and_included_parts(command: Command) -> None:
    Path("part.yaml").write_text(TEXT.replace("name: small\n", ""))
    Path("whole.yaml").write_text(
        "include: part.yaml\nname: whole\n"
        "design: {factors: {path1.delay: [1 ms, 5 ms]}}\n"
    )
    done = sensitivity(command, "--designs", "2", "--json", file="whole.yaml")
    assert done.status == 0, done.err
    figures = json.loads(done.out)
    assert {row["path1.delay_ms"] for row in figures} == {1, 5}
    kept = Path("results/whole.designs/2/experiment.yaml").read_text()
    assert "seed: 2" in kept and "include" not in kept


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--until", "0%"), "0 % is never reached"),
        (("--until", "soon"), "'soon' is not a quantity"),
        (("--add", "points"), "--add points: until when? give --until too"),
        (("--add", "luck"), "'luck' is not one of 'designs', 'points'"),
        (("--designs", "1"), "1 is not in the range x>=2"),
        (("--metric", "godput"), "unknown metric 'godput'; did you mean 'goodput'?"),
        (
            ("--metric", "completion_time"),
            "no design has an ok run with completion_time",
        ),
        (("--only", "tcp9"), "--only tcp9: no such case"),
        (
            ("--until", "0.01%", "--most", "2"),
            "--most 2: the study begins with 3 designs; give at least --most 3",
        ),
        (
            ("--until", "0.01%", "--add", "points", "--most", "3"),
            "--most 3: the study begins with 4 points; give at least --most 4",
        ),
    ],
)
def test_bad_input(command: Command, options: tuple[str, ...], words: str) -> None:
    done = sensitivity(command, *options)
    assert done.status == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_design_without_ranges(command: Command) -> None:
    text = TEXT.replace("points: 4", "method: grid").replace(
        "{min: 1, max: 100, unit: Mbit/s}", "[1 Mbit/s]"
    )
    Path("grid.yaml").write_text(text.replace("{min: 1 ms, max: 25 ms}", "[1 ms]"))
    done = sensitivity(command, file="grid.yaml")
    assert done.status == 2
    assert "no factor has a range, so all designs are the same" in done.err
