"""Cost of a run on a cluster for the machine that collects the results.

    python -m benchmarks.cluster_overhead [--points 250] [--workers 2] [--steps 1000]
        [--skip-own] [--at-most SECONDS]

Starts a dask scheduler and workers on this machine and executes a campaign of the fake
backend, whose runs take no time, once on them and once without them. There are four
runs per point. It prints the CPU time of the collecting process and of the scheduler
per run, for each `--steps` runs and for all of them, and a simulation of larger
clusters with it: one collector serves runs one after the other, workers execute theirs
side by side.

With `--at-most`, the campaign on the workers ends after this time, and what it has
executed counts.
"""

import argparse
import heapq
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import distributed
import numpy as np

EXPERIMENT = """\
name: overhead
topology: two_path
design:
  points: {points}
  method: uniform
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
ROWS = 100_000
CLUSTERS = ((10, 1), (100, 1), (300, 1), (1000, 1), (1000, 5), (1000, 10), (1000, 20))
"""The clusters that are simulated: their cores, and the campaigns that share these
cores and the runs evenly (`--shard I/N`)."""
RUN_S = (1.0, 10.0, 60.0)
LOOK_S = 1.0
"""Interval between two looks at a campaign."""


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


@dataclass(frozen=True)
class Cost:
    """Cost of a campaign so far.

    runs : how many are finished
    wall_s : since it began
    collector_s, scheduler_s : CPU time of `mpbench run` itself, and of dask's scheduler
    """

    runs: int = 0
    wall_s: float = 0.0
    collector_s: float = 0.0
    scheduler_s: float = 0.0

    def spent(self) -> str:
        """The times of the whole campaign."""
        return f"{self.wall_s:6.1f} s wall, {self.collector_s:6.1f} s CPU"

    def since(self, earlier: "Cost") -> str:
        """Cost of each run after `earlier`."""
        runs = max(1, self.runs - earlier.runs)
        collector_ms = 1000 * (self.collector_s - earlier.collector_s) / runs
        scheduler_ms = 1000 * (self.scheduler_s - earlier.scheduler_s) / runs
        return (
            f"{earlier.runs + 1:6}-{self.runs:<6} collecting {collector_ms:6.1f} ms, "
            f"dask's scheduler {scheduler_ms:6.1f} ms of CPU per run"
        )


@dataclass(frozen=True)
class Campaign:
    """A campaign to execute.

    step : how often its cost is printed, in runs
    at_most_s : it is stopped after this time
    """

    file: Path
    out: Path
    step: int = 1000
    at_most_s: float = float("inf")

    def execute(self, *options: str, scheduler: int | None = None) -> Cost:
        """Execute the campaign and return its cost. `scheduler` is the process of
        dask's scheduler."""
        command = [sys.executable, "-m", "mpbench.cli", "run", str(self.file)]
        command += ["--backend", "fake", "--out", str(self.out), *options]
        begun_s = time.monotonic()
        before_s = cpu_s(scheduler) if scheduler else 0.0

        def now(collector_s: float) -> Cost:
            scheduler_s = cpu_s(scheduler) - before_s if scheduler else 0.0
            wall_s = time.monotonic() - begun_s
            return Cost(self._finished(), wall_s, collector_s, scheduler_s)

        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        last = Cost()
        stopped = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            cost = now(cpu_s(process.pid))
            if scheduler and cost.runs >= last.runs + self.step:
                print(cost.since(last), flush=True)
                last = cost
            if cost.wall_s > self.at_most_s and not stopped:
                process.send_signal(signal.SIGINT)
                stopped = True
            time.sleep(LOOK_S)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode and not stopped:
            words = " ".join(command)
            raise SystemExit(f"{words}: exit status {process.returncode}")
        return now(usage.ru_utime + usage.ru_stime)

    def _finished(self) -> int:
        """Number of runs that are in their places."""
        return sum(1 for _ in (self.out / "runs").glob("[!.]*"))


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


def efficiency(run_s: float, cores: int, collect_s: float, rows: int) -> float:
    """Share of the cores' time that runs take, in a campaign of `rows` runs whose
    times are spread as those of the thesis's campaigns are (log-normal, sigma 1)."""
    drawn = np.random.default_rng(1).lognormal(0.0, 1.0, rows)
    times: Sequence[float] = (drawn / drawn.mean() * run_s).tolist()
    return sum(times) / (cores * makespan_s(times, cores, collect_s))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=250)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=1000, help="runs per line")
    parser.add_argument("--skip-own", action="store_true", help="workers alone")
    parser.add_argument("--at-most", type=float, default=float("inf"), help="seconds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "overhead.yaml"
        file.write_text(EXPERIMENT.format(points=options.points))
        workers = options.workers
        print(f"{options.points * CASES} runs of the fake backend, {workers} at a time")
        if not options.skip_own:
            own = Campaign(file, folder / "own").execute("-j", str(workers))
            print(f"this machine     {own.spent()}")
        with cluster(folder, workers) as (address, scheduler):
            far = Campaign(file, folder / "far", options.steps, options.at_most)
            plain = "--insecure-plain-dask"
            cost = far.execute("--on", address, plain, scheduler=scheduler)
    print(f"workers by dask  {cost.spent()} here")
    print(cost.since(Cost()))
    simulate(cost.collector_s / max(1, cost.runs))


def simulate(collect_s: float) -> None:
    """Print how far larger clusters are used.

    collect_s : what the collector takes for a run
    """
    print(f"\nShare of the cores' time that runs take, {ROWS:,} runs, simulated:")
    print(" cores  campaigns  " + "  ".join(f"runs of {run_s:g} s" for run_s in RUN_S))
    for cores, parts in CLUSTERS:
        shares = [
            efficiency(run_s, cores // parts, collect_s, ROWS // parts)
            for run_s in RUN_S
        ]
        print(
            f"{cores:6} {parts:10}  " + "".join(f"{share:11.0%}  " for share in shares)
        )


if __name__ == "__main__":
    main()
