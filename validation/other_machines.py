"""Does this machine leave the bytes that another one left?

    python -m validation.other_machines [--write]

Three runs of some seconds are executed: MPTCP over two lossy paths through routers, the
same on the fabric with RED and a capacity that changes, and a permutation in a FatTree
whose flows draw their paths. `other_machines.json` has the SHA-256 of every artefact of
these runs, and the machine on which they were written. With another C library, CPU or
compiler they must be the same, in the same root image: programs of other versions draw
more or fewer random numbers. validation/test_other_machines.py compares them too.

A change of the guest's kernel or programs may change what runs leave. Whoever means
that writes the file again with `--write`, and says why.

The exit status is 1 if a run leaves other bytes.
"""

import argparse
import datetime
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from jobs import dump
from mpbench.backends import roots
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from validation.other_hosts import differing, on_this_host, summary

FILE = Path(__file__).with_suffix(".json")
LOSSY = """\
name: other-machines
topology: two_path
parameters: {path1.loss: 1 %, path2.loss: 0.5 %, path1.jitter: 1 ms}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 3 s}
"""
ON_FABRIC = """
fabric: true
links:
  path1: {discipline: red}
changes:
  path2:
    at:
      1 s: {capacity: 5 Mbit/s}
      2 s: {capacity: 10 Mbit/s}
"""
FATTREE = """\
name: other-machines
topology: fattree-k4
fabric: {choose: random}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt,
          path_manager: {name: ndiffports, subflows: 4}}
traffic:
  - {tool: flows, from: hosts, to: permutation, duration: 1 s,
     start: {min: 0 s, max: 0.1 s}}
"""
RUNS = {"routers": LOSSY, "fabric": LOSSY + ON_FABRIC, "fattree": FATTREE}

Hashes = dict[str, dict[str, str]]
"""The SHA-256 of each artefact, by run and artefact."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="keep what runs leave here"
    )
    writes = parser.parse_args().write
    with tempfile.TemporaryDirectory(prefix="mpbench-machines-") as folder:
        found = {name: left_by(name, Path(folder)) for name in RUNS}
    if writes:
        keep(found)
    status = 0
    if not same_image():
        print("the root image is another one, so some bytes will differ")
    for name, kept in known().items():
        other = differing(kept, found[name])
        status |= bool(other)
        verdict = f"OTHER: {other}" if other else "same bytes"
        print(f"{name:<8} {summary(found[name])} {verdict}")
    return status


def job(name: str) -> dict[str, Any]:
    (run,) = make_plan(loads(RUNS[name]), {}).runs
    return dump(run.job)


def left_by(name: str, folder: Path) -> dict[str, str]:
    """The hash of each artefact of a run that is executed below `folder`."""
    return on_this_host(job(name), folder / name)


def known() -> Hashes:
    """Results that another machine left."""
    runs: Hashes = json.loads(FILE.read_text())["runs"]
    return runs


def same_image() -> bool:
    """Whether the root image is that in which the other machine's guests ran."""
    written = json.loads(FILE.read_text())["written"]
    return bool(written["image"] == identity()["image"])


def identity() -> dict[str, str]:
    return dict(VirtualBackend(root=roots.IMAGE).identity())


def keep(found: Hashes) -> None:
    """Write what this machine left, and what machine it is."""
    cpu = next(
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    )
    written = {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu,
        **{key: identity()[key] for key in ("kernel", "image")},
    }
    text = json.dumps({"written": written, "runs": found}, indent=1, sort_keys=True)
    FILE.write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
