"""Campaigns as real processes, to be signalled and killed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mpbench.store.layout import PARTIAL

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 60.0


def start(
    out: Path, points: int = 4, wall_s: float = 0.0, measure: str = "goodput"
) -> "subprocess.Popen[str]":
    """Start a campaign of 3 x `points` runs, each taking `wall_s`.

    measure : ``stuck`` for one that never comes to an end
    """
    told = json.dumps({"wall_s": wall_s})
    arguments = [str(out), str(points), measure]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.driver", *arguments],
        cwd=ROOT,
        env={**os.environ, "MPBENCH_FAKE": told, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        time.sleep(0.01)


def finished(out: Path) -> list[str]:
    runs = out / "runs"
    if not runs.exists():
        return []
    return sorted(path.name for path in runs.iterdir() if path.name[0] != ".")


def in_flight(out: Path) -> list[str]:
    return sorted(path.name for path in (out / "runs").glob(f"{PARTIAL}*"))
