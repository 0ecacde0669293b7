"""TP2 in a BCube with the TCP of a simulator, and with one thing changed at a time.

    python -m studies.cube_packets [--seeds 2] [--only WORD...]

Wischik et al. (NSDI 2011, sec. 4) give 297 Mbit/s per host for a single path, 229 for
EWTCP and 272 for MPTCP. cube_packets.c has nothing of a kernel: its TCP follows htsim,
the public simulator of the paper's authors. Printed are the goodput of a host, and x,
the rate of a subflow over a long path over that of one over a short path. Means are
those of the seeds. studies/notes/fabric.md compares them with the guest.
"""

import argparse
import statistics
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
HOSTS, PORTS = 125, 3
LINK_MBPS = 100.0
BEGIN_S, END_S = 4.0, 8.0
SLOW_MS = 200.0
"""The shortest timeout of Linux."""


@dataclass(frozen=True)
class Ways:
    """Behaviour of TCP and queues; cube_packets.c explains the switches.

    ewtcp_a : EWTCP's a, for three subflows
    """

    tail: int = 3
    victim: bool = False
    feeder: bool = True
    each: bool = True
    least_ms: float = 1
    floor: int = 1
    ewtcp_a: float = 1 / PORTS**2

    def __str__(self) -> str:
        switches = f"{self.tail} {self.victim:d} {self.feeder:d} {self.each:d}"
        return f"{switches} {self.least_ms} {self.floor} {self.ewtcp_a}"


@dataclass(frozen=True)
class Found:
    """Output of a run.

    goodput_mbps : of a host
    long_over_short : ratio of the rates of a subflow
    loss_percent, timeouts_per_s : of subflows over short and over long paths; timeouts
        of all of them together
    """

    goodput_mbps: float
    long_over_short: float
    loss_percent: tuple[float, float]
    timeouts_per_s: tuple[float, float]


SIMULATOR = Ways()
LINUX = Ways(each=False, least_ms=SLOW_MS, floor=2, ewtcp_a=1 / sqrt(PORTS))
VARIANTS: Mapping[str, Ways] = {
    "simulator": SIMULATOR,
    "every second packet acknowledged": Ways(each=False),
    "timeouts after 200 ms at the earliest": Ways(least_ms=SLOW_MS),
    "windows of two packets at least": Ways(floor=2),
    "a = 1/sqrt(N)": Ways(ewtcp_a=LINUX.ewtcp_a),
    "these four": LINUX,
    "no queue for what a host sends": Ways(feeder=False),
    "drop tail": Ways(tail=0),
    "drop tail, no queue for what a host sends": Ways(tail=0, feeder=False),
    "the same, and any waiting packet is dropped": Ways(
        tail=0, feeder=False, victim=True
    ),
    "the same, and the four": replace(LINUX, tail=0, feeder=False, victim=True),
}


def build(folder: Path) -> Path:
    """Compile the simulator into a folder."""
    program = folder / SOURCE.stem
    command = ["cc", "-O2", "-o", str(program), str(SOURCE), "-lm"]
    subprocess.run(command, check=True)
    return program


def run(
    program: Path,
    seed: int,
    law: str,
    ways: Ways = SIMULATOR,
    hosts: int = HOSTS,
    begin_s: float = BEGIN_S,
    end_s: float = END_S,
) -> Found:
    """One run.

    law : `single`, `ewtcp` or `lia`
    hosts : 5, 25 or 125
    begin_s, end_s : between these, packets count
    """
    words = f"{seed} {law} {hosts} {ways} {begin_s} {end_s}".split()
    done = subprocess.run([program, *words], capture_output=True, check=True, text=True)
    values = [float(word) for word in done.stdout.split()]
    return Found(values[0], values[1], (values[2], values[3]), (values[4], values[5]))


def expected_mbps(long_over_short: float, ports: int = PORTS) -> float:
    """The goodput of a host whose links are full: a long path takes three hops."""
    others = (ports - 1) * long_over_short
    return ports * LINK_MBPS * (1 + others) / (1 + 3 * others)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="parts of the names of variants")
    given = parser.parse_args()
    seeds = range(1, given.seeds + 1)
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        single = [run(program, seed, "single").goodput_mbps for seed in seeds]
        print(f"a single path, simulator: {statistics.mean(single):.1f} Mbit/s")
        for name, ways in VARIANTS.items():
            if given.only and not any(word in name for word in given.only):
                continue
            words = []
            for law in ("ewtcp", "lia"):
                found = [run(program, seed, law, ways) for seed in seeds]
                mbps = statistics.mean(each.goodput_mbps for each in found)
                x = statistics.mean(each.long_over_short for each in found)
                words.append(f"{law} {mbps:.1f} Mbit/s, x {x:.3f}")
            print(f"{name}: {'; '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
