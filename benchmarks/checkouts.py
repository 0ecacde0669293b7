"""Measure whether another state of mpbench takes the same CPU time for the same runs.

    python -m benchmarks.checkouts OTHER [--pairs 15] [--cpu N]

OTHER is a checkout of another commit, with its own `.venv`, its kernel and its image.
Runs without traffic and with 20 s of iperf3 over MPTCP and TCP, whose receivers read
each packet or coalesce, are executed by this checkout and the other one in turn; the
turn changes every time. Printed are, for each kind of run, the median of the ratios of
CPU time, this checkout over the other one, with its 95 % interval by order statistics.
"""

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

HEAD = """\
name: same
topology: two_path
parameters: {path1.capacity: 10 Mbit/s, path2.capacity: 10 Mbit/s}
cases:
  mptcp: {protocol: mptcp, congestion_control: cubic, scheduler: lowrtt}
traffic:
"""
TCP = (
    "mptcp: {protocol: mptcp, congestion_control: cubic, scheduler: lowrtt}",
    "tcp: {protocol: tcp, congestion_control: cubic, path: 1}",
)
BULK = "  - {tool: iperf3, from: client, to: server, duration: 20 s, read: READ}\n"
NOTHING = """\
  - {tool: command, from: client, to: server, client: ["true"], duration: 1 s}
"""
KINDS = {
    "no traffic": HEAD + NOTHING,
    "MPTCP, each packet": HEAD + BULK.replace("READ", "packet"),
    "MPTCP, coalesced": HEAD + BULK.replace("READ", "coalesced"),
    "TCP, each packet": HEAD.replace(*TCP) + BULK.replace("READ", "packet"),
}
WORKER = """\
import sys
from benchmarks.virtual_lab_speed import execute, job
from mpbench.backends.virtual import VirtualBackend
backend = VirtualBackend()
for line in sys.stdin:
    text, cpu = eval(line)
    print("took", execute(job(text), backend, cpu), flush=True)
"""
"""A checkout's part: it reads runs and answers with CPU seconds. Both names that it
imports have been there for long."""


class Checkout:
    """A process of one checkout that executes runs when it is asked to."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [folder / ".venv/bin/python", "-c", WORKER],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def cpu_s(self, text: str, cpu: int) -> float:
        """CPU seconds of one execution. Raises SystemExit if it fails."""
        assert self._process.stdin and self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{(text, cpu)!r}\n")
            self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("took "):
                return float(line.split()[1])
        raise SystemExit("a checkout ended; see its message")

    def end(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the median: the widest pair of order statistics that needs no
    assumption about the distribution, and covers at least that much.

    With fewer than six values no pair does; the interval is then the whole range.
    """
    found, count = sorted(ratios), len(ratios)
    below, rank = 0.0, 0
    while below + (share := math.comb(count, rank) / 2**count) <= 0.025:
        below, rank = below + share, rank + 1
    place = max(rank - 1, 0)
    return found[place], found[count - 1 - place]


def row(name: str, ratios: Sequence[float]) -> str:
    low, high = interval(ratios)
    return f"| {name} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} |"


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("other", type=Path, help="a checkout of another commit")
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--pairs", type=int, default=15)
    asked = parser.parse_args(words)
    if not (asked.other / ".venv/bin/python").exists():
        parser.error(f"{asked.other}: no checkout with .venv; `make setup` makes it")
    if asked.pairs < 1:
        parser.error("--pairs: at least 1")
    return asked


def main() -> int:
    asked = arguments()
    folders = [Path(__file__).parents[1], asked.other.resolve()]
    with ExitStack() as stack:
        sides = [Checkout(folder) for folder in folders]
        for side in sides:
            stack.callback(side.end)
        print("| run | CPU time over the other's | 95 % interval |\n|---|---:|---:|")
        for name, text in KINDS.items():
            for side in sides:  # warms caches
                side.cpu_s(text, asked.cpu)
            ratios, order = [], [0, 1]
            for _ in range(asked.pairs):
                took = {one: sides[one].cpu_s(text, asked.cpu) for one in order}
                ratios.append(took[0] / took[1])
                order.reverse()
            print(row(name, ratios), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
