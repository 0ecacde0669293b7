"""`mpbench design` over a stand-in for the packages that read the experiment."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol

import numpy as np
import pytest
from click.testing import CliRunner, Result

import wsp
from mpbench.commands.design import command
from mpbench.errors import UserError


class Run(Protocol):
    """Call the command for an experiment with that many points (None: no design)."""

    def __call__(self, *arguments: object, points: int | None = 12) -> Result: ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    factors = [wsp.Factor("delay_ms", 1, 25), wsp.Factor("flows", 1, 4, 1)]

    def draw_design(spec: SimpleNamespace) -> wsp.Design | None:
        if spec.points is None:
            return None
        return wsp.make_design(factors, spec.points, np.random.default_rng(1))

    def design_weights(spec: SimpleNamespace, points: np.ndarray) -> np.ndarray:
        return wsp.weights(factors, points, np.random.default_rng(1))

    def run(*arguments: object, points: int | None = 12) -> Result:
        spec = SimpleNamespace(name="tiny", points=points)
        modules = {
            "mpbench.experiment_files": SimpleNamespace(load=lambda path: spec),
            "mpbench.plan": SimpleNamespace(
                draw_design=draw_design, design_weights=design_weights
            ),
        }
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        words = ["tiny.yaml", *map(str, arguments)]
        return CliRunner().invoke(command, words, catch_exceptions=True)

    return run


def test_leaves_three_files(run: Run, tmp_path: Path) -> None:
    result = run("--out", tmp_path / "new" / "folder")
    assert result.exit_code == 0, result.output
    folder = tmp_path / "new" / "folder"
    assert len((folder / "tiny-design.csv").read_text().splitlines()) == 13
    summary = json.loads((folder / "tiny-design.json").read_text())
    assert summary["points"] == 12
    assert summary["minimum_distance"] >= summary["d_min"] > 0
    assert (folder / "tiny-design.png").exists()
    assert "coverage" in result.output


def test_json_without_plot(run: Run, tmp_path: Path) -> None:
    result = run("--out", tmp_path, "--no-plot", "--json")
    assert json.loads(result.output)["experiment"] == "tiny"
    assert not (tmp_path / "tiny-design.png").exists()


def test_weights_are_the_last_column(run: Run, tmp_path: Path) -> None:
    result = run("--out", tmp_path, "--no-plot", "--json", "--weights")
    rows = [
        line.split(",")
        for line in (tmp_path / "tiny-design.csv").read_text().splitlines()
    ]
    assert rows[0] == ["point", "delay_ms", "flows", "weight"]
    weights = [float(row[-1]) for row in rows[1:]]
    assert sum(weights) == pytest.approx(12)
    summary = json.loads(result.output)
    assert summary["weighted_outer_share"] <= summary["outer_share"]
    effective = 12**2 / sum(w * w for w in weights)
    assert summary["effective_points"] == pytest.approx(effective)
    run("--out", tmp_path, "--no-plot")
    assert "weight" not in (tmp_path / "tiny-design.csv").read_text()


def test_single_point_is_valid_json(run: Run, tmp_path: Path) -> None:
    result = run("--out", tmp_path, "--no-plot", "--json", points=1)
    assert json.loads(result.output)["minimum_distance"] is None


@pytest.mark.parametrize(
    ("points", "message"),
    [(None, "no design"), (0, "give 1 or more"), (99_999, "give more candidates")],
)
def test_refusals(points: int | None, message: str, run: Run, tmp_path: Path) -> None:
    result = run("--out", tmp_path, points=points)
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
    assert str(result.exception).startswith("tiny.yaml: ")


def test_unwritable_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("--out", tmp_path / "file" / "below", "--no-plot")
    assert isinstance(result.exception, UserError)
    assert "another folder by --out" in str(result.exception)
