"""Campaigns on real workers: processes that share no files with this one."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mpbench.live.standing import Folder
from mpbench.store import layout, runs
from tests.cluster.conftest import START_S, Workers, wait_for

pytestmark = pytest.mark.slow

EXPERIMENT = """\
name: spread
topology: two_path
design:
  points: {points}
  candidates: 200
  factors:
    path1.capacity: {{min: 1, max: 100, unit: Mbit/s}}
    path2.capacity: {{min: 1, max: 100, unit: Mbit/s}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: lia, scheduler: default}}
  tcp1: {{protocol: tcp, congestion_control: reno, path: 1}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 5 s}}
"""
KEPT = ("host.json", "manifest.json")
"""Files that may differ between two executions of a run."""


def experiment(folder: Path, points: int = 10) -> Path:
    file = folder / "spread.yaml"
    file.write_text(EXPERIMENT.format(points=points))
    return file


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "mpbench.cli", *map(str, words)]


def mpbench(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=250)


def started(*words: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def contents(root: Path) -> dict[str, bytes]:
    """Every file of every run that has to be the same in two executions."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in (root / "runs").rglob("*")
        if path.is_file() and path.name not in KEPT
    }


def test_the_runs_are_those_of_one_machine(workers: Workers, tmp_path: Path) -> None:
    workers.add("a")
    workers.add("b")
    workers.join()
    file = experiment(tmp_path, points=4)
    here, there = tmp_path / "here", tmp_path / "there"
    fake = ("--backend", "fake", "--out")
    assert mpbench("run", file, *fake, here).returncode == 0
    done = mpbench("run", file, *fake, there, *workers.on)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"workers of {workers.address}" in done.stdout
    assert contents(there) == contents(here) and len(contents(there)) > 100
    assert not workers.scratch("a") and not workers.scratch("b")
    stored = mpbench("verify", there, "--stored")
    assert stored.returncode == 0, stored.stdout
    again = mpbench("run", file, *fake, there, *workers.on)
    assert again.returncode == 0 and "0 to do now" in again.stdout


def test_the_live_page_knows_who_executes_a_run(
    workers: Workers, tmp_path: Path
) -> None:
    slow = {"MPBENCH_FAKE": '{"wall_s": 600}'}
    workers.add("a", **slow)
    workers.add("b", **slow)
    workers.join()
    out = tmp_path / "out"
    file = experiment(tmp_path, points=2)
    running = started(
        "run", file, "--backend", "fake", "--out", out, *workers.on,
        "-j", "2",
    )  # fmt: skip
    wait_for((out / "campaign.json").exists)
    folder = Folder(out)

    def seen() -> dict[str, str]:
        return {run.id: run.worker for run in folder.look().flights if run.worker}

    wait_for(lambda: len(set(seen().values())) == 2)
    assert all(platform.node() in worker for worker in seen().values())
    running.send_signal(signal.SIGTERM)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 128 + signal.SIGTERM, said
    assert list((out / "runs").iterdir()) == []


def test_a_worker_that_is_killed_loses_its_run_alone(
    workers: Workers, tmp_path: Path
) -> None:
    victim = workers.add("a")
    workers.add("b")
    workers.join()
    file = experiment(tmp_path, points=12)
    out = tmp_path / "out"
    running = started(
        "run",
        file,
        "--backend",
        "fake",
        "--out",
        out,
        *workers.on,
    )
    results = layout.Results(out)
    wait_for(lambda: len(runs.finished(results)) >= 3)
    victim.kill()
    said, _ = running.communicate(timeout=250)
    assert running.returncode == 0, said
    assert len(runs.finished(results)) == 24
    rows = [
        json.loads(results.run(name).row.read_bytes())["verdict"]
        for name in runs.finished(results)
    ]
    assert set(rows) == {"ok"}


def test_a_signal_ends_the_runs_on_the_workers(
    workers: Workers, tmp_path: Path
) -> None:
    workers.add("a", MPBENCH_FAKE='{"wall_s": 0.5}')
    file = experiment(tmp_path, points=200)
    out = tmp_path / "out"
    running = started(
        "run",
        file,
        "--backend",
        "fake",
        "--out",
        out,
        *workers.on,
    )
    results = layout.Results(out)
    wait_for(lambda: len(runs.finished(results)) >= 2)
    running.send_signal(signal.SIGTERM)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 128 + signal.SIGTERM, said
    before = len(runs.finished(results))
    assert before < 400
    wait_for(lambda: not workers.scratch("a"))
    assert f"{before} of 400 finished and safe" in said


def test_a_worker_with_another_build_is_refused(
    workers: Workers, tmp_path: Path
) -> None:
    older = tmp_path / "older"
    older.mkdir()
    (older / "sitecustomize.py").write_text(
        "import mpbench.backends.fake as fake\n"
        "fake.FakeBackend.identity = lambda self: {'fake': 'older'}\n"
    )
    workers.add("a", PYTHONPATH=str(older))
    file = experiment(tmp_path, points=2)
    words = ("run", file, "--backend", "fake", *workers.on, "--out")
    refused = mpbench(*words, tmp_path / "one")
    assert refused.returncode == 2
    assert "every worker was refused" in refused.stderr
    assert "another build: fake is older there and" in refused.stdout
    workers.add("b")
    time.sleep(3)
    done = mpbench(*words, tmp_path / "two")
    assert done.returncode == 0 and "is refused" in done.stdout, done.stdout
    assert "1 worker of" in done.stdout


