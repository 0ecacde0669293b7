"""Workers that share no file, each in a root of its own, killed at random."""

import contextlib
import random
import subprocess
import time
from pathlib import Path

import pytest

from mpbench import image, kernel
from mpbench.kernel import cache, launcher
from mpbench.store import layout, runs
from tests.cluster import roots
from tests.cluster.conftest import Workers, wait_for
from tests.cluster.test_workers import contents, experiment, mpbench, started

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(roots.missing()), reason=f"no roots of their own: {roots.missing()}"
    ),
]

SEED = 7
WORKERS = 3
KILLS = 4
RUN_S = 0.3
NOTE_BEGINNINGS = f"""\
import json

from mpbench.cluster import worker

execute = worker.execute


def noting(order):
    with open("{roots.HOME}/begun", "a") as file:
        file.write(json.loads(order)["run"]["id"] + "\\n")
    return execute(order)


worker.execute = noting
"""


def test_workers_that_are_killed_at_random_lose_no_run(
    workers: Workers, tmp_path: Path
) -> None:
    """A worker has one run in flight, and another one whose archive is on its way."""
    choose = random.Random(SEED)
    file = experiment(tmp_path, points=14)
    here, there = tmp_path / "here", tmp_path / "there"
    fake = ("--backend", "fake", "--out")
    assert mpbench("run", file, *fake, here).returncode == 0
    count = len(runs.finished(layout.Results(here)))
    names = [str(number) for number in range(WORKERS + KILLS)]
    script = f'{{"wall_s": {RUN_S}}}'

    def add(name: str) -> "subprocess.Popen[bytes]":
        return workers.add_in_root(name, hook=NOTE_BEGINNINGS, MPBENCH_FAKE=script)

    alive = [add(name) for name in names[:WORKERS]]
    running = started("run", file, *fake, there, *workers.on, "-j", WORKERS)
    results = layout.Results(there)
    for name in names[WORKERS:]:
        least = len(runs.finished(results)) + choose.randint(1, 4)
        wait_for(lambda least=least: len(runs.finished(results)) >= least)
        time.sleep(choose.uniform(0, RUN_S))
        victim = alive.pop(choose.randrange(len(alive)))
        victim.kill()
        victim.wait()
        alive.append(add(name))
    assert running.poll() is None
    said, _ = running.communicate(timeout=250)
    assert running.returncode == 0, said
    assert f"{count} ok" in said
    assert len(runs.finished(results)) == count == 28
    assert contents(there) == contents(here)
    assert not list(results.runs.glob(".*"))
    stored = mpbench("verify", there, "--stored")
    assert stored.returncode == 0, stored.stdout
    begun = [run for name in names for run in begun_in(workers.root(name))]
    assert set(begun) == set(runs.finished(results))
    assert count <= len(begun) <= count + 2 * KILLS


@pytest.mark.guest
def test_guests_end_with_their_worker_and_begin_again_on_another(
    workers: Workers, tmp_path: Path
) -> None:
    file = experiment(tmp_path, points=2)
    here, there = tmp_path / "here", tmp_path / "there"
    done = mpbench("run", file, "--out", here)
    assert done.returncode == 0, done.stdout + done.stderr
    kernels = kernel.find().folder.parent
    built = (kernels, image.find().path.parent, launcher.find().parent)
    caches = {"XDG_CACHE_HOME": str(cache.root().parent)}
    victim = workers.add_in_root("a", built, **caches)
    workers.add_in_root("b", built, **caches)
    workers.join()
    running = started("run", file, "--out", there, *workers.on, "-j", "2")
    wait_for(lambda: runs.finished(layout.Results(there)))
    wait_for(lambda: guests(victim.pid))
    left = guests(victim.pid)
    victim.kill()
    victim.wait()
    wait_for(lambda: not any(Path(f"/proc/{each}").exists() for each in left))
    said, _ = running.communicate(timeout=250)
    assert running.returncode == 0, said
    assert "4 ok" in said
    assert contents(there) == contents(here)


def guests(worker: int) -> list[int]:
    """The processes below a worker that execute a guest's kernel."""
    below, found = [worker], []
    for parent in below:
        tasks = Path(f"/proc/{parent}/task").glob("*/children")
        below += [int(word) for task in tasks for word in task.read_text().split()]
    for process in below[1:]:
        with contextlib.suppress(OSError):
            if b"umid=guest" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def test_roots_share_no_file(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    look = (
        f"ls {tmp_path}/results && exit 1; touch /usr/x {roots.CHECKOUT}/x && exit 2;"
        "for place in /tmp /dev/shm /home/worker; do"
        " test -e $place/x && exit 3; echo > $place/x || exit 4; done"
    )
    for name in ("one", "other"):
        roots.make(tmp_path / name)
        done = subprocess.run(
            roots.command(tmp_path / name, ["sh", "-c", look]),
            env=roots.environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name / "tmp/x").exists()


def begun_in(root: Path) -> list[str]:
    """The runs that the worker of a root began, in order."""
    noted = root / roots.HOME[1:] / "begun"
    return noted.read_text().split() if noted.exists() else []
