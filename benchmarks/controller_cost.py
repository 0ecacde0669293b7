"""Measure what each congestion controller costs: CPU time per segment that it sends.

    python -m benchmarks.controller_cost [--cpu N] [--repetitions 3]
        [--only NAME ...] [--json]

Measured are 30 s of iperf3 over MPTCP through `two_path` with 2 x 100 Mbit/s, 10 ms and
50 ms of queue. The controllers take turns, so that other load meets all of them alike.
The CPU time is that of all processes of a guest, the minimum of the repetitions. The
segments are those that the client's kernel sent, retransmissions included.
"""

import argparse
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchmarks.virtual_lab_speed import COALESCED, children_s, two_path
from mpbench.backends import virtual
from mpbench.engine.bounds import bounds

CAPACITY_MBPS = 100
REFERENCE = "lia"
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
        ended = backend.execute(
            wanted, directory, cpu, bounds(wanted), lambda _: None, threading.Event()
        )
        if ended.status != "finished":
            raise SystemExit(f"{name}: {ended.status}: {ended.reason}")
        counters = json.loads((artefacts / "nstat-client.json").read_text())
        return children_s() - before_s, int(counters["kernel"]["TcpOutSegs"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    last = max(os.sched_getaffinity(0))
    parser.add_argument("--cpu", type=int, default=last, help="the CPU to pin to")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=tuple(TRANSPORTS), default=[])
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    options = parser.parse_args()
    names = dict.fromkeys([REFERENCE, *(options.only or TRANSPORTS)])
    least_us = dict.fromkeys(names, float("inf"))
    for _ in range(options.repetitions):
        for name in names:
            cpu_s, segments = execute(name, options.cpu)
            least_us[name] = min(least_us[name], cpu_s / segments * 1e6)
    for name, us in least_us.items():
        ratio = us / least_us[REFERENCE]
        if options.json:
            print(json.dumps({"name": name, "us_per_segment": us, "ratio": ratio}))
        else:
            print(f"{name:>15} {us:6.2f} us per segment, {ratio:4.2f} of {REFERENCE}")


if __name__ == "__main__":
    main()
