"""Kills a campaign before its first step on the disk, its second, and so on.

``python -m tests.engine.crashes OUT`` forks a campaign for every step, each in
the folder as the last one left it, until one comes to its end, and prints how
many were killed. A step is a write to be made safe, or a rename.
"""

import io
import os
import shutil
import signal
import sys
from pathlib import Path

from rich.console import Console

from mpbench.backends.fake import FakeBackend
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Options
from mpbench.store import atomic, runs
from mpbench.store.layout import Results

from . import plans


def main(out: str) -> int:
    root, step = Path(out), 0
    while True:
        step += 1
        # From nothing every other time, from what the last kill left else.
        if step % 2 and root.exists():
            shutil.rmtree(root)
        child = os.fork()
        if not child:
            os._exit(campaign(root, step))
        _, status = os.waitpid(child, 0)
        check(Results(root))
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            print(step - 1)
            return os.waitstatus_to_exitcode(status)


def campaign(root: Path, fatal_step: int) -> int:
    """One campaign of three runs with one worker, killed at a step on the disk."""
    steps = iter(range(1, sys.maxsize))

    def count() -> None:
        if next(steps) == fatal_step:
            os.kill(os.getpid(), signal.SIGKILL)

    sync, rename, replace = atomic._sync, Path.rename, Path.replace

    def counted_sync(path: Path) -> None:
        count()
        sync(path)

    def counted_rename(path: Path, target: Path) -> Path:
        count()
        return rename(path, target)

    def counted_replace(path: Path, target: Path) -> Path:
        count()
        return replace(path, target)

    atomic._sync = counted_sync
    Path.rename = counted_rename  # type: ignore[assignment,method-assign]
    Path.replace = counted_replace  # type: ignore[assignment,method-assign]
    backend = FakeBackend([{"do": "panic", "when": "transport.path=1"}])
    return run_campaign(
        plans.experiment(points=1),
        root,
        backend,
        backend.identity(),
        AnalysisFunctions(plans.measure, plans.tabulate),
        Options(jobs=1, retry_failed=True),
        Console(file=io.StringIO()),
    )


def check(results: Results) -> None:
    """Whatever is in place is whole."""
    if not results.runs.exists():
        return
    for path in results.runs.iterdir():
        if path.name.startswith("."):
            continue
        stored = runs.read(results, path.name)
        assert stored is not None and stored.row is not None, (path, stored)
    for record in (results.campaign, results.csv, results.parquet):
        assert not record.exists() or record.stat().st_size, record


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
