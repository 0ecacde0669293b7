"""Runs in kernels that are equal in bytes are executed once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from jobs import Job, dump
from jobs.linux import Linux
from mpbench.backends.fake import FakeBackend
from mpbench.engine.types import Experiment
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.engine.conftest import Lab

TEXT = """\
name: twins
topology: two_path
repetitions: 2
kernels: {stock: {lab: none}, other: {options: {CONFIG_HZ: 250}}}
cases:
  ours: {protocol: mptcp, congestion_control: cubic}
  stock: {protocol: mptcp, congestion_control: cubic, kernel: stock}
  other: {protocol: mptcp, congestion_control: cubic, kernel: other}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


def experiment() -> Experiment:
    plan = make_plan(loads(TEXT), {"fake": "1"})
    return Experiment("twins", TEXT.encode(), plan)


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that a campaign executes. Stock Linux and ours are the same bytes."""
    found: list[Job] = []
    execute: Callable[..., object] = FakeBackend.execute

    def noted(self: FakeBackend, job: Job, *rest: object) -> object:
        found.append(job)
        return execute(self, job, *rest)

    def alike(self: FakeBackend, job: Job) -> str:
        same = job.linux is None or job.linux == Linux(lab=False)
        rest = repr(dump(replace(job, linux=None)))
        return rest + ("" if same else repr(job.linux))

    monkeypatch.setattr(FakeBackend, "execute", noted)
    monkeypatch.setattr(FakeBackend, "alike", alike)
    return found


def test_equal_kernels_share_their_runs(lab: Lab, executed: list[Job]) -> None:
    assert lab.run(experiment(), jobs=1) == 0
    assert len(executed) == 4
    assert "Kernels of ours, stock: the same bytes; 2 of their runs are copied." in (
        lab.text
    )
    table = lab.table()
    assert sorted(table["case"]) == sorted(["ours", "stock", "other"] * 2)
    hosts = [path.read_text() for path in lab.results.runs.glob("*/host.json")]
    assert sum("copied_from" in host for host in hosts) == 2
    assert set(table["verdict"]) == {"ok"}


def artefacts(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted((folder / "artefacts").iterdir())}


def test_a_copy_has_the_artefacts_and_its_own_job(
    lab: Lab, executed: list[Job]
) -> None:
    lab.run(experiment(), jobs=1)
    runs = {(r.case, r.repetition): r for r in experiment().plan.runs}
    ours, stock = (lab.results.run(runs[c, 0].id) for c in ("ours", "stock"))
    assert artefacts(ours.root) == artefacts(stock.root)
    assert b'"lab":false' in stock.job.read_bytes().replace(b" ", b"")
    assert b'"linux"' not in ours.job.read_bytes()


def test_a_run_without_a_result_is_not_copied(lab: Lab, executed: list[Job]) -> None:
    lab.run(experiment(), scripts=[{"do": "fail"}], jobs=1, give_up=0)
    assert len(executed) == 6


def test_without_own_kernels_nothing_is_compared(
    lab: Lab, executed: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeBackend, "alike", None)
    assert lab.run() == 0
