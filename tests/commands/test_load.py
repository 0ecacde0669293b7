"""`mpbench.load`, and the page of the documentation about it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import mpbench
from mpbench.commands import run as run_file
from mpbench.errors import UserError
from mpbench.report.notebook import Results
from packing import notebook

PAGE = Path(__file__).parents[2] / "docs/notebooks.md"
TEMPLATE = Path(mpbench.__file__).parent / "templates/phone.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The template `phone` with a trace, run on the fake backend."""
    home = tmp_path_factory.mktemp("load")
    file = home / "phone.yaml"
    text = TEMPLATE.read_text().replace("[0 %, 0.1 %, 0.5 %, 2 %]", "[0 %, 1 %]")
    file.write_text(text + "trace: 1 s\n")
    out = home / "results/phone"
    words = [str(file), "--backend", "fake", "--out", str(out)]
    done = CliRunner().invoke(run_file.command, words)
    assert done.exit_code == 0, done.output
    return out


@pytest.fixture
def results(folder: Path) -> Results:
    return mpbench.load(folder)


def test_the_page_works_as_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parents[1])
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(names["frame"]) > 0  # type: ignore[arg-type]


def test_the_notebook_is_the_page_and_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.loads(notebook.NOTEBOOK.read_text())
    assert content == notebook.notebook(PAGE.read_text()), (
        "docs/notebooks.md has changed; run: python -m packing.notebook"
    )
    monkeypatch.chdir(folder.parents[1])
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert ["".join(cell["source"]) + "\n" for cell in cells] == blocks
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert len(names["frame"]) > 0  # type: ignore[arg-type]


def test_runs_are_a_frame_of_ones_own(results: Results) -> None:
    assert len(results) == len(results.runs) == 48
    assert set(results.factors) == {
        "path1.capacity_mbps",
        "path1.loss_percent",
        "path2.capacity_mbps",
    }
    assert results.state == ()
    runs = results.runs
    runs["goodput_mbps"] = -1.0
    assert (results.ok["goodput_mbps"] > 0).all()
    assert repr(results) == "<results of phone: 48 ok>"
    assert "<table" in results._repr_html_()


def test_a_run_is_found_by_the_beginning_of_its_id(results: Results) -> None:
    for run in results:
        assert results[run.id].row["goodput_mbps"] == run.row["goodput_mbps"]
        assert results[run.id[:12]].id == run.id
        assert run.folder.is_dir()


def test_series_of_all_runs_are_those_of_each(results: Results) -> None:
    whole = results.series("cwnd")
    assert list(whole.columns[:4]) == ["id", "point", "case", "repetition"]
    for run in results:
        alone = run.series("cwnd")
        part = whole.loc[whole["id"] == run.id, alone.columns]
        assert part.reset_index(drop=True).equals(alone)
        assert alone["time_s"].is_monotonic_increasing or alone["line"].nunique() > 1
    assert set(results.series("goodput", case="wifi")["case"]) == {"wifi"}


def test_subflows_have_one_row_per_sample(results: Results) -> None:
    frame = results.subflows("mptcp")
    assert set(frame["path"]) == {1, 2}
    assert not frame.duplicated(["id", "time_s", "host", "local", "remote"]).any()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda results: results["zz"], "no such run"),
        (lambda results: results[""], "runs begin so|no such run"),
        (
            lambda results: results.series("speed"),
            "no quantity 'speed'; known: goodput",
        ),
        (lambda results: results.series("goodput", case="wlan"), "no case 'wlan'"),
        (lambda results: results.series("alpha", case="lte"), "alpha"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(
    ask: "object", message: str, results: Results
) -> None:
    with pytest.raises(UserError, match=message) as raised:
        ask(results)  # type: ignore[operator]
    assert "\n" not in str(raised.value)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no campaign\.json"):
        mpbench.load(tmp_path)


def test_a_changed_run_is_left_out_and_told(folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (row, *_) = sorted(copy.glob("runs/*/row.json"))
    row.write_text(row.read_text().replace("goodput", "badput"))
    results = mpbench.load(copy)
    assert len(results) == 47
    assert any(row.parent.name in sentence for sentence in results.state)
