"""`mpbench sensitivity`, on made-up numbers."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.calls import Command
from tests.spec.files import TEXT

METRICS = "metrics: [goodput, aggregation_benefit]\n"


@pytest.fixture(autouse=True)
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("small.yaml")
    path.write_text(TEXT + METRICS)
    return path


def sensitivity(command: Command, *options: str, file: str = "small.yaml"):
    return command("sensitivity", file, "--backend", "fake", *options)


def test_three_designs(command: Command) -> None:
    done = sensitivity(command, "--designs", "3", "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert {row["designs"] for row in found} == {3}
    assert {row["metric"] for row in found} == {"goodput", "aggregation_benefit"}
    medians = [
        row
        for row in found
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
    assert len(kept) == len(found)


def test_more_designs_throw_nothing_away(command: Command) -> None:
    sensitivity(command, "--designs", "2")
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    done = sensitivity(command, "--designs", "3")
    assert done.status == 0
    assert done.out.count("0 to do now") == 2
    after = {path: path.stat().st_mtime_ns for path in Path().rglob("row.json")}
    assert before.items() < after.items()


def test_a_campaign_that_has_run_is_the_first_design(command: Command) -> None:
    command("run", "small.yaml", "--backend", "fake")
    done = sensitivity(command, "--designs", "2")
    assert done.out.count("0 to do now") == 1


def test_until(command: Command) -> None:
    done = sensitivity(command, "--designs", "2", "--until", "90%")
    assert done.status == 0
    assert "Design 3:" not in done.out
    done = sensitivity(command, "--designs", "2", "--until", "0.01 %", "--most", "4")
    assert done.status == 3
    assert "Design 4:" in done.out and "Design 5:" not in done.out
    assert "after 4 designs the standard error is" in done.err


def test_lists_and_included_parts(command: Command) -> None:
    Path("part.yaml").write_text(TEXT.replace("name: small\n", ""))
    Path("whole.yaml").write_text(
        "include: part.yaml\nname: whole\n"
        "design: {factors: {path1.delay: [1 ms, 5 ms]}}\n"
    )
    done = sensitivity(command, "--designs", "2", "--json", file="whole.yaml")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert {row["path1.delay_ms"] for row in found} == {1, 5}
    kept = Path("results/whole.designs/2/experiment.yaml").read_text()
    assert "seed: 2" in kept and "include" not in kept


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--until", "0%"), "0 % is never reached"),
        (("--until", "soon"), "'soon' is not a quantity"),
        (("--designs", "1"), "1 is not in the range x>=2"),
        (("--metric", "godput"), "unknown metric 'godput'; did you mean 'goodput'?"),
        (
            ("--metric", "completion_time"),
            "no design has an ok run with completion_time",
        ),
        (("--only", "tcp9"), "--only tcp9: no such case"),
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
