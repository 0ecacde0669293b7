"""Measure the capture analyser beside tshark: packets per second, and memory.

    python -m benchmarks.capture_speed [--packets N] [--rounds N] [--gib N]
        [--flows N]

Both read the same generated capture, which has headers only: MPTCP over four subflows.
Both are pinned to one CPU. The analyser computes all metrics and a time series of
0.1 s; tshark extracts the fields that such metrics need. With `--gib`, the analyser
reads one capture of that size, so that its memory can be seen; the file is removed.
With `--flows`, `mpbench analyse` reads that many TCP connections of three packets each.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

GENERATOR = "tests.capture.generated"
FLOWS = "tests.capture.generated_flows"
ROOT = Path(__file__).parents[1]
RECORD_BYTES = 106

FIELDS = (
    "frame.time_epoch",
    "frame.len",
    "ip.src",
    "ip.dst",
    "tcp.stream",
    "tcp.len",
    "tcp.seq",
    "tcp.ack",
    "tcp.flags",
    "tcp.analysis.retransmission",
    "tcp.analysis.ack_rtt",
    "tcp.analysis.bytes_in_flight",
    "tcp.options.mptcp.rawdataseqno",
    "tcp.options.mptcp.rawdataack",
    "tcp.options.mptcp.datalvllen",
    "mptcp.stream",
)
ANALYSE = """
import resource, sys, time
from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import frames
cpu, wall = time.process_time(), time.perf_counter()
found = frames(analyse(sys.argv[1:], settings=Settings(interval_s=0.1)))
print(time.process_time() - cpu, time.perf_counter() - wall,
      int(found.subflows.packets.sum()), len(found.series))
"""


@dataclass(frozen=True)
class Took:
    """CPU time and memory of one program.

    cpu_s, wall_s : time of the analysis, or of the whole tshark process
    peak_mib : highest memory of the process
    """

    cpu_s: float
    wall_s: float
    peak_mib: float
    said: str


def timed(argv: list[str]) -> Took:
    """Run a program on one CPU and measure only its own resources."""
    pinned = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *argv]
    began = time.perf_counter()
    process = subprocess.Popen(pinned, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{argv[0]}: exit status {status}")
    wall_s = time.perf_counter() - began
    return Took(used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024, said)


def write(capture: Path, packets: int) -> int:
    """Generate a capture in a separate process, and return its size in bytes.

    A child's peak memory starts at what its parent uses, so this process stays small.
    """
    argv = [sys.executable, "-m", GENERATOR, str(capture), str(packets)]
    done = subprocess.run(argv, cwd=ROOT, check=True, capture_output=True)
    return int(done.stdout)


def ours(capture: Path) -> Took:
    took = timed([sys.executable, "-c", ANALYSE, str(capture)])
    cpu_s, wall_s, packets, intervals = took.said.split()
    said = f"{packets} packets in subflows, {intervals} intervals"
    return Took(float(cpu_s), float(wall_s), took.peak_mib, said)


def tshark(capture: Path) -> Took:
    options = [word for name in FIELDS for word in ("-e", name)]
    shell = ["tshark", "-r", str(capture), "-T", "fields", *options]
    took = timed(["sh", "-c", 'exec "$@" > /dev/null 2>&1', "sh", *shell])
    return took


def show(name: str, took: Took, packets: int) -> None:
    print(
        f"{name:8s} {packets / took.cpu_s:12,.0f} packets/s of CPU time"
        f" {packets / took.wall_s:12,.0f} of wall time"
        f" {took.peak_mib:8.0f} MiB  {took.said}",
        flush=True,
    )


def speed(folder: Path, packets: int, rounds: int) -> None:
    capture = folder / "generated.pcap"
    size = write(capture, packets)
    print(f"{packets:,} packets, {size / 1e6:,.0f} MB, {RECORD_BYTES} bytes per record")
    best: dict[str, Took] = {}
    for _ in range(rounds):
        took = ours(capture)
        show("mpbench", took, packets)
        best["ours"] = min(best.get("ours", took), took, key=lambda each: each.cpu_s)
    if shutil.which("tshark"):
        took = tshark(capture)
        show("tshark", took, packets)
        print(f"mpbench is {took.cpu_s / best['ours'].cpu_s:.0f} times as fast")
    else:
        print("tshark is not installed; nothing to compare with")
    capture.unlink()


def memory(folder: Path, gib: float) -> None:
    capture = folder / "large.pcap"
    packets = int(gib * 2**30 / RECORD_BYTES)
    if shutil.disk_usage(folder).free < gib * 2**30 * 1.1:
        sys.exit(f"{folder}: not enough space for {gib:g} GiB; set TMPDIR")
    try:
        size = write(capture, packets)
        print(f"{size / 2**30:.2f} GiB, {packets:,} packets")
        show("mpbench", ours(capture), packets)
    finally:
        capture.unlink(missing_ok=True)


def flows(folder: Path, connections: int, rounds: int) -> None:
    """The whole command, for its start-up is short beside so many connections."""
    capture = folder / "flows.pcap"
    argv = [sys.executable, "-m", FLOWS, str(capture), str(connections)]
    subprocess.run(argv, cwd=ROOT, check=True, capture_output=True)
    command = [sys.executable, "-m", "mpbench.cli", "analyse", str(capture)]
    for _ in range(rounds):
        took = timed(command)
        first = took.said.partition("\n")[0]
        show("mpbench", replace(took, said=first), 3 * connections)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packets", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gib", type=float, default=0.0)
    parser.add_argument("--flows", type=int, default=0)
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs", flush=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="mpbench-capture-") as folder:
        if asked.flows:
            flows(Path(folder), asked.flows, asked.rounds)
        elif asked.gib:
            memory(Path(folder), asked.gib)
        else:
            speed(Path(folder), asked.packets, asked.rounds)


if __name__ == "__main__":
    main()
