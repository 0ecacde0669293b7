"""Compare whole segments with single frames, and with Debian's kernel, on ten networks.

    python -m benchmarks.offload_networks [--duration S] [--only WORD...] [--qemu]
        [--markdown]

The networks have two paths of 1 to 1000 Mbit/s each. MPTCP (`cubic`, `lowrtt`) and TCP
on path 1 send through each of them, with single frames and with both gather times of
`benchmarks.offload_speed`, with `read: bulk`. Printed are goodput, smoothed round-trip
time, the share of path 1 and dropped frames. All runs have the same seed.

`--qemu` sends through three of the networks in Debian's unmodified kernel in QEMU
instead, beside guests on routers and on the fabric with single frames. MPTCP has the
scheduler `default` there.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.offload_speed import GATHERED, drops, measured
from jobs import dump
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

SPEC = """
name: offload-networks
topology: two_path
trace: 10 ms
parameters: {PARAMETERS}
cases:
  MPTCP: {protocol: mptcp, congestion_control: cubic, scheduler: SCHEDULER}
  TCP: {protocol: tcp, congestion_control: cubic, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: DURATION s, read: bulk}
"""
FABRIC = "fabric: true\n"
DEBIAN = """
kernels:
  debian: {linux: "7.3", machine: qemu}
"""
HEAD = ("network", "run", "hosts", "goodput, Mbit/s", "RTT, ms", "path 1", "drops")


@dataclass(frozen=True)
class OnePath:
    """mbps : capacity; delay_ms : one way; queue_ms : time that a full queue takes"""

    mbps: float
    delay_ms: float
    queue_ms: float

    def words(self, number: int) -> str:
        name = f"path{number}"
        return (
            f"{name}.capacity: {self.mbps:g} Mbit/s, {name}.delay: {self.delay_ms:g}"
            f" ms, {name}.queueing_delay: {self.queue_ms:g} ms"
        )


NETWORKS = {
    "2 x 1, queue 200 ms": (OnePath(1, 20, 200),) * 2,
    "2 x 10, queue 100 ms": (OnePath(10, 10, 100),) * 2,
    "20 + 5, queue 50 ms": (OnePath(20, 10, 50), OnePath(5, 40, 50)),
    "2 x 50, queue 50 ms": (OnePath(50, 10, 50),) * 2,
    "2 x 100, queue 30 ms": (OnePath(100, 25, 30),) * 2,
    "100 + 20, queue 20 ms": (OnePath(100, 5, 20), OnePath(20, 20, 20)),
    "2 x 300, queue 5 ms": (OnePath(300, 5, 5),) * 2,
    "2 x 1000, queue 20 ms": (OnePath(1000, 5, 20),) * 2,
    "2 x 1000, queue 2 ms": (OnePath(1000, 2, 2),) * 2,
    "2 x 1000, queue 1 ms": (OnePath(1000, 5, 1),) * 2,
}
IN_QEMU = ("2 x 1, queue 200 ms", "20 + 5, queue 50 ms", "2 x 50, queue 50 ms")


def text(name: str, duration_s: int, scheduler: str = "lowrtt") -> str:
    words = ", ".join(path.words(n) for n, path in enumerate(NETWORKS[name], 1))
    found = SPEC.replace("PARAMETERS", words).replace("SCHEDULER", scheduler)
    return found.replace("DURATION", str(duration_s))


def line(name: str, case: str, hosts: str, row: dict[str, Any]) -> tuple[str, ...]:
    def number(key: str, digits: str) -> str:
        value = row.get(key)
        return "" if value in (None, "") else format(float(value), digits)

    share = number("path1.share", ".3f") if case == "MPTCP" else ""
    rtt = number("srtt_ms", ".1f")
    return (
        name,
        case,
        hosts,
        number("goodput_mbps", ".4g"),
        rtt,
        share,
        str(drops(row)),
    )


def guests(name: str, duration_s: int) -> Iterator[tuple[str, ...]]:
    """The lines of a network: transports with single frames and whole segments."""
    backend = VirtualBackend()
    backend.identity()
    for run in make_plan(loads(FABRIC + text(name, duration_s)), {}).runs:
        job = dump(run.job)
        for hosts, more in GATHERED.items():
            own = {**job, "fabric": {**job["fabric"], **more}}
            yield line(name, run.case, hosts, measured(backend, own)[1])


def ways(name: str, duration_s: int) -> dict[str, str]:
    """The experiments that `--qemu` executes in a network, by what the hosts are."""
    plain = text(name, duration_s, "default")
    debian = plain.replace("cases:", f"{DEBIAN}cases:").replace("trace: 10 ms\n", "")
    debian = debian.replace("scheduler: default", "kernel: debian")
    debian = debian.replace("path: 1}", "path: 1, kernel: debian}")
    return {
        "routers": plain,
        "fabric": FABRIC + plain,
        "Debian's 7.3 in QEMU": debian,
    }


def in_qemu(name: str, duration_s: int) -> Iterator[tuple[str, ...]]:
    """The lines of a network: routers, the fabric, and Debian's kernel."""
    for hosts, spec in ways(name, duration_s).items():
        with tempfile.TemporaryDirectory(prefix="mpbench-offload-") as work:
            file, out = Path(work) / "offload-networks.yaml", Path(work) / "results"
            file.write_text(spec)
            argv = [sys.executable, "-m", "mpbench.cli", "run", str(file), "--out"]
            subprocess.run([*argv, str(out)], check=True, stdout=subprocess.DEVNULL)
            with (out / "runs.csv").open() as table:
                for row in csv.DictReader(table):
                    yield line(name, row["case"], hosts, row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--duration", type=int, default=10)
    parser.add_argument("--only", nargs="*", help="parts of the names of networks")
    parser.add_argument("--qemu", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    if asked.markdown:
        print(f"| {' | '.join(HEAD)} |\n|---|---|---|---:|---:|---:|---:|")
    for name in IN_QEMU if asked.qemu else NETWORKS:
        if asked.only and not any(word in name for word in asked.only):
            continue
        for each in (in_qemu if asked.qemu else guests)(name, asked.duration):
            print(f"| {' | '.join(each)} |" if asked.markdown else json.dumps(each))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
