"""`mpbench report` and `mpbench analyse` on results of the fake backend."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from analysis.campaign.numbers import weighted_quartiles
from mpbench.errors import UserError

EXPERIMENT = """\
name: small
topology: two_path
design:
  method: wsp
  points: 4
  factors:
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
    path2.capacity: {min: 1, max: 100, unit: Mbit/s}
    path1.delay: {min: 1, max: 25, unit: ms}
    path2.delay: {min: 1, max: 25, unit: ms}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: default}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
  tcp2: {protocol: tcp, congestion_control: reno, path: 2}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
"""
ROOT = Path(__file__).parents[2]
THESIS = ROOT / "results/published/thesis-ch3.yaml"


def invoke(verb: str, *arguments: object) -> Result:
    module = pytest.importorskip(f"mpbench.commands.{verb}")
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(module.command, words, catch_exceptions=False)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.yaml").write_text(EXPERIMENT)
    out = folder / "out"
    done = invoke("run", folder / "small.yaml", "--backend", "fake", "--out", out)
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.slow
def test_statements_beside_a_file_of_cells_are_in_the_report(
    results: Path, tmp_path: Path
) -> None:
    cells = "source,row,column,case,point,metric,unit,scale,value,margin,note\n"
    cells += "Table 1,goodput,LIA,mptcp,,goodput_mbps,Mbit/s,,5,,\n"
    (tmp_path / "paper.csv").write_text(cells)
    (tmp_path / "paper.yaml").write_text(
        "source: A paper\nstatements:\n- id: some\n  kind: statement\n  text: some\n"
        '  statement: it gets something\n  registered: "2026-11-22"\n  criterion:\n'
        "    {statistic: median, metric: goodput_mbps, relation: '>', value: 0}\n"
    )
    out, given = tmp_path / "out", tmp_path / "paper.csv"
    done = invoke("report", results, "--out", out, "--expect", given)
    assert done.exit_code == 0, done.output
    page = (out / "README.md").read_text()
    assert "| it gets something |" in page and "### Table 1" in page


@pytest.mark.slow
def test_report_writes_the_same_page_twice(results: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("first", "second"):
        out = tmp_path / name
        done = invoke("report", results, "--out", out, "--expect", THESIS)
        assert done.exit_code == 0
        pages.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert pages[0] == pages[1]
    assert b"| mptcp | 4 | 0 | 0 | 0 |" in pages[0]["README.md"]
    assert b"Ours beside the published" in pages[0]["README.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, figures", [("quickstart", 4), ("thesis/bulk-low-bdp", 11)]
)
def test_shipped_experiments_get_all_their_figures(
    name: str, figures: int, tmp_path: Path
) -> None:
    file, out = ROOT / f"experiments/{name}.yaml", tmp_path / "out"
    invoke("run", file, "--backend", "fake", "--out", out, "--limit", 18)
    done = invoke("report", out, "--expect", THESIS)
    assert done.exit_code == 0, done.output
    text = (out / "report/README.md").read_text()
    assert text.count(".png)") == figures
    assert "](cases-compared.png)" in text
    assert "Not drawn" not in text
    assert "| case | n | goodput [Mbit/s] | aggregation benefit A_B |" in text
    assert "## How this was made" in text and "| source | `thesis ch. 3" in text


@pytest.mark.slow
def test_an_experiment_file_of_another_version_is_reported_as_usual(
    results: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(results, copy)
    (copy / "experiment.yaml").write_text(f"{EXPERIMENT}later: 1\n")
    done = invoke("report", copy)
    assert done.exit_code == 0
    assert "later: unknown key" in done.stderr
    assert "drawing the usual figures" in done.stderr
    assert (copy / "report/goodput.png").exists()


@pytest.mark.slow
def test_weighted_medians_stand_beside_the_others(
    results: Path, tmp_path: Path
) -> None:
    invoke("report", results, "--format", "md", "--weights", "--out", tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert text.count("| case | n | goodput [Mbit/s] |") == 2
    assert "the same weight" in text
    points = pd.read_csv(tmp_path / "points.csv")
    assert points["design_weight"].mean() == pytest.approx(1)
    assert points["design_weight"].nunique() > 1
    invoke("report", results, "--format", "md", "--out", tmp_path)
    assert "design_weight" not in (tmp_path / "points.csv").read_text()


def test_weights_of_a_grid_are_refused(tmp_path: Path) -> None:
    grid = EXPERIMENT.replace("method: wsp\n  points: 4", "method: grid")
    for unit in ("Mbit/s", "ms"):
        grid = re.sub(rf"{{min: 1, max: \d+, unit: {unit}}}", f"[5 {unit}]", grid)
    (tmp_path / "grid.yaml").write_text(grid)
    out = tmp_path / "out"
    invoke("run", tmp_path / "grid.yaml", "--backend", "fake", "--out", out)
    with pytest.raises(UserError, match="--weights: the experiment spreads no factor"):
        invoke("report", out, "--format", "md", "--weights")


def test_weighted_quartiles_on_paper() -> None:
    """Weights of 1, 1 and 2: the middles of the weights are at 1/8, 3/8 and 3/4."""
    values, weights = pd.Series([3.0, 1.0, 2.0]), pd.Series([2.0, 1.0, 1.0])
    assert weighted_quartiles(values, weights) == "2.33 (1.50 to 3.00)"
    even = pd.Series([1.0, 2.0, 3.0, np.nan])
    assert weighted_quartiles(even, pd.Series([1, 1, 1, 5])) == "2.00 (1.25 to 2.75)"
    assert weighted_quartiles(even, pd.Series([0, 0, 0, 1])) == "-"


@pytest.mark.slow
def test_notes_beside_the_page_are_taken_in(results: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("## Where ours differs\n")
    invoke("report", results, "--out", tmp_path)
    assert "## Where ours differs\n" in (tmp_path / "README.md").read_text()


def test_analyse_of_fresh_results_changes_nothing(results: Path) -> None:
    before = {file: file.read_bytes() for file in results.rglob("row.json")}
    assert "12 of 12 runs analysed, 0 changed" in invoke("analyse", results).output
    assert before == {file: file.read_bytes() for file in results.rglob("row.json")}


def test_analyse_finds_what_the_artefacts_say(results: Path) -> None:
    row_file = next(iter(sorted(results.rglob("row.json"))))
    row = json.loads(row_file.read_text())
    right, row["goodput_mbps"] = row["goodput_mbps"], 1e6
    row_file.write_text(json.dumps(row))
    assert "1 would change" in invoke("analyse", results, "--dry-run").output
    assert json.loads(row_file.read_text())["goodput_mbps"] == 1e6
    assert "1 changed" in invoke("analyse", results).output
    assert json.loads(row_file.read_text())["goodput_mbps"] == right
    assert "1000000.0" not in (results / "runs.csv").read_text()


def test_analyse_and_report_of_rows_taken_over(results: Path, tmp_path: Path) -> None:
    """A run of which the row alone was kept stays in the table as it is."""
    assert invoke("rows", results, "--out", tmp_path).exit_code == 0
    file, out = results.parent / "small.yaml", tmp_path / "again"
    words = ("--backend", "fake", "--reuse", tmp_path / "out", "--out", out)
    assert "12 runs copied" in invoke("run", file, *words).output
    assert "12 finished (12 ok), 0 to do" in invoke("run", file, *words).output
    table = (out / "runs.csv").read_bytes()
    assert table == (results / "runs.csv").read_bytes()
    told = invoke("analyse", out).output
    assert "0 of 12 runs analysed, 0 changed, 12 left as kept" in told
    assert (out / "runs.csv").read_bytes() == table
    assert invoke("report", out, "--out", tmp_path / "page").exit_code == 0
    with pytest.raises(UserError, match="no finished run to execute again"):
        invoke("verify", out)


@pytest.mark.parametrize("verb", ["report", "analyse"])
def test_a_folder_without_results_is_refused(verb: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a results folder"):
        invoke(verb, tmp_path)