@pytest.mark.parametrize("dies_first", [True, False])
def test_a_worker_that_dies_when_it_is_asked_for_its_build_is_left_out(
    workers: Workers, tmp_path: Path, dies_first: bool
) -> None:
    """The first worker of a campaign, or one that comes while it is executed."""
    deadly = tmp_path / "deadly"
    deadly.mkdir()
    (deadly / "sitecustomize.py").write_text(
        "import os\n"
        "import mpbench.backends.fake as fake\n"
        "fake.FakeBackend.identity = lambda _: os.kill(os.getpid(), 9)\n"
    )
    if dies_first:
        workers.add("a", PYTHONPATH=f"{deadly}:{os.environ.get('PYTHONPATH', '')}")
    else:
        workers.add("b", MPBENCH_FAKE='{"wall_s": 0.3}')
    file = experiment(tmp_path, points=30)
    out = tmp_path / "out"
    running = started("run", file, "--backend", "fake", "--out", out, *workers.on)
    if dies_first:
        assert workers.processes[-1].wait(START_S) == -signal.SIGKILL
        workers.add("b")
    else:
        wait_for(lambda: len(runs.finished(layout.Results(out))) >= 2)
        workers.add("a", PYTHONPATH=f"{deadly}:{os.environ.get('PYTHONPATH', '')}")
        assert workers.processes[-1].wait(START_S) == -signal.SIGKILL
    said, _ = running.communicate(timeout=250)
    assert running.returncode == 0, said
    assert "60 ok" in said


@pytest.mark.parametrize(
    "workers", [{"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}], indirect=True
)
def test_a_run_that_kills_its_worker_ends_as_interrupted(
    workers: Workers, tmp_path: Path
) -> None:
    """This scheduler gives up a run at the first death of a worker."""
    deadly = tmp_path / "deadly"
    deadly.mkdir()
    (deadly / "sitecustomize.py").write_text(
        "import os\n"
        "import mpbench.backends.fake as fake\n"
        "fake.FakeBackend.execute = lambda *_: os.kill(os.getpid(), 9)\n"
    )
    workers.add("a", PYTHONPATH=str(deadly))
    workers.add("b")
    workers.join()
    file = experiment(tmp_path, points=3)
    out = tmp_path / "out"
    done = mpbench(
        "run", file, "--backend", "fake", "--out", out, *workers.on,
        "-j", "2",
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert "several workers died with this run" in done.stdout
    assert "1 interrupted" in done.stdout and "5 ok" in done.stdout
    again = mpbench("run", file, "--backend", "fake", "--out", out, *workers.on)
    assert again.returncode == 0, again.stdout


def test_an_address_without_certificates_is_one_line(tmp_path: Path) -> None:
    """Of a scheduler that has none, and in the configuration of Dask here."""
    file = experiment(tmp_path, points=2)
    settings = {k: v for k, v in os.environ.items() if "DASK_DISTRIBUTED" not in k}
    missing = {
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(tmp_path / "none.pem"),
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(tmp_path / "none.pem"),
    }
    for address, reason, environment in (
        ("dask://127.0.0.1:1", "use tls://127.0.0.1:1", settings),
        ("tls://127.0.0.1:1", "set distributed.comm.tls.ca-file in", settings),
        ("tls://127.0.0.1:1", "cannot be read", {**settings, **missing}),
    ):  # fmt: skip
        done = subprocess.run(
            command("run", file, "--backend", "fake", "--on", address),
            cwd=tmp_path, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1 and reason in done.stderr
        assert list(tmp_path.iterdir()) == [file]


def test_no_scheduler_is_one_line(tmp_path: Path) -> None:
    file = experiment(tmp_path, points=2)
    plain = "--insecure-plain-dask"
    words = ["run", str(file), "--backend", "fake", "--on", "dask://127.0.0.1:1", plain]
    impatient = (
        "import sys; from mpbench import cli; from mpbench.cluster import connect; "
        f"connect.TIMEOUT_S = 1; sys.argv[1:] = {words}; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", impatient], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "dask://127.0.0.1:1: no scheduler answers" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


@pytest.mark.parametrize("stopped", [False, True])
def test_a_scheduler_that_dies_is_one_line(
    workers: Workers, tmp_path: Path, stopped: bool
) -> None:
    """Also if it dies while a signal ends the campaign."""
    workers.add("a", MPBENCH_FAKE='{"wall_s": 1}')
    file = experiment(tmp_path, points=50)
    out = tmp_path / "out"
    running = started("run", file, "--backend", "fake", "--out", out, *workers.on)
    results = layout.Results(out)
    wait_for(lambda: len(runs.finished(results)) >= 2)
    workers.processes[0].kill()
    if stopped:
        running.send_signal(signal.SIGTERM)
    said, _ = running.communicate(timeout=200)
    assert "Traceback" not in said, said
    assert running.returncode == (128 + signal.SIGTERM if stopped else 2), said
    if not stopped:
        assert said.splitlines()[-1].startswith(
            f"mpbench: {workers.address}: the scheduler is gone"
        )
    assert len(runs.finished(results)) >= 2
    assert not list((out / "runs").glob(".partial-*"))


def test_a_worker_that_cannot_execute_a_guest_is_refused(
    workers: Workers, tmp_path: Path
) -> None:
    """One without the guest kernel, on a machine of its own."""
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    workers.add("a", XDG_CACHE_HOME=str(lacking), HOME=str(lacking))
    file = experiment(tmp_path, points=1)
    out = tmp_path / "out"
    done = mpbench("run", file, "--out", out, *workers.on)
    assert done.returncode == 2, done.stdout + done.stderr
    refused = [line for line in done.stdout.splitlines() if "is refused" in line]
    assert len(refused) == 1 and "mpbench kernel build" in refused[0], done.stdout
    assert done.stderr.splitlines() == [
        f"mpbench: {workers.address}: every worker was refused"
    ]
