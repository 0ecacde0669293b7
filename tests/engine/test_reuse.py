"""`--reuse`: runs that another results folder has are copied, not executed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.report import Report
from mpbench.engine.types import Shard
from mpbench.errors import UserError
from mpbench.report.loading import keep_rows
from mpbench.store import kept_rows, manifest, runs

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


@pytest.fixture
def kept(other: Lab, tmp_path: Path) -> Path:
    """The rows of the folder with three of the six runs."""
    keep_rows(other.results.root, tmp_path / "kept")
    return tmp_path / "kept"


def test_kept_rows_are_taken_over_and_the_rest_is_executed(
    lab: Lab, kept: Path, tmp_path: Path
) -> None:
    whole = Lab(tmp_path / "whole")
    assert whole.run() == 0
    assert lab.run(reuse=(kept,)) == 0
    assert "3 runs copied from" in lab.text
    assert "3 finished (3 ok), 3 to do now" in lab.text
    assert lab.results.csv.read_bytes() == whole.results.csv.read_bytes()
    assert lab.run(reuse=(kept,)) == 0
    assert "0 runs copied from" in lab.text


def test_a_campaign_of_kept_rows_and_runs_gives_the_rows_of_the_whole(
    lab: Lab, kept: Path, tmp_path: Path
) -> None:
    assert lab.run(reuse=(kept,)) == 0
    whole = Lab(tmp_path / "whole")
    assert whole.run() == 0
    keep_rows(lab.results.root, tmp_path / "again")
    keep_rows(whole.results.root, tmp_path / "first")
    again, first = (kept_rows.read(tmp_path / name).rows for name in ("again", "first"))
    assert again == first


def test_a_run_of_which_the_row_alone_was_kept_says_so(lab: Lab, kept: Path) -> None:
    assert lab.run(reuse=(kept,), limit=0) == 0
    for run_id in runs.finished(lab.results):
        host = runs.read_host(lab.results, run_id)
        assert host.has_row_alone
        assert str(kept) in host.exit.reason
        stored = runs.read(lab.results, run_id)
        assert stored is not None and not stored.fault and stored.covered


def test_kept_rows_of_another_plan_or_build_are_not_taken(
    lab: Lab, kept: Path, tmp_path: Path
) -> None:
    older = Lab(tmp_path / "older")
    assert older.run(build="0", reuse=(kept,)) == 0
    assert "0 runs copied" in older.text
    changed = replace(plans.experiment(), plan=replace(plans.plan(), spec_hash="def"))
    assert lab.run(changed, reuse=(kept,)) == 0
    assert "0 runs copied" in lab.text


def test_kept_rows_without_a_result_are_executed(lab: Lab, tmp_path: Path) -> None:
    failed = Lab(tmp_path / "failed")
    assert failed.run(scripts=[{"do": "die"}], give_up=0) == 1
    keep_rows(failed.results.root, tmp_path / "kept")
    assert lab.run(reuse=(tmp_path / "kept",)) == 0
    assert "0 runs copied" in lab.text


def test_damaged_kept_rows_are_refused(lab: Lab, kept: Path) -> None:
    file = kept / kept_rows.FILE
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(UserError, match="damaged"):
        lab.run(reuse=(kept,))


def test_a_row_alone_cannot_be_measured_in_another_way(lab: Lab, kept: Path) -> None:
    """Its run is executed where the plan measures it otherwise."""
    assert lab.run(reuse=(kept,), limit=0) == 0
    known = plans.plan()
    runs_anew = tuple(
        replace(run, job=replace(run.job, report=Report(names=("a",), phases={})))
        for run in known.runs
    )
    changed = replace(plans.experiment(), plan=replace(known, runs=runs_anew))
    assert lab.run(changed) == 0
    assert "its row alone was kept" in lab.text
    assert "6 to do now" in lab.text
