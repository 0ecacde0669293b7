"""Measure what each congestion controller costs: CPU time per segment that it sends.

    python -m benchmarks.controller_cost [--cpu N] [--repetitions 3]
        [--only NAME ...] [--json]

Measured are 30 s of iperf3 over MPTCP through `two_path` with 2 x 100 Mbit/s, 10 ms and
50 ms of queue. The CPU time is that of all processes of a guest. The segments are those
that the client's kernel sent, retransmissions included.

Each repetition is a round in which the controllers take turns. A round begins and ends
with `lia`, and the other controllers are divided by the mean of both. The ratio of a
controller is the median over the rounds, beside the least and the largest one. The aim
is a median of at most 1.4 for MPCC; the exit status is 1 if one is above.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.virtual_lab_speed import COALESCED, children_s, two_path
from jobs import load as load_job
from mpbench.backends import virtual
from mpbench.engine.bounds import bounds

CAPACITY_MBPS = 100
REFERENCE = "lia"
AIM = 1.4
LATENCY = {"net.mptcp.mpcc_variant": "1"}
TRANSPORTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "lia": ("lia", "lowrtt", {}),
    "cubic": ("cubic", "lowrtt", {}),
    "bbr": ("bbr", "paced", {}),
    "bbr by packet": ("bbr", "paced", {"net.mptcp.bbr_packet_pacing": "1"}),
    "mpcc loss": ("mpcc", "paced", {}),
    "mpcc latency": ("mpcc", "paced", LATENCY),
}
"""Controller, scheduler and sysctls by name."""


def asked(name: str) -> dict[str, Any]:
    """The job of a run under one transport."""
    control, scheduler, sysctls = TRANSPORTS[name]
    wanted = two_path(CAPACITY_MBPS, COALESCED)
    wanted["transport"] |= {
        "congestion_control": control,
        "scheduler": scheduler,
        "sysctls": {"net.ipv4.tcp_comp_sack_nr": "0", **sysctls},
    }
    return wanted


def execute(name: str, cpu: int) -> tuple[float, int]:
    """CPU seconds of one execution, and the segments that the client sent."""
    backend = virtual.create()
    backend.identity()
    wanted = asked(name)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        artefacts = directory / "artefacts"
        artefacts.mkdir()
        (directory / "job.json").write_text(json.dumps(wanted))
        before_s = children_s()
        job = load_job(wanted)
        ended = backend.execute(
            job, directory, cpu, bounds(job), lambda _: None, threading.Event()
        )
        if ended.status != "finished":
            raise SystemExit(f"{name}: {ended.status}: {ended.reason}")
        counters = json.loads((artefacts / "nstat-client.json").read_text())
        return children_s() - before_s, int(counters["kernel"]["TcpOutSegs"])


def us_per_segment(name: str, cpu: int) -> float:
    cpu_s, segments = execute(name, cpu)
    return cpu_s / segments * 1e6


def one_round(names: Sequence[str], cpu: int) -> dict[str, float]:
    """Microseconds per segment, by name; of the reference, the mean of both ends."""
    before = us_per_segment(REFERENCE, cpu)
    found = {name: us_per_segment(name, cpu) for name in names}
    return {REFERENCE: (before + us_per_segment(REFERENCE, cpu)) / 2, **found}


def summary(rounds: Sequence[Mapping[str, float]]) -> Iterator[dict[str, Any]]:
    """The line that is printed for each controller."""
    for name in rounds[0]:
        ratios = [each[name] / each[REFERENCE] for each in rounds]
        yield {
            "name": name,
            "us_per_segment": min(each[name] for each in rounds),
            "ratio": median(ratios),
            "least_ratio": min(ratios),
            "largest_ratio": max(ratios),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=tuple(TRANSPORTS), default=[])
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    options = parser.parse_args()
    if options.repetitions < 1:
        parser.error("--repetitions: at least 1")
    names = [n for n in options.only or TRANSPORTS if n != REFERENCE]
    rounds = [one_round(names, options.cpu) for _ in range(options.repetitions)]
    found = list(summary(rounds))
    for line in found:
        if options.json:
            print(json.dumps(line))
            continue
        print(
            f"{line['name']:>15} {line['us_per_segment']:6.2f} us per segment, "
            f"{line['ratio']:4.2f} of {REFERENCE} "
            f"({line['least_ratio']:.2f} to {line['largest_ratio']:.2f})"
        )
    mpcc = (line for line in found if line["name"].startswith("mpcc"))
    return int(any(line["ratio"] > AIM for line in mpcc))


if __name__ == "__main__":
    sys.exit(main())
