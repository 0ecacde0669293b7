"""Measure the virtual lab's speed: virtual seconds per second of one pinned core.

    python -m benchmarks.virtual_lab_speed [--cpu N] [--repetitions 5] [--json]
        [--read {packet,coalesced}] [--read-bytes 16384]

Measured are 30 s of iperf3 over MPTCP (lia, lowrtt) through `two_path` at three
capacities, and a run without traffic: boot, network, teardown. Each run is executed as
the engine executes it. Wall time is meaningful on an idle machine only. The CPU time of
the guest's processes stands beside it, because other load changes it less.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import topologies
from mpbench.backends import virtual
from mpbench.engine.bounds import bounds
from topologies.shaping import to_json

DURATION_S = 30.0
AIMS = {10: 30.0, 50: 20.0, 100: 12.0}
"""The aim at each capacity: Mbit/s of each path to virtual seconds per wall second."""
EMPTY_AIM_S = 0.3


@dataclass(frozen=True)
class Measured:
    """Times of one kind of run over its repetitions, in seconds."""

    name: str
    aim: str
    wall_min_s: float
    wall_median_s: float
    cpu_min_s: float
    cpu_median_s: float
    ratio: float | None
    goodput_mbps: float | None


def job(capacity_mbps: float, traffic: list[dict[str, Any]]) -> dict[str, Any]:
    """The job of a run over two equal paths of 10 ms with queues of 50 ms."""
    parameters = topologies.describe("two_path").defaults()
    for path in (1, 2):
        parameters[f"path{path}.capacity_mbps"] = capacity_mbps
        parameters[f"path{path}.queueing_delay_ms"] = 50.0
    return {
        "format": 2,
        "seed": 1,
        "topology": "two_path",
        "parameters": parameters,
        "links": to_json(topologies.resolve("two_path", parameters)),
        "transport": {
            "protocol": "mptcp",
            "congestion_control": "lia",
            "scheduler": "lowrtt",
            "path": None,
            "path_manager": "fullmesh",
            "sysctls": {},
        },
        "traffic": traffic,
        "time_limit_s": 2 * DURATION_S,
    }


def bulk(read: str, read_bytes: int) -> list[dict[str, Any]]:
    return [
        {
            "tool": "iperf3",
            "from": "client",
            "to": "server",
            "duration_s": DURATION_S,
            "bytes": None,
            "reverse": False,
            "parallel": 1,
            "start_s": 0.0,
            "interval_s": 1.0,
            "port": 5201,
            "read": read,
            "read_bytes": read_bytes,
        }
    ]


def execute(asked: dict[str, Any], cpu: int) -> tuple[float, float, float | None]:
    """Wall and CPU seconds of one execution, and its goodput in Mbit/s."""
    backend = virtual.create()
    backend.identity()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "artefacts").mkdir()
        (directory / "job.json").write_text(json.dumps(asked))
        before, began_s = children_s(), time.monotonic()
        ended = backend.execute(
            asked, directory, cpu, bounds(asked), lambda _: None, threading.Event()
        )
        wall_s, cpu_s = time.monotonic() - began_s, children_s() - before
        if ended.status != "finished":
            console = (directory / "artefacts" / "console.log").read_text()
            raise SystemExit(f"{ended.status}: {ended.reason}\n{console[-2000:]}")
        return wall_s, cpu_s, goodput_mbps(directory / "artefacts")


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def goodput_mbps(artefacts: Path) -> float | None:
    server = artefacts / "traffic-0-server.json"
    if not server.exists():
        return None
    end = json.loads(server.read_text())["end"]
    return float(end["sum_received"]["bits_per_second"]) / 1e6


def measure(options: argparse.Namespace) -> Iterator[Measured]:
    def over(
        name: str, aim: str, virtual_s: float | None, asked: dict[str, Any]
    ) -> Measured:
        runs = [execute(asked, options.cpu) for _ in range(options.repetitions)]
        wall = [run[0] for run in runs]
        cpu = [run[1] for run in runs]
        return Measured(
            name,
            aim,
            min(wall),
            statistics.median(wall),
            min(cpu),
            statistics.median(cpu),
            virtual_s / statistics.median(wall) if virtual_s else None,
            runs[0][2],
        )

    yield over("empty", f"{EMPTY_AIM_S:g} s", None, job(10.0, []))
    for capacity, aim in AIMS.items():
        traffic = bulk(options.read, options.read_bytes)
        name = f"2 x {capacity} Mbit/s"
        yield over(name, f"{aim:g} x", DURATION_S, job(float(capacity), traffic))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--read", choices=("packet", "coalesced"), default="coalesced")
    parser.add_argument("--read-bytes", type=int, default=16384)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    if not options.json:
        print(
            f"{'run':>15} {'wall s: min':>12} {'median':>7} {'CPU s: min':>11}"
            f" {'median':>7} {'ratio':>6} {'aim':>6} {'Mbit/s':>7}"
        )
    for measured in measure(options):
        if options.json:
            print(json.dumps(asdict(measured)), flush=True)
            continue
        ratio = f"{measured.ratio:.1f}" if measured.ratio else "-"
        goodput = f"{measured.goodput_mbps:.2f}" if measured.goodput_mbps else "-"
        print(
            f"{measured.name:>15} {measured.wall_min_s:12.2f}"
            f" {measured.wall_median_s:7.2f} {measured.cpu_min_s:11.2f}"
            f" {measured.cpu_median_s:7.2f} {ratio:>6}"
            f" {measured.aim:>6} {goodput:>7}",
            flush=True,
        )


if __name__ == "__main__":
    main()
