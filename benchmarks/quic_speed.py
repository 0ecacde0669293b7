"""Measure the speed of QUIC in guests: virtual seconds per second of CPU time.

    python -m benchmarks.quic_speed [--repetitions 3] [--only WORD ...]
        [--against NAME=PROGRAM ...] [--seconds 20] [--reverse] [--markdown]

Measured are uploads over `two_path` with two equal paths of 10 ms and queues of 50 ms,
over both endpoints of the box, MPTCP (cubic, lowrtt) and TCP on one path, which read as
data arrive, and over both endpoints with packets that gather for 2 ms. The CPU time is
that of all processes of a guest, its boot included.

With `--against`, another program takes turns with the endpoint NAME, run by run. Then
the median of the ratios run by run stands beside the least and the greatest, and
whether both programs left the same bytes of each file.
"""

import argparse
import hashlib
import json
import os
import statistics
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.run.row import row
from benchmarks.virtual_lab_speed import children_s
from jobs import Job, dump
from mpbench.backends.virtual import VirtualBackend
from mpbench.engine.bounds import bounds
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.store import content

AIMS = {10: 15.0, 50: 4.0}
"""Virtual seconds per CPU second of QUIC, by the capacity of each path, Mbit/s."""
FILES = ("received.csv", "paths.csv")
SPEC = """\
name: quic-speed
topology: two_path
parameters:
  path1.capacity: CAPACITY Mbit/s
  path2.capacity: CAPACITY Mbit/s
  path1.delay: 10 ms
  path2.delay: 10 ms
  path1.queueing_delay: 50 ms
  path2.queueing_delay: 50 ms
cases:
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
  mptcp: {protocol: mptcp, congestion_control: cubic, scheduler: lowrtt}
  noq: {protocol: mpquic, program: noq, congestion_control: cubic}
  picoquic: {protocol: mpquic, program: picoquic, congestion_control: cubic}
  noq-2ms: {protocol: mpquic, program: noq, congestion_control: cubic, gather: 2 ms}
  picoquic-2ms:
    {protocol: mpquic, program: picoquic, congestion_control: cubic, gather: 2 ms}
traffic:
  - {tool: iperf3, from: client, to: server, duration: SECONDS s, read: packet,
     reverse: REVERSE}
"""


@dataclass(frozen=True)
class Once:
    """One execution: its CPU time, goodput, and a hash of each file of FILES."""

    cpu_s: float
    goodput_mbps: float
    hashes: Mapping[str, str]


def jobs(capacity_mbps: int, seconds: float, reverse: bool) -> dict[str, Job]:
    """The job of each case."""
    words = {"CAPACITY": capacity_mbps, "SECONDS": f"{seconds:g}"}
    text = SPEC.replace("REVERSE", str(reverse).lower())
    for word, value in words.items():
        text = text.replace(word, str(value))
    return {run.case: run.job for run in make_plan(loads(text), {}).runs}


def with_program(job: Job, program: Path) -> Job:
    """The same job with another program in the place of its endpoint."""
    (name,) = job.programs or {}
    return replace(job, programs={name: content.add(program.read_bytes())})


def execute(job: Job, backend: VirtualBackend, cpu: int) -> Once:
    """Raises SystemExit for a run that does not end as it should."""
    with tempfile.TemporaryDirectory(prefix="mpbench-quic-") as root:
        folder = Path(root)
        (folder / "artefacts").mkdir()
        (folder / "job.json").write_text(json.dumps(dump(job)))
        before_s = children_s()
        silent = threading.Event()
        ended = backend.execute(job, folder, cpu, bounds(job), lambda _: None, silent)
        cpu_s = children_s() - before_s
        if ended.status != "finished":
            raise SystemExit(f"{ended.status}: {ended.reason}")
        found = row(folder)
        if found["verdict"] != "ok":
            raise SystemExit(f"{found['verdict']}: {found['reason']}")
        hashes = {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name in FILES
            for path in folder.glob(f"artefacts/traffic-*-{name}")
        }
        return Once(cpu_s, float(found["goodput_mbps"]), hashes)


def ratios(mine: Sequence[Once], other: Sequence[Once]) -> list[float]:
    """CPU time over that of the other program, run by run."""
    return [one.cpu_s / two.cpu_s for one, two in zip(mine, other, strict=True)]


def line(name: str, seconds: float, mine: Sequence[Once], other: Sequence[Once]) -> str:
    """The line about one kind of run; `other` is empty without `--against`."""
    least_s = min(each.cpu_s for each in mine)
    words = (
        f"{name:<24} CPU {least_s:6.3f} s least, {seconds / least_s:5.1f} virtual s per"
        f" CPU s, {mine[0].goodput_mbps:.3f} Mbit/s"
    )
    if other:
        found = ratios(mine, other)
        same = [n for n in FILES if mine[0].hashes.get(n) == other[0].hashes.get(n)]
        words += (
            f"; over the other program {statistics.median(found):.2f}"
            f" [{min(found):.2f}..{max(found):.2f}], which had"
            f" {other[0].goodput_mbps:.3f} Mbit/s; same bytes:"
            f" {', '.join(same) or 'none'}"
        )
    return words


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", help="parts of the names of runs")
    parser.add_argument("--against", nargs="*", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--reverse", action="store_true", help="download")
    parser.add_argument("--markdown", action="store_true", help="a table of ratios")
    asked = parser.parse_args(words)
    if asked.repetitions < 1:
        parser.error("--repetitions: at least 1")
    others = {}
    for each in asked.against:
        name, separator, path = each.partition("=")
        if not separator or not Path(path).is_file():
            parser.error(f"--against {each}: no program there; give NAME=PROGRAM")
        others[name] = Path(path)
    asked.against = others
    return asked


def main() -> int:
    asked = arguments()
    backend = VirtualBackend()
    backend.identity()
    rows: dict[int, dict[str, float]] = {}
    for capacity_mbps in AIMS:
        for case, job in jobs(capacity_mbps, asked.seconds, asked.reverse).items():
            name = f"{case}, 2 x {capacity_mbps} Mbit/s"
            if asked.only and not any(word in name for word in asked.only):
                continue
            sides = [job]
            if other := asked.against.get(case.removesuffix("-2ms")):
                sides.append(with_program(job, other))
            found: list[list[Once]] = [[] for _ in sides]
            order = list(range(len(sides)))
            for _ in range(asked.repetitions):
                for side in order:
                    found[side].append(execute(sides[side], backend, asked.cpu))
                order.reverse()
            least_s = min(each.cpu_s for each in found[0])
            rows.setdefault(capacity_mbps, {})[case] = least_s
            if not asked.markdown:
                other = found[1] if len(found) > 1 else []
                print(line(name, asked.seconds, found[0], other), flush=True)
    if asked.markdown:
        print(markdown(rows))
    return 0


def markdown(rows: Mapping[int, Mapping[str, float]]) -> str:
    """A table for docs/speed.md: CPU time over that of MPTCP at the same capacity."""
    names = list(next(iter(rows.values())))
    lines = [f"| CPU time over that of MPTCP | {' | '.join(names)} |"]
    lines.append("|---|" + "---:|" * len(names))
    for capacity_mbps, costs in rows.items():
        cells = (f"{costs[name] / costs['mptcp']:.1f}" for name in names)
        lines.append(f"| 2 x {capacity_mbps} Mbit/s | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
