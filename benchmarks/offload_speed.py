"""Measure what whole segments save: CPU time of guests with and without offload.

    python -m benchmarks.offload_speed [--rounds N] [--duration S] [--capacity MBPS...]
        [--queue MS] [--markdown]

The runs send MPTCP (`cubic`, `lowrtt`) and TCP over paths of the fabric with a delay of
5 ms and a queue of 20 ms (`--queue` gives another), with reads of 64 KiB. Per round,
every run is executed once with single frames and once for each gather time. Printed
are, per gather time, the median over the rounds of the CPU time of a guest over that of
single frames in the same round, virtual seconds per CPU second, goodput and dropped
frames. With several capacities, a column has them.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.run.row import row
from benchmarks.observing import once
from jobs import dump
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

SPEC = """
name: offload-speed
topology: two_path
fabric: true
parameters:
  {path1.capacity: CAPACITY Mbit/s, path1.delay: 5 ms, path1.queueing_delay: QUEUE ms,
   path2.capacity: CAPACITY Mbit/s, path2.delay: 5 ms, path2.queueing_delay: QUEUE ms}
cases:
  MPTCP: {protocol: mptcp, congestion_control: cubic, scheduler: lowrtt}
  TCP: {protocol: tcp, congestion_control: cubic, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: DURATION s,
     read: {mode: coalesced, size: 64 KiB}}
"""
OFF = "off"
VIRTUAL_S = "virtual_s"
GATHERED: dict[str, dict[str, Any]] = {
    OFF: {},
    "100 us": {"gather_ms": 0.1},
    "1 ms": {"gather_ms": 1.0},
}
HEAD = ("run", "gather", "CPU time over off", "goodput, Mbit/s", "dropped frames")


def drops(row_: dict[str, Any]) -> int:
    return sum(int(row_.get(f"path{n}.queue_drops") or 0) for n in (1, 2))


def measured(
    backend: VirtualBackend, job: dict[str, Any]
) -> tuple[float, dict[str, Any]]:
    """CPU seconds of one execution, and its row."""
    with tempfile.TemporaryDirectory(prefix="mpbench-offload-") as root:
        folder = Path(root) / "run"
        spent, _ = once(backend, job, folder, False)
        outcome = json.loads((folder / "artefacts" / "outcome.json").read_text())
        return spent, {**row(folder), VIRTUAL_S: outcome["virtual_s"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration", type=int, default=5)
    parser.add_argument("--capacity", type=int, nargs="+", default=[1000])
    parser.add_argument("--queue", type=int, default=20)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    if not asked.markdown:
        print(f"{asked.duration} s; load {os.getloadavg()[0]}")
    lines = []
    for mbps in asked.capacity:
        found = of_capacity(mbps, asked)
        own = (mbps,) if len(asked.capacity) > 1 else ()
        lines += [(*own, *line) for line in found]
        if not asked.markdown:
            for line in found:
                print(json.dumps((*own, *line)), flush=True)
    if asked.markdown:
        head = ("Mbit/s", *HEAD) if len(asked.capacity) > 1 else HEAD
        print(f"| {' | '.join(head)} |")
        print(f"|{'---|' * (len(head) - 3)}---:|---:|---:|")
        for line in lines:
            print(f"| {' | '.join(map(str, line))} |")


def of_capacity(mbps: int, asked: argparse.Namespace) -> list[tuple[Any, ...]]:
    """The lines of paths of `mbps`, one per transport and gather time."""
    text = SPEC.replace("CAPACITY", str(mbps))
    for word in ("queue", "duration"):
        text = text.replace(word.upper(), str(getattr(asked, word)))
    plan = make_plan(loads(text), {})
    backend = VirtualBackend()
    backend.identity()
    took: dict[tuple[str, str], list[float]] = {}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for number in range(asked.rounds + 1):
        for run in plan.runs:
            job = dump(run.job)
            for name, more in GATHERED.items():
                own = {**job, "fabric": {**job["fabric"], **more}}
                spent, rows[run.case, name] = measured(backend, own)
                if number:  # the first round warms caches
                    took.setdefault((run.case, name), []).append(spent)
    return list(lines_of(took, rows, asked.markdown))


def lines_of(
    took: dict[tuple[str, str], list[float]],
    rows: dict[tuple[str, str], dict[str, Any]],
    markdown: bool,
) -> Iterator[tuple[Any, ...]]:
    """One line per transport and gather time.

    Without `markdown`, with the seconds, which are those of this machine.
    """
    for (case, name), each in took.items():
        without = took[case, OFF]
        ratio = statistics.median(a / b for a, b in zip(each, without, strict=True))
        found = rows[case, name]
        goodput = f"{found['goodput_mbps']:.0f}"
        line: tuple[Any, ...]
        line = (case, name, f"{ratio:.2f}", goodput, drops(found))
        if not markdown:
            speed = found[VIRTUAL_S] / min(each)
            line += (f"{min(each):.2f} s", f"{speed:.1f} virtual s per CPU s")
        yield line


if __name__ == "__main__":
    main()
