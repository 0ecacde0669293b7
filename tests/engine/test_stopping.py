"""Ctrl-C, its relatives, and kill -9: real signals to a real process."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from mpbench.store import runs
from mpbench.store.layout import Results

from .processes import ROOT, finished, in_flight, start, wait_until

pytestmark = pytest.mark.slow

SLOW_S = 0.4
KILLS = 8


@pytest.mark.parametrize(
    "number, status",
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_one_signal_stops_cleanly_and_says_how_to_go_on(
    tmp_path: Path, number: int, status: int
) -> None:
    out = tmp_path / "out"
    process = start(out, wall_s=SLOW_S)
    wait_until(lambda: len(finished(out)) >= 2 and bool(in_flight(out)))
    process.send_signal(number)
    said, errors = process.communicate(timeout=30)
    assert process.returncode == status, errors
    assert errors == ""
    assert "Stopping: giving up" in said
    assert "Go on with the same command: driver.py" in said
    assert in_flight(out) == []
    done = finished(out)
    assert f"{len(done)} of 12 finished and safe" in said
    assert len(pd.read_csv(out / "runs.csv")) == len(done)
    again = start(out)
    said, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert f"{len(done)} finished ({len(done)} ok), {12 - len(done)} to do now" in said
    assert len(finished(out)) == 12


def test_the_second_ctrl_c_leaves_at_once(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, measure="stuck")
    wait_until(lambda: any(out.glob("runs/.partial-*/artefacts/console.log")))
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    while "Stopping" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert in_flight(out)
    again = start(out)
    again.communicate(timeout=60)
    assert again.returncode == 0
    assert len(finished(out)) == 12


def test_kill_9_loses_only_the_runs_in_flight(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = start(out, wall_s=SLOW_S)
    wait_until(lambda: len(finished(out)) >= 2 and bool(in_flight(out)))
    process.kill()
    process.communicate()
    done = finished(out)
    assert in_flight(out)
    again = start(out)
    said, _ = again.communicate(timeout=60)
    assert again.returncode == 0
    assert f"{len(done)} finished" in said
    assert in_flight(out) == []
    assert len(pd.read_csv(out / "runs.csv")) == 12


def test_kill_9_at_any_moment(tmp_path: Path) -> None:
    """Killed again and again, wherever it may be, the campaign comes to its end."""
    out = tmp_path / "out"
    moments = random.Random(3)
    for _ in range(KILLS):
        process = start(out, points=20, wall_s=0.02)
        wait_for_news(out, len(finished(out)), process)
        time.sleep(moments.uniform(0, 0.15))
        process.kill()
        process.communicate()
        check_all_whole(out)
    last = start(out, points=20)
    said, errors = last.communicate(timeout=120)
    assert last.returncode == 0, errors
    assert "damaged" not in said
    check_all_whole(out)
    assert len(finished(out)) == 60
    assert len(pd.read_parquet(out / "runs.parquet")) == 60
    assert not [path for path in out.iterdir() if path.name.startswith(".new-")]


def wait_for_news(out: Path, before: int, process: "subprocess.Popen[str]") -> None:
    """Until the process has finished a run, or ended because it had none."""
    wait_until(lambda: len(finished(out)) > before or process.poll() is not None)


def check_all_whole(out: Path) -> None:
    """Every run in place has all its files, and they are what its manifest says."""
    for name in finished(out):
        run = Results(out).run(name)
        assert json.loads(run.row.read_text())["verdict"] == "ok"
        assert json.loads(run.host.read_text())["exit"]["status"] == "finished"
        stored = runs.read(Results(out), name)
        assert stored is not None and stored.row is not None, stored


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = start(out, wall_s=SLOW_S)
    wait_until(lambda: len(finished(out)) >= 1)
    first.send_signal(signal.SIGSTOP)
    second = start(out)
    _, errors = second.communicate(timeout=30)
    assert second.returncode == 2
    assert f"another mpbench (process {first.pid}) is working here" in errors
    first.kill()
    first.communicate()


def test_killed_at_every_step_on_the_disk(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.crashes", str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
    )
    # The last campaign found one run that fails, as scripted: status 1.
    assert done.returncode == 1, done.stdout + done.stderr
    assert int(done.stdout) > 30
