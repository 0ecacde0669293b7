"""`mpbench report` on folders that are unfinished, damaged or mixed."""

import shutil
from pathlib import Path

import pytest

from tests.analysis.test_commands import EXPERIMENT, invoke
from tests.calls import Command

pytestmark = pytest.mark.slow

FIGURES = """\
metrics: [goodput, jain]
figures:
  - {kind: cdf, metric: goodput}
  - {kind: cdf, metric: jain}
  - {kind: table, metric: goodput}
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.yaml").write_text(EXPERIMENT + FIGURES)
    out = folder / "out"
    done = invoke("run", folder / "small.yaml", "--backend", "fake", "--out", out)
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture
def results(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "results")


def runs(results: Path) -> list[Path]:
    return sorted((results / "runs").iterdir())


def test_an_unfinished_folder_is_reported_as_such(
    results: Path, command: Command
) -> None:
    for run in runs(results)[:5]:
        shutil.rmtree(run)
    done = command("report", results, "--format", "md")
    assert done.status == 0
    assert "Unfinished: 5 of 12 runs are not there yet." in done.err
    text = (results / "report/README.md").read_text()
    assert "- Unfinished: 5 of 12 runs are not there yet." in text
    assert (
        "\n## Network\n\n![The paths of every user, and the links](network.svg)" in text
    )
    drawing = (results / "report/network.svg").read_text()
    assert ">path1</text>" in drawing and ">server</text>" in drawing


def test_a_report_leaves_no_picture_of_an_earlier_one(
    results: Path, command: Command
) -> None:
    assert command("report", results, "--format", "md").status == 0
    folder = results / "report"
    (folder / "own.png").write_text("a file of the user's")
    (earlier,) = folder.glob("*goodput*.png")
    spec = results / "experiment.yaml"
    spec.write_text(spec.read_text().replace("  - {kind: cdf, metric: goodput}\n", ""))
    assert command("report", results, "--format", "md").status == 0
    left = {path.name for path in folder.glob("*.png")}
    assert earlier.name not in left
    assert "own.png" in left and (folder / "network.svg").exists()


def test_a_damaged_run_is_named_and_left_out(results: Path, command: Command) -> None:
    cut, other, third = runs(results)[:3]
    (cut / "row.json").write_text((cut / "row.json").read_text()[:40])
    (other / "manifest.json").unlink()
    (third / "row.json").write_text("[]")
    done = command("report", results, "--format", "md")
    assert done.status == 0
    for run in (cut, other, third):
        assert f"`runs/{run.name}`" in done.err
        assert (run / "artefacts").is_dir()


@pytest.mark.parametrize("name", ["host.json", "job.json", "row.json"])
def test_a_record_that_was_edited_is_told(
    results: Path, command: Command, name: str
) -> None:
    """Another build for a run, another job or a better result: none enters a page."""
    run = runs(results)[0]
    text = (run / name).read_text()
    (run / name).write_text(text.replace("1", "2", 1))
    done = command("report", results, "--format", "md")
    assert f"Damaged, and left out: `runs/{run.name}` ({name}" in done.err
    assert (results / "report/README.md").exists()


def test_what_cannot_be_drawn_is_said_and_the_rest_is_drawn(
    results: Path, command: Command
) -> None:
    done = command("report", results, "--format", "md,pdf")
    assert done.status == 0
    assert "not drawn: Distribution of Jain's fairness index: no run has" in done.err
    folder = results / "report"
    text = (folder / "README.md").read_text()
    assert "Not drawn: no run has the metric jain." in text
    assert "No run with the verdict ok has these metrics:" in text
    assert "- `jain`: " in text
    assert (folder / "cdf-goodput.png").exists()
    assert (folder / "figures.pdf").read_bytes().startswith(b"%PDF")


def test_no_run_at_all_is_refused(results: Path, command: Command) -> None:
    for run in runs(results):
        shutil.rmtree(run)
    done = command("report", results)
    assert done.status == 2
    assert done.err.count("\n") == 1 and "no run is finished" in done.err


@pytest.mark.parametrize("given", ["", "svg", "md,jpg"])
def test_an_unknown_format_is_refused(
    given: str, results: Path, command: Command
) -> None:
    done = command("report", results, "--format", given)
    assert done.status == 2 and "md, pdf, html" in done.err


def test_several_results_have_a_folder_each(
    results: Path, tmp_path: Path, command: Command
) -> None:
    second = shutil.copytree(results, tmp_path / "second")
    out = tmp_path / "out"
    assert command("report", results, second, "--out", out).status == 0
    assert (out / "results/README.md").exists() and (out / "second/README.md").exists()
    twin = shutil.copytree(results, tmp_path / "other/results")
    done = command("report", results, twin, "--out", out)
    assert done.status == 2 and "two of RESULTS are named results" in done.err


def test_figures_of_an_edited_file_are_drawn(
    results: Path, tmp_path: Path, command: Command
) -> None:
    edited = tmp_path / "edited.yaml"
    edited.write_text(EXPERIMENT + FIGURES.replace("kind: table", "kind: cdf"))
    plain = command("report", results, "--format", "md")
    assert "--experiment FILE shows those of an edited file" in plain.out
    done = command("report", results, "--format", "md", "--experiment", edited)
    assert done.status == 0 and "--experiment FILE" not in done.out
    assert (results / "report/cdf-goodput-2.png").exists()
    edited.write_text((EXPERIMENT + FIGURES).replace("name: ", "name: other-", 1))
    refused = command("report", results, "--experiment", edited)
    assert refused.status == 2
    assert f"{edited}:1: name: other-" in refused.err and "were run" not in refused.err
