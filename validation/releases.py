"""Do the other releases of Linux run in virtual time as mpbench's own does?

    python -m validation.releases [--json FILE] [RELEASE...]

For each RELEASE (all if none is given) the kernel is built, which takes minutes the
first time, and asked for its features in a guest. Then the runs of `releases.yaml` are
executed twice: MPTCP over two links of 10 Mbit/s, without loss and with random loss,
with captures. Both executions must leave the same bytes, and the goodput without loss
must be within 1 % of that of mpbench's own Linux without its network code. The features
that a release has beyond that Linux, or lacks, are listed: schedulers, controllers,
sysctls and counters.

The exit status is 1 if a release fails.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from analysis.run.row import row
from jobs import Job, dump
from mpbench import kernel
from mpbench.backends import features
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.features import Features
from mpbench.backends.virtual import VirtualBackend
from mpbench.experiment_files import load
from mpbench.kernel import variants
from mpbench.plan import make_plan

FILE = Path(__file__).with_name("releases.yaml")
OWN = "stock"
"""The case with mpbench's own Linux."""
MOST_PERCENT = 1.0
BOUNDS = Bounds(virtual_s=120.0, wall_s=600.0, silence_s=300.0)
LISTS = ("schedulers", "controllers", "sysctls", "counters")


@dataclass(frozen=True)
class Outcome:
    """The runs of a release.

    version : of Linux, as its kernel says
    key : of the kernel
    goodput_mbps : of each run, in the order of the plan
    same : whether both executions of each run left the same bytes
    more, lacks : features by kind, against mpbench's own Linux
    """

    version: str
    key: str
    goodput_mbps: list[float]
    same: bool
    more: dict[str, list[str]]
    lacks: dict[str, list[str]]


def main(argv: Sequence[str] | None = None) -> int:
    plan = make_plan(load(FILE), {})
    cases = dict.fromkeys(run.case for run in plan.runs)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    choices = [case for case in cases if case != OWN]
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help=str(choices))
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args(argv)
    for name in given.releases:
        if name not in choices:
            parser.error(f"{name}: not among {', '.join(choices)}")
    wanted = [OWN, *(given.releases or choices)]
    backend, built = VirtualBackend(), kernel.find()
    found: dict[str, Outcome] = {}
    own: Features | None = None
    for case in wanted:
        jobs = [run.job for run in plan.runs if run.case == case]
        linux = jobs[0].linux
        assert linux is not None
        backend.check(jobs)
        variant = variants.find(built, linux, may_compile=False)
        has = features.of(variant.folder, linux.words, not_asked)
        own = own or has
        found[case] = outcome(backend, variant, has, own, jobs)
        print(sentence(case, found[case], found[OWN]), flush=True)
    if given.json:
        text = json.dumps({name: asdict(one) for name, one in found.items()}, indent=1)
        given.json.write_text(text + "\n")
    return int(any(faults(one, found[OWN]) for one in found.values()))


def not_asked(folder: Path, bounds: Bounds) -> Exit:
    """Stand for a guest that says what it has: it was asked when it was built."""
    raise SystemExit(f"{folder}: the features of the kernel are not kept")


def outcome(
    backend: VirtualBackend,
    variant: kernel.Kernel,
    has: Features,
    own: Features,
    jobs: Sequence[Job],
) -> Outcome:
    """Execute the runs twice.

    own : the features of mpbench's own Linux
    """
    once = [execute(backend, job) for job in jobs]
    again = [execute(backend, job) for job in jobs]
    return Outcome(
        version=has.release,
        key=variant.key,
        goodput_mbps=[goodput for _, goodput in once],
        same=[hashes for hashes, _ in once] == [hashes for hashes, _ in again],
        more=beyond(has, own),
        lacks=beyond(own, has),
    )


def execute(backend: VirtualBackend, job: Job) -> tuple[dict[str, str], float]:
    """The hash of each artefact of a run, and its goodput in Mbit/s."""
    with tempfile.TemporaryDirectory(prefix="mpbench-releases-") as scratch:
        folder = Path(scratch)
        artefacts = folder / "artefacts"
        artefacts.mkdir()
        (folder / "job.json").write_text(json.dumps(dump(job)))
        silent = threading.Event()
        ended = backend.execute(job, folder, None, BOUNDS, lambda _: None, silent)
        measured = row(folder)
        if ended.status != "finished" or measured["verdict"] != "ok":
            reason = ended.reason or measured["reason"]
            raise SystemExit(f"a run: {ended.status}, {measured['verdict']}: {reason}")
        hashes = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(artefacts.iterdir())
        }
        return hashes, float(measured["goodput_mbps"])


def beyond(one: Features, other: Features) -> dict[str, list[str]]:
    """The features that only the first of two kernels has, by kind."""
    found = {
        kind: sorted(set(getattr(one, kind)) - set(getattr(other, kind)))
        for kind in LISTS
    }
    return {kind: names for kind, names in found.items() if names}


def difference_percent(one: Outcome, own: Outcome) -> float:
    """Difference in goodput without loss, percent of that of mpbench's own Linux."""
    return 100 * (one.goodput_mbps[0] / own.goodput_mbps[0] - 1)


def faults(one: Outcome, own: Outcome) -> list[str]:
    """Reasons why a release fails; empty if it does not."""
    found = [] if one.same else ["two executions left other bytes"]
    if abs(difference_percent(one, own)) > MOST_PERCENT:
        found.append(f"goodput differs by more than {MOST_PERCENT:g} %")
    return found


def sentence(case: str, one: Outcome, own: Outcome) -> str:
    """The figures of a release in a few lines."""
    rates = ", ".join(f"{rate:.3f}" for rate in one.goodput_mbps)
    lines = [
        f"{case}: Linux {one.version}, kernel {one.key}: {rates} Mbit/s"
        f" ({difference_percent(one, own):+.2f} % without loss);"
        f" {'; '.join(faults(one, own)) or 'same bytes twice'}"
    ]
    for word, listed in (("more", one.more), ("lacks", one.lacks)):
        lines += [
            f"    {word} {kind}: {', '.join(names)}" for kind, names in listed.items()
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
