"""Measure whole segments at gigabit rates, and through paths of several links.

    python -m benchmarks.offload_links [--rounds N] [--only WORD...] [--seconds FACTOR]
        [--markdown]

The runs send with `read: bulk` (`cubic`, and `lowrtt` with MPTCP) over paths of the
fabric, of one link or of three equal ones, with a delay of 5 ms in all and queues of
20 ms. Per round, each network is executed with single frames and with each gather time.
Printed are, per gather time, the median over the rounds of the CPU time of a guest over
that of single frames in the same round, virtual seconds per CPU second by the least
time, goodput and dropped frames. `--markdown` leaves out the speed, which is that of
this machine. `--seconds 0.1` shortens all runs.
"""

import argparse
import json
import os
import statistics
from dataclasses import dataclass
from typing import Any

from benchmarks.offload_speed import GATHERED, OFF, VIRTUAL_S, measured
from jobs import dump
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

DELAY_MS, QUEUE_MS = 5.0, 20.0
"""Delay of a path, one way, and the time that each full queue takes."""
HEAD = ("network", "gather", "CPU time over off", "goodput, Mbit/s", "dropped frames")
SPEED = "virtual s per CPU s"


@dataclass(frozen=True)
class Paths:
    """Equal paths of equal links.

    links : of each path
    aims : virtual seconds per CPU second that the project aims at, by gather time
    """

    count: int
    mbps: int
    links: int
    duration_s: float
    aims: dict[str, float]

    @property
    def name(self) -> str:
        rate = f"{self.mbps // 1000} Gbit/s" if self.mbps >= 1000 else "100 Mbit/s"
        kind = "TCP" if self.count == 1 else f"MPTCP, {self.count} x"
        links = "" if self.links == 1 else f", {self.links} links per path"
        return f"{kind} {rate}{links}"

    def text(self, factor: float) -> str:
        """The experiment. factor : of the duration"""
        names = [
            [f"p{path}l{link}" for link in range(1, self.links + 1)]
            for path in range(1, self.count + 1)
        ]
        link = (
            f"{{capacity: {self.mbps} Mbit/s, delay: {DELAY_MS / self.links:g} ms,"
            f" queueing_delay: {QUEUE_MS:g} ms}}"
        )
        listed = ", ".join(f"{name}: {link}" for path in names for name in path)
        paths = ", ".join(map(" ".join, names))
        case = "{protocol: tcp, congestion_control: cubic}"
        if self.count > 1:
            case = "{protocol: mptcp, congestion_control: cubic, scheduler: lowrtt}"
        return "\n".join(
            [
                "name: offload-links",
                "fabric: true",
                "network:",
                f"  links: {{{listed}}}",
                f"  users: {{u: {{paths: [{paths}], to: s}}}}",
                f"cases: {{only: {case}}}",
                "traffic:",
                "  - {tool: iperf3, from: u, to: s, read: bulk,"
                f" duration: {self.duration_s * factor:g} s}}",
            ]
        )


NETWORKS = (
    Paths(2, 100, 1, 30.0, {"1 ms": 40.0}),
    Paths(2, 100, 3, 30.0, {"1 ms": 40.0}),
    Paths(2, 1000, 1, 20.0, {"100 us": 7.0, "1 ms": 10.0}),
    Paths(2, 1000, 3, 20.0, {}),
    Paths(1, 10_000, 1, 2.0, {"100 us": 2.5}),
    Paths(1, 10_000, 3, 2.0, {}),
)


def drops(row: dict[str, Any]) -> int:
    """Frames that queues dropped, on all links."""
    return sum(int(row[key] or 0) for key in row if key.endswith(".queue_drops"))


def lines(paths: Paths, rounds: int, factor: float) -> list[tuple[str, ...]]:
    """The lines of a network, one per gather time."""
    backend = VirtualBackend()
    backend.identity()
    (run,) = make_plan(loads(paths.text(factor)), {}).runs
    job = dump(run.job)
    took: dict[str, list[float]] = {name: [] for name in GATHERED}
    rows: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for name, more in GATHERED.items():
            own = {**job, "fabric": {**job["fabric"], **more}}
            spent, rows[name] = measured(backend, own)
            took[name].append(spent)
    found: list[tuple[str, ...]] = []
    for name, each in took.items():
        ratio = statistics.median(a / b for a, b in zip(each, took[OFF], strict=True))
        speed = f"{rows[name][VIRTUAL_S] / min(each):.1f}"
        if name in paths.aims:
            speed += f" (aim {paths.aims[name]:g})"
        goodput = f"{rows[name]['goodput_mbps']:.4g}"
        dropped = str(drops(rows[name]))
        found.append((paths.name, name, f"{ratio:.2f}", goodput, dropped, speed))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="parts of the names of networks")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="FACTOR")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    head = HEAD if asked.markdown else (*HEAD, SPEED)
    if asked.markdown:
        print(f"| {' | '.join(head)} |\n|---|---|---:|---:|---:|", flush=True)
    else:
        print(f"load {os.getloadavg()[0]:.1f}; {json.dumps(head)}", flush=True)
    for paths in NETWORKS:
        if asked.only and not any(word in paths.name for word in asked.only):
            continue
        for line in lines(paths, asked.rounds, asked.seconds):
            words = f"| {' | '.join(line[:-1])} |"
            print(words if asked.markdown else json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
