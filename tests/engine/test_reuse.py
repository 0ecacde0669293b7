"""`--reuse`: runs that another results folder has are copied, not executed."""

import json
from pathlib import Path

import pytest

from mpbench.engine.types import Shard
from mpbench.errors import UserError
from mpbench.store import manifest, runs

from . import plans
from .conftest import Lab


@pytest.fixture
def other(tmp_path: Path) -> Lab:
    """A folder with three of the six runs."""
    lab = Lab(tmp_path / "other")
    assert lab.run(shard=Shard(1, 2)) == 0
    return lab


def test_runs_are_copied_and_the_rest_is_executed(lab: Lab, other: Lab) -> None:
    assert lab.run(reuse=(other.results.root,)) == 0
    assert "3 runs copied from" in lab.text
    assert "3 finished (3 ok), 3 to do now" in lab.text
    for run_id in runs.finished(other.results):
        before = manifest.read(other.results.run(run_id)).files
        assert manifest.read(lab.results.run(run_id)).files == before
    assert lab.run(reuse=(other.results.root,)) == 0
    assert "0 runs copied from" in lab.text


def test_the_table_is_that_of_a_campaign_without_reuse(
    lab: Lab, other: Lab, tmp_path: Path
) -> None:
    whole = Lab(tmp_path / "whole")
    assert whole.run() == 0
    assert lab.run(reuse=(other.results.root,)) == 0
    assert lab.results.csv.read_bytes() == whole.results.csv.read_bytes()


def test_runs_of_another_build_are_executed(lab: Lab, tmp_path: Path) -> None:
    older = Lab(tmp_path / "older")
    assert older.run(build="0") == 0
    assert lab.run(reuse=(older.results.root,)) == 0
    assert "0 runs copied" in lab.text
    assert "6 to do now" in lab.text


def test_a_damaged_run_is_executed(lab: Lab, other: Lab) -> None:
    victim = other.results.run(runs.finished(other.results)[0])
    victim.row.write_text(victim.row.read_text().replace("ok", "OK"))
    assert lab.run(reuse=(other.results.root,)) == 0
    assert "2 runs copied" in lab.text


def test_a_run_whose_job_was_changed_is_executed(lab: Lab, other: Lab) -> None:
    victim = other.results.run(runs.finished(other.results)[0])
    job = json.loads(victim.job.read_text())
    job["seed"] += 1
    manifest.rewrite(victim, {"job.json": json.dumps(job).encode()})
    assert lab.run(reuse=(other.results.root,)) == 0
    assert "2 runs copied" in lab.text


def test_a_run_without_a_result_is_executed(lab: Lab, tmp_path: Path) -> None:
    failed = Lab(tmp_path / "failed")
    assert failed.run(scripts=[{"do": "die"}], give_up=0) == 1
    assert lab.run(reuse=(failed.results.root,)) == 0
    assert "0 runs copied" in lab.text


def test_what_is_no_other_results_folder_is_refused(lab: Lab, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no campaign\.json"):
        lab.run(reuse=(tmp_path,))
    assert lab.run() == 0
    with pytest.raises(UserError, match="folder of this campaign"):
        lab.run(reuse=(lab.results.root,))
    assert len(plans.experiment().plan.runs) == 6
