"""`mpbench run --on slurm://...` on a real Slurm.

It is skipped where Slurm is not installed: `apt-get install --no-install-recommends
slurmctld slurmd slurm-client munge` brings it. No daemon of the system is used.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.store import layout, runs
from tests.cluster import slurm
from tests.cluster.test_workers import experiment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(slurm.missing()), reason=f"no Slurm: {', '.join(slurm.missing())}"
    ),
]


@pytest.fixture
def batch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[slurm.Slurm]:
    started = slurm.Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        started.up()
        yield started
    finally:
        started.down()


def test_jobs_of_a_batch_system_are_workers(batch: slurm.Slurm, tmp_path: Path) -> None:
    file = experiment(tmp_path, points=5)
    out = tmp_path / "out"
    options = f"jobs=2&memory=1GiB&interface=lo&folder={tmp_path / 'local'}"
    done = subprocess.run(
        [sys.executable, "-m", "mpbench.cli", "run", str(file), "--backend", "fake",
         "--out", str(out), "--on", f"slurm://short?{options}"],
        cwd=tmp_path, env=batch.environment, capture_output=True, text=True,
        timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "slurm://short, at most 2 runs at a time" in done.stdout
    assert len(runs.finished(layout.Results(out))) == 10
    assert "dask-worker" not in batch.jobs()


def test_a_partition_that_is_not_there_is_one_line(
    batch: slurm.Slurm, tmp_path: Path
) -> None:
    file = experiment(tmp_path, points=2)
    done = subprocess.run(
        [sys.executable, "-m", "mpbench.cli", "run", str(file), "--backend", "fake",
         "--on", "slurm://long?jobs=1&interface=lo"],
        cwd=tmp_path, env=batch.environment, capture_output=True, text=True,
        timeout=200,
    )  # fmt: skip
    assert done.returncode == 2
    assert "invalid partition specified: long" in done.stderr
    assert len(done.stderr.splitlines()) == 1
