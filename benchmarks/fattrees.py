"""Measure what FatTrees of up to 1,024 hosts take: CPU time and memory.

    python -m benchmarks.fattrees [--ports 4 8 10 12 16] [--seconds 0.5]
        [--connections 1] [--cpu N] [--points FILE] [--markdown]

Each host sends to one other over TCP (Reno). Measured are the CPU time of the network
without traffic, that of the traffic per virtual second, which is what a longer run
takes beside it, the memory that the guest touched, and the CPU time of the analysis.

`--points` keeps each row in FILE, one JSON object per line, as soon as it is measured.
Rows that FILE has already are not measured again.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analysis.run.row import row as analysed
from benchmarks.growth import NOTHING, apart, executed, most_kib
from benchmarks.virtual_lab_speed import job

PORTS = (4, 8, 10, 12, 16)
SPEC = """\
name: fattrees
topology: fattree-k{ports}
guest: {{memory: 8 GiB}}
cases:
  tcp: {{protocol: tcp, congestion_control: reno, path: 1}}
"""
TRAFFIC = """\
traffic:
  - {{tool: flows, from: hosts, to: permutation, duration: {seconds:g} s,
     connections: {connections}, start: {{min: 0 s, max: 0.1 s}}}}
"""


@dataclass(frozen=True)
class Cost:
    """Cost of one run. analysis_s : CPU time after the guest has ended"""

    cpu_s: float
    memory_mib: int
    analysis_s: float


@dataclass(frozen=True)
class Row:
    """Costs of one size; `seconds` and `connections` as in the options."""

    ports: int
    seconds: float
    connections: int
    hosts: int
    alone_s: float
    busy_s: float
    memory_mib: int
    analysis_s: float

    @property
    def per_virtual_s(self) -> float:
        return (self.busy_s - self.alone_s) / self.seconds


def cost(asked: dict[str, Any], cpu: int) -> Cost:
    with executed(asked, cpu) as (directory, cpu_s):
        began_s = time.process_time()
        found = analysed(directory)
        if found["verdict"] != "ok":
            raise RuntimeError(f"{found['verdict']}: {found['reason']}")
        return Cost(cpu_s, most_kib() >> 10, time.process_time() - began_s)


def measured(ports: int, options: argparse.Namespace) -> Row:
    seconds, connections = options.seconds, options.connections
    text = SPEC.format(ports=ports)
    busy = TRAFFIC.format(seconds=seconds, connections=connections)
    idle = apart(cost, job(text + NOTHING), options.cpu)
    full = apart(cost, job(text + busy), options.cpu)
    return Row(
        ports,
        seconds,
        connections,
        ports**3 // 4,
        idle.cpu_s,
        full.cpu_s,
        full.memory_mib,
        full.analysis_s,
    )


def markdown(rows: Sequence[Row]) -> str:
    """CPU times over those of the smallest network, because seconds are a machine's."""
    lines = [
        "| topology | hosts | network alone | a virtual second of traffic | analysis"
        " | memory, MiB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    first = rows[0]
    for one in rows:
        costs = (
            one.alone_s / first.alone_s,
            one.per_virtual_s / first.per_virtual_s,
            one.analysis_s / first.analysis_s,
        )
        cells = " | ".join(f"{cost:.3g}" for cost in costs)
        lines.append(
            f"| `fattree-k{one.ports}` | {one.hosts} | {cells} | {one.memory_mib} |"
        )
    return "\n".join(lines)


def tell(one: Row) -> None:
    print(
        f"k = {one.ports:2}, {one.hosts:4} hosts: alone {one.alone_s:6.2f} s CPU,"
        f" {one.per_virtual_s:7.2f} s per virtual second, {one.memory_mib} MiB,"
        f" analysis {one.analysis_s:.2f} s",
        file=sys.stderr,
        flush=True,
    )


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--ports", type=int, nargs="+", default=list(PORTS))
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--connections", type=int, default=1, help="of each host")
    parser.add_argument("--points", type=Path, help="where to keep the rows")
    parser.add_argument("--markdown", action="store_true", help="a table of ratios")
    return parser.parse_args(words)


def main() -> int:
    options = arguments()
    kept: Path | None = options.points
    lines = kept.read_text().splitlines() if kept and kept.exists() else []
    known = {
        (one.ports, one.seconds, one.connections): one
        for one in (Row(**json.loads(line)) for line in lines)
    }
    rows = []
    for ports in options.ports:
        found = known.get((ports, options.seconds, options.connections))
        if found is None:
            found = measured(ports, options)
            if kept:
                with kept.open("a") as file:
                    file.write(json.dumps(asdict(found)) + "\n")
        tell(found)
        rows.append(found)
    if options.markdown:
        print(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
