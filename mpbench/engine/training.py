"""The traffic that trains a profile-guided kernel (mpbench/kernel/profiling.py)."""

import json
import threading
from pathlib import Path

import jobs
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.kernel import Kernel
from mpbench.kernel.profiling import COUNTED
from mpbench.plan import make_plan

BOUNDS = Bounds(virtual_s=120.0, wall_s=600.0, silence_s=300.0)
HEAD = """\
name: training
topology: two_path
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
"""
BULK = "traffic: [{tool: iperf3, from: client, to: server, duration: 10 s}]\n"
SLOW = "parameters: {path1.capacity: 10 Mbit/s, path2.capacity: 10 Mbit/s}\n"
FAST = "parameters: {path1.capacity: 50 Mbit/s, path2.capacity: 50 Mbit/s}\n"
LOSSY = """\
parameters: {path1.loss: 1 %, path1.jitter: 1 ms, path2.capacity: 30 Mbit/s}
"""
WEB = """\
traffic:
  - {tool: ab, from: client, to: server, size: 300 kB, requests: 20, concurrency: 3}
"""
EXPERIMENTS = (
    HEAD + SLOW + BULK,
    HEAD + FAST + BULK,
    HEAD + LOSSY + BULK,
    HEAD + "fabric: true\n" + FAST + BULK,
    HEAD + WEB,
)


def train(linux: Path, folder: Path) -> Path:
    """Execute the traffic in that kernel; returns the folder with the counts.

    folder : an empty one, for the runs

    Each run continues the counts of the run before it.
    Raises UserError if a run fails.
    """
    built = Kernel(linux, "counting", linux.parent, {})
    backend = VirtualBackend(built=built)
    counts: list[Path] = []
    for number, text in enumerate(EXPERIMENTS):
        (planned,) = make_plan(loads(text), {}).runs
        job, run = planned.job, folder / str(number)
        (run / "artefacts").mkdir(parents=True)
        (run / "job.json").write_text(json.dumps(jobs.dump(job)))
        for file in counts:
            file.rename(run / "artefacts" / file.name)
        ended = backend.execute(
            job, run, None, BOUNDS, lambda _: None, threading.Event()
        )
        if ended.status != "finished":
            raise UserError(f"traffic for the profile: {ended.status}: {ended.reason}")
        counts = sorted((run / "artefacts").glob(COUNTED))
    return run / "artefacts"
