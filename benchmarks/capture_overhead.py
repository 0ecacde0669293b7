"""What a capture costs a run: the same guest without and with one, in turns.

    python benchmarks/capture_overhead.py [--rounds N] [--duration S] [--capacity MBPS]

Two paths of equal capacity, MPTCP over both. CPU time of the guest and of what makes
captures of its rings; least and median over the rounds, and the median of what a
capture adds to the run without one of the same round. With `--analyse`, the analysis
that `mpbench run` adds is counted too.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from analysis.rows import row
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.plan import make_plan
from mpbench.spec import loads

SPEC = """
name: overhead
topology: two_path
parameters: {{path1.capacity: {mbps} Mbit/s, path2.capacity: {mbps} Mbit/s}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: {seconds} s}}
"""
WAYS: dict[str, list[str]] = {
    "no capture": [],
    "sender": ["client-eth1", "client-eth2"],
    "both ends": ["client-eth1", "client-eth2", "server-eth1"],
}


def cpu_s() -> float:
    """Of this process and of children that have ended."""
    found = [
        resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(each.ru_utime + each.ru_stime for each in found)


def once(
    backend: VirtualBackend, job: dict[str, Any], folder: Path, analyse: bool
) -> tuple[float, float]:
    """CPU and wall seconds of one execution."""
    (folder / "artefacts").mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(job))
    bounds = Bounds(virtual_s=job["time_limit_s"], wall_s=600, silence_s=120)
    cpu = min(os.sched_getaffinity(0))
    began = cpu_s(), time.perf_counter()
    ended = backend.execute(job, folder, cpu, bounds, lambda _: None, threading.Event())
    if ended.status != "finished":
        sys.exit(f"{ended.status}: {ended.reason}")
    if analyse:
        row(folder)
    return cpu_s() - began[0], time.perf_counter() - began[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=int, default=30)
    parser.add_argument("--capacity", type=int, default=20)
    parser.add_argument("--analyse", action="store_true")
    asked = parser.parse_args()
    text = SPEC.format(mbps=asked.capacity, seconds=asked.duration)
    (run,) = make_plan(loads(text), {}).runs
    backend, took = VirtualBackend(), {name: [] for name in WAYS}
    backend.identity()
    for number in range(asked.rounds + 1):
        for name, interfaces in WAYS.items():
            capture = {"interfaces": interfaces, "full": False} if interfaces else None
            with tempfile.TemporaryDirectory(prefix="mpbench-overhead-") as folder:
                job = {**run.job, "capture": capture}
                found = once(backend, job, Path(folder) / "run", asked.analyse)
            if number:  # the first round warms caches
                took[name].append(found)
    print(f"2 x {asked.capacity} Mbit/s, {asked.duration} s; load {os.getloadavg()[0]}")
    least = {name: min(cpu for cpu, _ in each) for name, each in took.items()}
    for name, each in took.items():
        median = statistics.median(cpu for cpu, _ in each)
        without = took["no capture"]
        more = least[name] / least["no capture"] - 1
        paired = statistics.median(
            mine / other for (mine, _), (other, _) in zip(each, without, strict=True)
        )
        print(
            f"{name:12s} CPU {least[name]:6.2f} s least, {median:6.2f} s median;"
            f" wall {min(wall for _, wall in each):6.2f} s least; {more:+.1%},"
            f" paired {paired - 1:+.1%}"
        )


if __name__ == "__main__":
    main()
