"""What a run on a cluster costs the machine that collects the results.

    python -m benchmarks.cluster_overhead [--points 250] [--workers 2]

Starts a dask scheduler and workers on this machine and executes a campaign of the fake
backend, whose runs take no time, once on them and once without them. It prints the CPU
time of the collecting process and of the scheduler per run, and a simulation of larger
clusters with it: one collector serves runs one after the other, workers execute theirs
side by side.
"""

import argparse
import heapq
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import distributed
import numpy as np

EXPERIMENT = """\
name: overhead
topology: two_path
design:
  points: {points}
  candidates: 2000
  factors:
    path1.capacity: {{min: 1, max: 100, unit: Mbit/s}}
    path2.capacity: {{min: 1, max: 100, unit: Mbit/s}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: lia, scheduler: default}}
  tcp1: {{protocol: tcp, congestion_control: reno, path: 1}}
  tcp2: {{protocol: tcp, congestion_control: reno, path: 2}}
  olia: {{protocol: mptcp, congestion_control: olia, scheduler: default}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 30 s}}
"""
CASES = 4
CORES = (10, 30, 100, 300, 1000)
RUN_S = (1.0, 10.0, 60.0)


def cpu_s(pid: int) -> float:
    """User and system time of a process so far, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, int]]:
    """A scheduler and workers; the address for --on, and the scheduler's process."""
    processes = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{words[0]}", *words[1:]]
        with (folder / "cluster.log").open("ab") as log:
            processes.append(
                subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
            )
        return processes[-1]

    file = folder / "scheduler.json"
    try:
        scheduler = start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
        )  # fmt: skip
        for number in range(workers):
            start(
                "worker", "--scheduler-file", str(file), "--nthreads", "1",
                "--no-nanny", "--no-dashboard", "--host", "127.0.0.1",
                "--local-directory", str(folder / f"worker-{number}"),
            )  # fmt: skip
        with distributed.Client(  # type: ignore[no-untyped-call]
            scheduler_file=str(file), timeout=60, set_as_default=False
        ) as client:
            client.wait_for_workers(workers, timeout=60)
            address = client.scheduler.address.removeprefix("tcp://")
        yield f"dask://{address}", scheduler.pid
    finally:
        for process in processes:
            process.kill()
            process.wait()


def campaign(file: Path, out: Path, *options: str) -> tuple[float, float]:
    """CPU time of `mpbench run` itself, and wall time; both in seconds."""
    command = [sys.executable, "-m", "mpbench.cli", "run", str(file)]
    command += ["--backend", "fake", "--out", str(out), *options]
    begun_s = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun_s


def makespan_s(runs_s: Iterable[float], cores: int, collect_s: float) -> float:
    """When the last run is in its place.

    A core begins its next run when it has sent the last one; the collector takes
    `collect_s` for each run, in the order in which they end.
    """
    free = [0.0] * cores
    ends = []
    for run_s in runs_s:
        end = heapq.heappop(free) + run_s
        heapq.heappush(free, end)
        ends.append(end)
    collector = 0.0
    for end in sorted(ends):
        collector = max(collector, end) + collect_s
    return collector


def efficiency(run_s: float, cores: int, collect_s: float, rows: int = 10_000) -> float:
    """Share of the cores' time that runs take, in a campaign of `rows` runs whose
    times are spread as those of the thesis's campaigns are (log-normal, sigma 1)."""
    drawn = np.random.default_rng(1).lognormal(0.0, 1.0, rows)
    times: Sequence[float] = (drawn / drawn.mean() * run_s).tolist()
    return sum(times) / (cores * makespan_s(times, cores, collect_s))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=250)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    runs = options.points * CASES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "overhead.yaml"
        file.write_text(EXPERIMENT.format(points=options.points))
        own_s, own_wall_s = campaign(file, folder / "own", "-j", str(options.workers))
        with cluster(folder, options.workers) as (address, scheduler):
            before_s = cpu_s(scheduler)
            far_s, far_wall_s = campaign(file, folder / "far", "--on", address)
            scheduled_s = cpu_s(scheduler) - before_s
    print(f"{runs} runs of the fake backend, {options.workers} at a time")
    print(f"this machine     {own_wall_s:6.1f} s wall, {own_s:6.1f} s CPU")
    print(f"workers by dask  {far_wall_s:6.1f} s wall, {far_s:6.1f} s CPU here")
    print(f"collecting       {1000 * far_s / runs:6.1f} ms of CPU per run")
    print(f"dask's scheduler {1000 * scheduled_s / runs:6.1f} ms of CPU per run")
    print("\nShare of the cores' time that runs take, 10,000 runs, simulated:")
    print("cores   " + "".join(f"runs of {run_s:g} s  " for run_s in RUN_S))
    for cores in CORES:
        shares = [efficiency(run_s, cores, far_s / runs) for run_s in RUN_S]
        print(f"{cores:5}   " + "".join(f"{share:11.0%}  " for share in shares))


if __name__ == "__main__":
    main()
