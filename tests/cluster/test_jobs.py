"""Jobs of PBS and SGE: their scripts, and campaigns on stand-ins for the programs.

The stand-ins for `qsub` and `qdel` start a job's script on this machine and end it.
They answer as the real ones do, but do not read the script's directives.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from mpbench.cluster import connect
from mpbench.cluster.address import parse
from mpbench.errors import UserError
from mpbench.store import layout, runs
from tests.cluster.test_workers import experiment

pytestmark = pytest.mark.slow

QSUB = """\
#!/bin/sh
cp "$1" "{folder}/job.$$" && cd "{folder}" || exit
setsid sh job.$$ > job.$$.out 2>&1 &
echo $! >> submitted
{answer}
"""
QDEL = """\
#!/bin/sh
echo "${{1%%.*}}" >> "{folder}/deleted"
kill -- "-${{1%%.*}}"
"""
ANSWERS = {
    "pbs": "echo $!.server",
    "sge": 'echo "Your job $! (\\"dask-worker\\") has been submitted"',
}
"""Output of qsub about the job that it has started."""


@pytest.mark.parametrize(
    ("address", "directives"),
    [
        (
            "pbs://long?cores=2&memory=3GiB&time=1-02:00:00&account=me",
            [
                "#PBS -N dask-worker",
                "#PBS -q long",
                "#PBS -A me",
                "#PBS -l select=1:ncpus=2:mem=3072MB",
                "#PBS -l walltime=26:00:00",
            ],
        ),
        (
            "sge://all.q?cores=4&parallel=smp&time=90&account=lab",
            [
                "#$ -N dask-worker",
                "#$ -q all.q",
                "#$ -P lab",
                "#$ -l h_rt=01:30:00",
                "#$ -cwd",
                "#$ -j y",
                "#$ -pe smp 4",
            ],
        ),
        (
            "slurm://short?cores=2&time=1-02:00:00&account=me",
            [
                "#SBATCH -J dask-worker",
                "#SBATCH -p short",
                "#SBATCH -A me",
                "#SBATCH -n 1",
                "#SBATCH --cpus-per-task=2",
                "#SBATCH --mem=4G",
                "#SBATCH -t 1-02:00:00",
            ],
        ),
    ],
)
def test_a_job_asks_for_what_the_address_says(
    address: str, directives: list[str]
) -> None:
    parsed = parse(f"{address}&interface=lo&folder=/scratch/mine")
    cluster = connect._cluster(parsed, None)
    try:
        script = str(cluster.job_script())
    finally:
        cluster.close()
    lines = script.splitlines()
    assert [line for line in lines[1:] if line.startswith("#")] == directives
    (command,) = (line for line in lines if "dask_worker" in line)
    assert f"--nthreads {parsed.cores} " in command
    assert "--local-directory /scratch/mine" in command
    assert "--interface lo" in command


def test_kubernetes_without_a_cluster_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a stand-in for the library, which raises what it raises without access."""
    asked = []

    def refuse(**words: object) -> None:
        asked.append(words)
        raise ValueError("Unable to find valid credentials")

    operator = SimpleNamespace(KubeCluster=refuse)
    monkeypatch.setitem(sys.modules, "dask_kubernetes", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "dask_kubernetes.operator", operator)
    with pytest.raises(UserError) as caught:
        connect._cluster(
            parse("kubernetes://lab?image=registry/mpbench:1&jobs=2"), None
        )
    assert str(caught.value) == "kubernetes://lab: Unable to find valid credentials"
    assert asked == [{"namespace": "lab", "image": "registry/mpbench:1"}]


@pytest.fixture
def stand_ins(tmp_path: Path, kind: str) -> Iterator[Path]:
    """A folder with stand-ins for qsub and qdel, and with what they note."""
    folder = programs(tmp_path / "batch", kind)
    yield folder
    for job in noted(folder / "submitted"):
        subprocess.run(["kill", "-9", "--", f"-{job}"], stderr=subprocess.DEVNULL)


def programs(folder: Path, kind: str) -> Path:
    """Make the stand-ins for qsub and qdel in a new folder."""
    folder.mkdir()
    for name, text in (("qsub", QSUB), ("qdel", QDEL)):
        program = folder / name
        program.write_text(text.format(folder=folder, answer=ANSWERS[kind]))
        program.chmod(0o755)
    return folder


def noted(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


@pytest.mark.parametrize("kind", ["pbs", "sge"])
def test_jobs_of_a_batch_system_are_workers(
    kind: str, stand_ins: Path, tmp_path: Path
) -> None:
    file = experiment(tmp_path, points=5)
    out = tmp_path / "out"
    options = f"jobs=2&memory=1GiB&interface=lo&folder={tmp_path / 'local'}"
    done = subprocess.run(
        [sys.executable, "-m", "mpbench.cli", "run", str(file), "--backend", "fake",
         "--out", str(out), "--on", f"{kind}://short?{options}"],
        cwd=tmp_path, capture_output=True, text=True, timeout=250,
        env={**os.environ, "PATH": f"{stand_ins}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{kind}://short, at most 2 runs at a time" in done.stdout
    assert len(runs.finished(layout.Results(out))) == 10
    submitted = noted(stand_ins / "submitted")
    assert len(submitted) == 2
    assert sorted(noted(stand_ins / "deleted")) == sorted(submitted)
