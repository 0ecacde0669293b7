"""Measure what `events.csv` costs: the CPU time of runs with and without it.

    python -m benchmarks.events_cost [--pairs N] [--experiment FILE] [--case NAME]

The runs are those of one case of an experiment file, on one core. In each pair, every
run is executed with events and without, one right after the other, and the first of
both alternates. Without, the guest's kernel is not told to write events; the code of
the guest is the same. Printed are user and system time of the guests of a pair, the
ratio of both ways, and whether all other files of each run are the same.
"""

import argparse
import hashlib
import json
import os
import statistics
import sys
import tempfile
import threading
from pathlib import Path

from jobs import Job, dump
from mpbench.backends import boot
from mpbench.backends.base import Bounds
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import load
from mpbench.plan import make_plan

FILE = "events.csv"
START = (
    "import sys; from mpbench.guest import events; from mpbench.guest.main import main"
)
WITHOUT = "events.make = lambda *_: None"
END = "sys.exit(main())"
WAYS = {
    True: (*boot.PYTHON, "-c", f"{START}; {END}"),
    False: (*boot.PYTHON, "-c", f"{START}; {WITHOUT}; {END}"),
}
"""Command of a guest, by whether its kernel writes events."""


def once(job: Job, noted: bool) -> tuple[float, str, int]:
    """CPU seconds of one execution, a digest of what it left beside events, and the
    number of events."""
    with tempfile.TemporaryDirectory(prefix="mpbench-events-") as name:
        folder = Path(name)
        artefacts = folder / "artefacts"
        artefacts.mkdir()
        (folder / "job.json").write_text(json.dumps(dump(job)))
        bounds = Bounds(virtual_s=job.time_limit_s, wall_s=600, silence_s=120)
        ended = VirtualBackend(argv=WAYS[noted]).execute(
            job,
            folder,
            min(os.sched_getaffinity(0)),
            bounds,
            lambda _: None,
            threading.Event(),
        )
        if ended.status != "finished" or ended.cpu_s is None:
            sys.exit(f"{ended.status}: {ended.reason}")
        file = artefacts / FILE
        if file.exists() is not noted:
            sys.exit(f"{FILE} is {'missing' if noted else 'there'}")
        digest = hashlib.sha256()
        for path in sorted(artefacts.iterdir()):
            if path.name != FILE:
                digest.update(path.name.encode() + path.read_bytes())
        events = len(file.read_text().splitlines()) - 1 if noted else 0
        return ended.cpu_s, digest.hexdigest(), events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--experiment", default="experiments/quickstart.yaml")
    parser.add_argument("--case", default="mptcp")
    asked = parser.parse_args()
    plan = make_plan(load(Path(asked.experiment)), {})
    jobs = [run.job for run in plan.runs if run.case == asked.case]
    if not jobs:
        sys.exit(f"{asked.experiment}: no case {asked.case}")
    ratios, counts, same = [], 0, True
    for number in range(asked.pairs):
        spent = {True: 0.0, False: 0.0}
        counts = 0
        for place, job in enumerate(jobs):
            digests = set()
            first = (number + place) % 2 == 0
            for noted in (first, not first):
                took, digest, events = once(job, noted)
                spent[noted] += took
                counts += events
                digests.add(digest)
            same = same and len(digests) == 1
        ratios.append(spent[True] / spent[False])
        print(
            f"pair {number + 1}: CPU {spent[True]:.2f} s with events,"
            f" {spent[False]:.2f} s without: {ratios[-1] - 1:+.1%}",
            flush=True,
        )
    print(
        f"{len(jobs)} runs with {counts} events; median of pairs"
        f" {statistics.median(ratios) - 1:+.1%}; all other files are"
        f" {'the same' if same else 'others'}"
    )


if __name__ == "__main__":
    main()
