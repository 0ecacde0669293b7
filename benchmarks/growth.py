"""Measure how the cost of a run grows with hosts and subflows.

    python -m benchmarks.growth [--seconds 5] [--skip 1] [--repetitions 1]
        [--points FILE] [--figure FILE]

FatTrees of 2, 16, 54 and 128 hosts run on the fabric. Each host sends to another one
over one connection of 1 to 8 subflows. Measured are the memory per connection, and the
CPU time per packet and link (an event of the fabric), with all that hosts, TCP, MPTCP
and programs do.

The first second is slow start, which is unlike the rest. So a run of `--skip` seconds
is subtracted from the CPU time and the events of the one of `--seconds`; with
`--skip 0` it is the run with the same network and no traffic. That run is always
subtracted from the memory. Memory is what the guest touched of its physical memory, at
most. Of several repetitions the least CPU time counts.

`--points` keeps each point in FILE, one JSON object per line, as soon as it is
measured. Points that FILE has already are not measured again, so the benchmark can be
interrupted.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.virtual_lab_speed import children_s, job
from jobs import load as load_job
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend

T = TypeVar("T")
PORTS = {2: 2, 4: 16, 6: 54, 8: 128}
"""The hosts of a FatTree by the ports of its switches."""
SUBFLOWS = (1, 2, 4, 8)
BOUNDS = Bounds(virtual_s=600.0, wall_s=36_000.0, silence_s=3_600.0)
"""Ample, because runs beside other work are slow."""
LARGE = 54
"""From so many hosts on, the memory of connections stands out from that of programs."""
SPEC = """\
name: growth
topology: fattree-k{ports}
cases:
  case: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt{more}}}
traffic:
  - {{tool: flows, from: hosts, to: permutation, duration: {seconds:g} s,
     start: {{min: 0 s, max: 0.1 s}}}}
"""
NOTHING = """\
traffic:
  - {tool: command, from: h1, to: h2, client: ["true"], duration: 1 s}
"""
"""A run has an entry of traffic at least: a program that ends at once."""


@dataclass(frozen=True)
class Spent:
    """Cost of one execution.

    events : packets that left a queue, over all links
    memory_kib : the most that a process of the guest had in memory
    """

    cpu_s: float
    events: int
    memory_kib: int


@dataclass(frozen=True)
class Point:
    """Cost of one connection per host; `seconds` and `skip` as in the options."""

    seconds: float
    skip: float
    hosts: int
    subflows: int
    events: int
    us_per_event: float
    kib_per_connection: float


@contextmanager
def executed(asked: dict[str, Any], cpu: int) -> Iterator[tuple[Path, float]]:
    """The folder of a job that was executed, and the CPU time of its guest in s."""
    with tempfile.TemporaryDirectory(prefix="mpbench-growth-") as folder:
        directory = Path(folder)
        (directory / "artefacts").mkdir()
        (directory / "job.json").write_text(json.dumps(asked))
        backend = VirtualBackend()
        backend.identity()
        before_s = children_s()
        ended = backend.execute(
            load_job(asked), directory, cpu, BOUNDS, lambda _: None, threading.Event()
        )
        if ended.status != "finished":
            raise RuntimeError(f"{ended.status}: {ended.reason}")
        yield directory, children_s() - before_s


def most_kib() -> int:
    """The most that a child of this process had in memory."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def apart(execute: Callable[[dict[str, Any], int], T], *given: Any) -> T:
    """Execute a job in a process of its own, whose children have no other memory."""
    context = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(execute, *given).result()


def spent(asked: dict[str, Any], cpu: int) -> Spent:
    with executed(asked, cpu) as (directory, cpu_s):
        listed = json.loads((directory / "artefacts" / "qdisc-end.json").read_text())
        events = sum(each["packets"] for each in listed["fabric"])
        return Spent(cpu_s, events, most_kib())


def least(asked: dict[str, Any], options: argparse.Namespace) -> Spent:
    """The repetition of a job that took the least CPU time."""
    runs = [apart(spent, asked, options.cpu) for _ in range(options.repetitions)]
    return min(runs, key=lambda run: run.cpu_s)


def measure(options: argparse.Namespace, known: list[Point]) -> Iterator[Point]:
    """The points, those that are known from `known`."""
    has = {(p.hosts, p.subflows): p for p in known if same_way(p, options)}
    for ports, hosts in PORTS.items():
        for subflows in SUBFLOWS:
            found = has.get((hosts, subflows)) or point(ports, subflows, options)
            tell(found)
            yield found


def same_way(point: Point, options: argparse.Namespace) -> bool:
    return (point.seconds, point.skip) == (options.seconds, options.skip)


def point(ports: int, subflows: int, options: argparse.Namespace) -> Point:
    def lasting(seconds: float) -> dict[str, Any]:
        return job(SPEC.format(ports=ports, seconds=seconds, more=more(subflows)))

    busy = least(lasting(options.seconds), options)
    idle = least(without_traffic(ports, subflows), options)
    first = least(lasting(options.skip), options) if options.skip else idle
    hosts, events = PORTS[ports], busy.events - first.events
    return Point(
        options.seconds,
        options.skip,
        hosts,
        subflows,
        events,
        (busy.cpu_s - first.cpu_s) / events * 1e6,
        (busy.memory_kib - idle.memory_kib) / hosts,
    )


def without_traffic(ports: int, subflows: int) -> dict[str, Any]:
    """The job of the same network in which nothing is sent."""
    text = SPEC.format(ports=ports, seconds=1, more=more(subflows))
    return job(text.partition("traffic:")[0] + NOTHING)


def more(subflows: int) -> str:
    """The words of a case about its subflows, beside the first."""
    if subflows == 1:
        return ""
    return f", path_manager: {{name: ndiffports, subflows: {subflows}}}"


def tell(point: Point) -> None:
    print(
        f"{point.hosts:4} hosts, {point.subflows} subflows: {point.events:9} events,"
        f" {point.us_per_event:5.2f} us each, {point.kib_per_connection:6.0f} KiB per"
        " connection",
        file=sys.stderr,
        flush=True,
    )


def draw(points: list[Point], file: Path) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for subflows in SUBFLOWS:
        mine = [point for point in points if point.subflows == subflows]
        hosts = [point.hosts for point in mine]
        label = f"{subflows} subflow" + ("s" if subflows > 1 else "")
        left.plot(hosts, [p.us_per_event for p in mine], "o-", label=label)
        large = [point for point in mine if point.hosts >= LARGE]
        memory = [point.kib_per_connection for point in large]
        right.plot([point.hosts for point in large], memory, "o-", label=label)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(PORTS.values()), [str(each) for each in PORTS.values()])
        axes.set_xlabel("hosts")
        axes.set_ylim(bottom=0)
    left.set_ylabel("CPU time per packet and link, µs")
    right.set_ylabel("memory per connection, KiB")
    left.legend()
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--skip", type=float, default=1.0)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--points", type=Path, help="where to keep the points")
    parser.add_argument("--figure", type=Path, help="where to draw the points")
    options = parser.parse_args()
    if not 0 <= options.skip < options.seconds:
        parser.error("--skip: less than --seconds work")
    kept, points = options.points, []
    lines = kept.read_text().splitlines() if kept and kept.exists() else []
    known = [Point(**json.loads(line)) for line in lines]
    for found in measure(options, known):
        points.append(found)
        if kept and found not in known:
            with kept.open("a") as file:
                file.write(json.dumps(asdict(found)) + "\n")
    if options.figure:
        draw(points, options.figure)


if __name__ == "__main__":
    main()
