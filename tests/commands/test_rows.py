"""`mpbench rows`: a campaign without its runs gives the same pages."""

import json
import lzma
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from mpbench.commands import report, rows, run
from mpbench.errors import UserError
from mpbench.report.loading import load_campaign
from mpbench.store.kept_rows import FILE

EXPERIMENT = """\
name: small
topology: two_path
design:
  method: wsp
  points: 4
  factors:
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
    path2.capacity: {min: 1, max: 100, unit: Mbit/s}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: default}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
  tcp2: {protocol: tcp, congestion_control: reno, path: 2}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
"""


def invoke(command: object, *words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "small.yaml").write_text(EXPERIMENT)
    out = folder / "small"
    done = invoke(run.command, folder / "small.yaml", "--backend", "fake", "--out", out)
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture(scope="module")
def kept(results: Path) -> Path:
    out = results.parent / "rows"
    done = invoke(rows.command, results, "--out", out)
    assert done.exit_code == 0, done.output
    return out / "small"


def test_the_table_is_that_of_the_results(results: Path, kept: Path) -> None:
    whole, _ = load_campaign(results)
    again, _ = load_campaign(kept)
    pd.testing.assert_frame_equal(again.runs, whole.runs)
    assert (again.name, again.factors, again.made) == (
        whole.name,
        whole.factors,
        whole.made,
    )
    assert again.folder is None
    assert not again.state


def test_the_report_is_that_of_the_results(results: Path, kept: Path) -> None:
    tables = []
    for root in (results, kept):
        out = root.parent / f"report-{root.parent.name}"
        done = invoke(report.command, root, "--format", "md", "--out", out)
        assert done.exit_code == 0, done.output
        tables.append((out / "summary.csv").read_bytes())
    assert tables[0] == tables[1]


def test_the_same_results_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert invoke(rows.command, results, "--out", tmp_path / name).exit_code == 0
    first, second = (tmp_path / name / "small" / FILE for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


def test_unfinished_results_stay_unfinished(results: Path, tmp_path: Path) -> None:
    path = results / "campaign.json"
    before = path.read_bytes()
    content = json.loads(before)
    missing = {**content["plan"][-1], "id": "0" * 16, "repetition": 1}
    try:
        path.write_text(json.dumps({**content, "plan": [*content["plan"], missing]}))
        done = invoke(rows.command, results, "--out", tmp_path)
    finally:
        path.write_bytes(before)
    assert "Unfinished: 1 of 13 runs" in done.output
    assert load_campaign(tmp_path / "small")[0].state[0].startswith("Unfinished: 1")


def test_a_folder_of_results_is_not_overwritten(results: Path) -> None:
    done = invoke(rows.command, results, "--out", results.parent)
    assert isinstance(done.exception, UserError)
    assert "holds results" in str(done.exception)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("link", "a symbolic link"),
        ("pipe", "not a regular file"),
        ("endless", "a symbolic link"),
        ("none", "missing"),
    ],
)
def test_no_other_file_is_kept_for_the_experiment(
    results: Path, tmp_path: Path, kind: str, reason: str
) -> None:
    """A folder from a stranger could have a file of the user's copied, or never end."""
    root = shutil.copytree(results, tmp_path / "small")
    path = root / "experiment.yaml"
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind != "none":
        path.symlink_to(__file__ if kind == "link" else "/dev/zero")
    done = invoke(rows.command, root, "--out", tmp_path / "out")
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith(f"{path}: {reason}; the rows are kept with")
    assert not (tmp_path / "out").exists()


def test_a_row_larger_than_any_is_not_parsed(kept: Path, tmp_path: Path) -> None:
    head, *_ = lzma.decompress((kept / FILE).read_bytes()).decode().splitlines()
    lists = f'{{"a": [{"[]," * (6 << 20)}1]}}'
    assert "line 2: larger than 16 MiB" in damaged(kept, tmp_path, [head, lists])


def damaged(kept: Path, folder: Path, lines: list[str], tail: bytes = b"") -> str:
    (folder / FILE).write_bytes(lzma.compress("\n".join(lines).encode()) + tail)
    (folder / "experiment.yaml").write_bytes((kept / "experiment.yaml").read_bytes())
    with pytest.raises(UserError) as caught:
        load_campaign(folder)
    return str(caught.value)


def test_a_strangers_file_is_refused_in_a_line(kept: Path, tmp_path: Path) -> None:
    head, *rest = lzma.decompress((kept / FILE).read_bytes()).decode().splitlines()
    first = json.loads(rest[0])

    def changed(**keys: object) -> list[str]:
        return [head, json.dumps({**first, **keys}), *rest[1:]]

    cases = {
        "11 rows of 12": [head, *rest[1:]],
        "a run is there twice": [head, rest[1], *rest[1:]],
        "without a run's id": changed(id="../../x"),
        "not a single value": changed(goodput_mbps=[1]),
        "verdict": changed(verdict="perfect"),
        "line 2": [head, "{", *rest[1:]],
        "format": [head.replace('"format":1', '"format":9'), *rest],
        "empty": [],
    }
    for reason, lines in cases.items():
        message = damaged(kept, tmp_path, lines)
        assert reason in message and "\n" not in message
    assert "something else" in damaged(kept, tmp_path, [head, *rest], b"more")
    (tmp_path / FILE).write_bytes(b"plain")
    with pytest.raises(UserError, match="not xz"):
        load_campaign(tmp_path)
