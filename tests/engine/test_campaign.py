"""A campaign from nothing to a table, and on from there."""

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.run.explain import explain
from jobs import dump
from mpbench.engine.types import Experiment
from mpbench.errors import UserError

from . import plans
from .conftest import Lab


def test_every_run_is_in_its_folder_and_in_the_table(lab: Lab) -> None:
    assert lab.run() == 0
    planned = plans.plan().runs
    assert lab.folders() == sorted(run.id for run in planned)
    table = lab.table()
    assert list(table["id"]) == [run.id for run in planned]
    assert set(table["verdict"]) == {"ok"}
    assert list(table.columns[:6]) == [
        "id",
        "point",
        "case",
        "repetition",
        "path1.capacity_mbps",
        "verdict",
    ]
    assert (table["goodput_mbps"] > 5).all()
    pd.testing.assert_frame_equal(
        pd.read_parquet(lab.results.parquet)[["id", "goodput_mbps"]],
        table[["id", "goodput_mbps"]],
        check_dtype=False,
    )


def test_a_run_folder_explains_itself(lab: Lab) -> None:
    lab.run()
    wanted = plans.plan().runs[0]
    run = lab.results.run(wanted.id)
    assert json.loads(run.job.read_text()) == dump(wanted.job)
    host = json.loads(run.host.read_text())
    assert host["build"] == {"fake": "1"}
    assert host["exit"]["status"] == "finished"
    assert host["provenance"]["mpbench"]["version"]
    assert host["provenance"]["packages"]["numpy"]
    assert host["invocation"]["argv"]
    assert set(json.loads(run.manifest.read_text())["files"]) == {
        "job.json",
        "host.json",
        "row.json",
        *(f"artefacts/{path.name}" for path in run.artefacts.iterdir()),
    }


def test_nothing_explains_a_fake_run_which_has_no_kernel(lab: Lab) -> None:
    lab.run()
    runs = [lab.results.run(run.id) for run in plans.plan().runs]
    assert {run.row.is_file() for run in runs} == {True}
    assert [explain(run.job.parent) for run in runs] == [()] * len(runs)


def test_the_head_names_spec_build_and_plan(lab: Lab) -> None:
    lab.run()
    lab.run()
    head = json.loads(lab.results.campaign.read_text())
    assert head["format"] == 2
    assert head["spec_hash"] == "abc123"
    assert head["build"] == {"fake": "1"}
    assert [entry["id"] for entry in head["plan"]] == [
        run.id for run in plans.plan().runs
    ]
    assert len(head["invocations"]) == 2
    assert lab.results.experiment.read_bytes() == b"name: small\n"
    assert (
        lab.results.design.read_text() == "point,path1.capacity_mbps\n0,10.0\n1,11.0\n"
    )
    metadata = pq.read_schema(lab.results.parquet).metadata
    assert json.loads(metadata[b"mpbench"])["format"] == 2


def test_the_same_campaign_gives_the_same_table(lab: Lab, tmp_path: Path) -> None:
    lab.run(jobs=1)
    other = Lab(tmp_path / "other")
    other.run(limit=2)
    other.run()
    assert other.results.csv.read_bytes() == lab.results.csv.read_bytes()


def test_finished_runs_are_not_run_again(lab: Lab) -> None:
    lab.run(limit=2)
    assert len(lab.folders()) == 2
    assert "4 runs of the plan not yet done" in lab.text
    lab.run(only=("tcp1",))
    assert len(lab.folders()) == 3
    assert lab.run() == 0
    assert "3 finished (3 ok), 3 to do now" in lab.text
    assert len(lab.table()) == 6
    # To execute any of them would now be an error.
    assert lab.run(scripts=[{"do": "raise"}]) == 0
    assert "6 finished (6 ok), 0 to do now" in lab.text


def test_a_changed_plan_leaves_old_runs_beside(lab: Lab) -> None:
    lab.run()
    lab.run(plans.experiment(points=1))
    assert "3 runs of an earlier plan" in lab.text
    assert len(lab.table()) == 3
    assert len(lab.folders()) == 6
    lab.run(build="2")
    assert "6 runs of an earlier plan" in lab.text
    assert len(lab.folders()) == 12
    lab.run()
    assert "0 to do now" in lab.text
    assert len(lab.table()) == 6


def test_a_run_is_placed_by_the_present_plan(lab: Lab) -> None:
    lab.run()
    plan = plans.plan()
    moved = plans.Plan(
        tuple(
            plans.Run(run.id, run.point + 10, "renamed", 0, {"x_ms": 1.0}, run.job)
            for run in plan.runs
        )
    )
    lab.run(Experiment("small", b"", moved))
    table = lab.table()
    assert set(table["case"]) == {"renamed"}
    assert set(table["point"]) == {10, 11}
    assert "x_ms" in table.columns


def test_a_damaged_run_is_run_again(lab: Lab) -> None:
    lab.run()
    one, two, *_ = plans.plan().runs
    lab.results.run(one.id).row.write_text("{")
    lab.results.run(two.id).manifest.unlink()
    assert lab.run() == 0
    assert lab.text.count(": damaged (") == 2
    assert "2 to do now" in lab.text
    assert len(lab.table()) == 6
    assert len(lab.folders()) == 6


def test_only_takes_the_names_of_cases(lab: Lab) -> None:
    with pytest.raises(UserError, match="did you mean 'mptcp'"):
        lab.run(only=("mptpc",))
    with pytest.raises(UserError, match="known: mptcp, tcp1, tcp2"):
        lab.run(only=("zzz",))


def test_nothing_to_do_still_makes_the_table(lab: Lab) -> None:
    lab.run()
    lab.results.csv.unlink()
    lab.run()
    assert len(lab.table()) == 6


def test_a_limit_of_nothing_gives_an_empty_table(lab: Lab) -> None:
    assert lab.run(limit=0) == 0
    assert len(lab.table()) == 0
    assert "verdict" in lab.table().columns


@pytest.mark.parametrize("keep, kept", [("none", 0), ("failed", 2), ("all", 6)])
def test_captures_are_kept_as_asked_and_hashed_always(
    lab: Lab, keep: str, kept: int
) -> None:
    lab.run(
        plans.experiment(capture=True),
        scripts=[{"do": "garble", "when": "transport.path=1"}],
        keep_captures=keep,
    )
    there = 0
    for folder in lab.folders():
        run = lab.results.run(folder)
        files = json.loads(run.manifest.read_text())["files"]
        entry = files["artefacts/capture-client.pcap"]
        exists = (run.artefacts / "capture-client.pcap").exists()
        assert len(entry["sha256"]) == 64
        assert entry.get("kept", True) == exists
        there += exists
    assert there == kept
