"""Every experiment file is valid, and what it expects is about its own cases."""

from pathlib import Path

import pytest

from analysis.published import cells
from mpbench.plan import make_plan
from mpbench.spec import load

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "experiments").glob("*/*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_an_experiment_can_be_planned(path: Path) -> None:
    spec = load(path)
    plan = make_plan(spec, {})
    assert plan.runs
    if spec.expect is None:
        return
    expected = ROOT / spec.expect
    assert expected.is_file()
    if not cells.is_cells(expected):
        return
    job = plan.runs[0].job
    known = {*(job["report"]["names"] or ()), *job["report"]["phases"]}
    for cell in cells.read(expected):
        assert cell.case in spec.cases, cell
        head, dot, _ = cell.metric.partition(".")
        assert not dot or head in known, f"{cell.metric} is of no traffic entry"
        assert all(name in job["parameters"] for name in cell.point), cell
