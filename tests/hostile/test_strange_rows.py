"""Rows that no measurement can have given are told in one line, by every command."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mpbench.cli import group
from mpbench.store.layout import Results
from tests.calls import Command

from .folders import forge

EXPERIMENT = """\
name: strange
topology: two_path
design: {points: 3, factors: {path1.loss: {min: 0.1 %, max: 3 %}}}
parameters: {path2.loss: 1 %}
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 10 s}
"""

TEXT = {
    "path1.capacity_mbps": "x",
    "path1.delay_ms": "x",
    "path1.bytes": "x",
    "measured_s": "x",
}
NO_TABLE = "the rows make no table ("
COMMANDS = {
    "report": (("report", "strange"), NO_TABLE),
    "dashboard": (("dashboard", "strange", "--out", "page.html"), NO_TABLE),
    "compare A": (("compare", "strange", "made"), NO_TABLE),
    "compare B": (("compare", "made", "strange"), NO_TABLE),
    "merge": (("merge", "strange", "--out", "merged"), NO_TABLE),
    "run": (
        ("run", "strange.yaml", "--backend", "fake", "--out", "strange"),
        NO_TABLE,
    ),
    "model": (("model", "validate", "strange"), "the model applies to none"),
}
"""Commands that compute with the rows, and what they say."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, and copied for each test."""
    folder = tmp_path_factory.mktemp("made")
    file = folder / "strange.yaml"
    file.write_text(EXPERIMENT)
    words = ["run", str(file), "--backend", "fake", "--out", str(folder / "made")]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the results `made`, and a copy of them, `strange`."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    shutil.copytree("made", "strange")
    return tmp_path


def change_rows(results: Path, case: str, **values: Any) -> None:
    for path in sorted((results / "runs").iterdir()):
        run = Results(results).run(path.name)
        row = json.loads(run.row.read_text())
        if row["case"] == case:
            forge(run, "row.json", json.dumps(row | values).encode())


@pytest.mark.parametrize("name", COMMANDS)
def test_rows_that_make_no_table(folder: Path, command: Command, name: str) -> None:
    words, message = COMMANDS[name]
    change_rows(folder / "strange", "lia", **TEXT)
    done = command(*words)
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert message in done.err


@pytest.mark.parametrize("words", [("analyse", "strange"), ("verify", "strange")])
def test_commands_that_compute_the_rows_again(
    folder: Path, command: Command, words: tuple[str, ...]
) -> None:
    change_rows(folder / "strange", "lia", **TEXT)
    done = command(*words)
    assert done.status in (0, 1)
    assert "Traceback" not in done.out + done.err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"path1.delay_ms": None}, "must be a string or a real number"),
        ({"measured_s": 0}, "division by zero"),
        ({"path3.capacity_mbps": 1}, "its row has no column path3.loss_percent"),
    ],
)
def test_the_model_names_what_a_row_lacks(
    folder: Path, command: Command, values: dict[str, Any], message: str
) -> None:
    change_rows(folder / "strange", "lia", **values)
    done = command("model", "validate", "strange")
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert message in done.err


def test_the_model_leaves_out_a_run_of_other_paths(
    folder: Path, command: Command
) -> None:
    runs = sorted((folder / "strange" / "runs").iterdir())
    rows = [json.loads((path / "row.json").read_text()) for path in runs]
    last = max((row for row in rows if row["case"] == "lia"), key=lambda r: r["point"])
    third = {
        name.replace("path2.", "path3."): value
        for name, value in last.items()
        if name.startswith("path2.")
    }
    run = Results(folder / "strange").run(last["id"])
    forge(run, "row.json", json.dumps(last | third).encode())
    done = command("model", "validate", "strange")
    assert done.status == 0, done.err
    assert "4 of 6 runs not in the table" in done.out


def test_metrics_that_are_no_numbers_cannot_be_compared(
    folder: Path, command: Command
) -> None:
    change_rows(folder / "strange", "tcp1", goodput_mbps="x")
    done = command("compare", "made", "strange", "--metric", "goodput")
    assert done.status == 2
    assert done.err.count("\n") == 1
