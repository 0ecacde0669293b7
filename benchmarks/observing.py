"""Measure what captures and traces cost: the CPU time of runs with and without them.

    python -m benchmarks.observing [--rounds N] [--duration S] [--capacity MBPS]

The runs use MPTCP over two paths of equal capacity. In each round, the same run is
executed once without and once with each way of observing it. Printed are the least and
the median CPU time of the guest over the rounds, and the median of the difference
within a round. With `--analyse`, the analysis of captures that `mpbench run` adds is
counted too. The last column says whether the run was the same in all that it left,
apart from captures and traces.
"""

import argparse
import hashlib
import json
import os
import resource
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from analysis.run.row import row
from jobs import dump
from jobs import load as load_job
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

SPEC = """
name: overhead
topology: two_path
parameters: {{path1.capacity: {mbps} Mbit/s, path2.capacity: {mbps} Mbit/s}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: {seconds} s}}
"""
SENDER = ["client-eth1", "client-eth2"]
WAYS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "capture, sender": {"capture": {"interfaces": SENDER, "full": False}},
    "capture, both ends": {
        "capture": {"interfaces": [*SENDER, "server-eth1"], "full": False}
    },
    "trace of 100 ms": {"trace_s": 0.1},
    "trace of 10 ms": {"trace_s": 0.01},
}
SEEN = ("capture", "trace.csv")


def cpu_s() -> float:
    """CPU seconds of this process and of its children that have ended."""
    found = [
        resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(each.ru_utime + each.ru_stime for each in found)


def once(
    backend: VirtualBackend, job: dict[str, Any], folder: Path, analyse: bool
) -> tuple[float, str]:
    """CPU seconds of one execution, and a digest of what observing must not change."""
    artefacts = folder / "artefacts"
    artefacts.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(job))
    bounds = Bounds(virtual_s=job["time_limit_s"], wall_s=600, silence_s=120)
    cpu = min(os.sched_getaffinity(0))
    began = cpu_s()
    ended = backend.execute(
        load_job(job), folder, cpu, bounds, lambda _: None, threading.Event()
    )
    if ended.status != "finished":
        sys.exit(f"{ended.status}: {ended.reason}")
    if analyse:
        row(folder)
    took, digest = cpu_s() - began, hashlib.sha256()
    for path in sorted(artefacts.iterdir()):
        if not path.name.startswith(SEEN):
            digest.update(path.name.encode() + path.read_bytes())
    return took, digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=int, default=30)
    parser.add_argument("--capacity", type=int, default=20)
    parser.add_argument("--analyse", action="store_true")
    asked = parser.parse_args()
    text = SPEC.format(mbps=asked.capacity, seconds=asked.duration)
    (run,) = make_plan(loads(text), {}).runs
    backend = VirtualBackend()
    took: dict[str, list[float]] = {name: [] for name in WAYS}
    digests: dict[str, str] = {}
    backend.identity()
    for number in range(asked.rounds + 1):
        for name, more in WAYS.items():
            with tempfile.TemporaryDirectory(prefix="mpbench-observing-") as folder:
                job = {**dump(run.job), **more}
                spent, digests[name] = once(
                    backend, job, Path(folder) / "run", asked.analyse
                )
            if number:  # the first round warms caches
                took[name].append(spent)
    print(f"2 x {asked.capacity} Mbit/s, {asked.duration} s; load {os.getloadavg()[0]}")
    without = took["nothing"]
    for name, each in took.items():
        more_least = min(each) / min(without) - 1
        ratios = [mine / other for mine, other in zip(each, without, strict=True)]
        same = "the same run" if digests[name] == digests["nothing"] else "another run"
        print(
            f"{name:18s} CPU {min(each):6.2f} s least, {statistics.median(each):6.2f} s"
            f" median; least over least {more_least:+.1%}, of the same round"
            f" {statistics.median(ratios) - 1:+.1%}; {same}"
        )


if __name__ == "__main__":
    main()
