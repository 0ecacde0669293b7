"""Measure machines in QEMU: goodput beside guests, and virtual seconds per CPU second.

    python -m benchmarks.qemu_machine [--results FOLDER] [--markdown]

Executes experiments/outside/qemu-releases.yaml, or reads its results from FOLDER. The
seconds are those of the CPU time, user and system, of all processes of a run. Virtual
seconds count from the boot of a machine, as the last line of its console has them, and
from the first step of the guest's code in a guest.

`--markdown` prints a table for docs/qemu.md.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError
from mpbench.store import campaign, layout, runs

FILE = Path(__file__).parents[1] / "experiments/outside/qemu-releases.yaml"
PROTOCOLS = ("tcp", "mptcp")
DOWN = re.compile(r"^\[ *(\d+\.\d+)\] reboot: Power down", re.M)
GUEST = "a guest of the virtual lab, 7.3.4"


@dataclass(frozen=True)
class Measured:
    """A run: its case, goodput in Mbit/s, virtual seconds and CPU seconds."""

    case: str
    goodput_mbps: float
    virtual_s: float
    cpu_s: float

    @property
    def release(self) -> str:
        """The release of Debian's kernel; empty for a guest."""
        return self.case.partition("-")[2]


def main() -> None:
    """Print a line per run, or the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, help="results of an earlier execution")
    parser.add_argument("--markdown", action="store_true", help="a table")
    options = parser.parse_args()
    if options.results:
        found = read(options.results)
    else:
        with tempfile.TemporaryDirectory(prefix="mpbench-qemu-") as work:
            argv = [
                sys.executable,
                "-m",
                "mpbench.cli",
                "run",
                str(FILE),
                "--out",
                work,
            ]
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
            found = read(Path(work))
    if options.markdown:
        print(markdown(found))
        return
    for one in found:
        print(
            f"{one.case:<12} {one.goodput_mbps:.3f} Mbit/s, {speed([one]):.2f} v. s/s"
        )


def read(folder: Path) -> list[Measured]:
    """The runs of a results folder, in the order of the plan.

    Raises UserError if one is missing or not ok.
    """
    results = layout.Results(folder)
    found = []
    for entry in campaign.read(results.campaign).plan:
        stored = runs.read(results, entry.id)
        if stored is None or stored.row is None or stored.row["verdict"] != "ok":
            raise UserError(f"{folder}: {entry.case}: no run that is ok")
        ended = runs.read_host(results, entry.id).exit
        console = results.run(entry.id).artefacts / "console.log"
        down = DOWN.search(console.read_text(errors="replace"))
        virtual_s = float(down[1]) if down else ended.virtual_s
        goodput = float(stored.row["goodput_mbps"])
        cpu_s = float(ended.cpu_s or ended.wall_s)
        found.append(Measured(entry.case, goodput, virtual_s, cpu_s))
    return found


def speed(measured: Sequence[Measured]) -> float:
    """Virtual seconds per CPU second of some runs together."""
    return sum(one.virtual_s for one in measured) / sum(one.cpu_s for one in measured)


def markdown(measured: Sequence[Measured]) -> str:
    """A row per kernel, with the goodput of both protocols and the speed."""
    lines = [
        "| kernel | TCP, Mbit/s | MPTCP, Mbit/s | virtual s per CPU s |",
        "|---|---|---|---|",
    ]
    for release in dict.fromkeys(one.release for one in measured):
        here = [one for one in measured if one.release == release]
        name = f"Debian's {release} in QEMU" if release else GUEST
        goodputs = {one.case.partition("-")[0]: one.goodput_mbps for one in here}
        cells = [name, *(f"{goodputs[p]:.3f}" for p in PROTOCOLS), f"{speed(here):.2g}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
