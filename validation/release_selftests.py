"""Upstream's tests of MPTCP, of each release of Linux in its own kernel, over seeds.

    python -m validation.release_selftests [--only TEXT] [--seeds N] [--jobs 2]
        [--save FILE] [RELEASE...]

For each RELEASE of `releases.yaml` (all if none is given) the kernel is built, and its
own tests run in it. Releases have no changes of mpbench's to Linux's network code, and
neither IPv6 nor netfilter. With `--seeds N` each script runs N times. All that is
random in a guest follows from the seed, so a test that fails under some seeds fails
again under the same ones: the command prints them.

A test that fails is compared with the list of the kernel of experiments
(`kernel/selftests/guest.yaml`). The exit status is 1 if a test that is not in it fails
under every seed, or if a kernel reports a fault. `--save` writes the outcomes as JSON.
"""

import argparse
import fnmatch
import json
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from mpbench import kernel
from mpbench.experiment_files import load
from mpbench.kernel import variants
from mpbench.kernel.selftests import prepare
from mpbench.plan import make_plan
from tests.virtual import selftests
from tests.virtual.selftests import TESTS, Expected, Outcome, Release, Script
from validation.releases import FILE

CONFIG = "guest"
"""The kind of kernel whose options and list of expected failures releases share."""


@dataclass(frozen=True)
class Results:
    """One of upstream's tests in one release, over seeds.

    name : "SCRIPT: TEST"
    by_seed : "ok", "fail" or "skip"
    """

    name: str
    by_seed: Mapping[int, str]

    @property
    def failed(self) -> list[int]:
        """The seeds under which it failed."""
        return [seed for seed, result in self.by_seed.items() if result == "fail"]

    @property
    def unstable(self) -> bool:
        return 0 < len(self.failed) < len(self.by_seed)


def main(argv: Sequence[str] | None = None) -> int:
    plan = make_plan(load(FILE), {})
    kernels = {run.case: run.job.linux for run in plan.runs}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help=str([*kernels]))
    parser.add_argument("--only", default="", help="scripts whose name has this text")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 1 to this number")
    parser.add_argument("--jobs", type=int, default=2, help="guests at a time")
    parser.add_argument("--save", type=Path, help="file for the outcomes")
    given = parser.parse_args(argv)
    for name in given.releases:
        if name not in kernels:
            parser.error(f"{name}: not among {', '.join(kernels)}")
    wrong = 0
    kept: dict[str, list[dict[str, object]]] = {}
    for name in given.releases or kernels:
        own = kernels[name]
        assert own is not None
        image = variants.find(kernel.find(), own, may_compile=True)
        tests = prepare(image, release=own.release)
        release = Release(image, tests)
        scripts = [
            script
            for script in TESTS[CONFIG]
            if given.only in script.name and release.has(script)
        ]
        seeds = range(1, given.seeds + 1)
        outcomes = list(run(release, scripts, seeds, given.jobs))
        lines, faults = judged(outcomes, selftests.expected(CONFIG))
        print(f"{name}: Linux {image.info['version']}, kernel {image.key}")
        print("".join(f"    {line}\n" for line in lines), end="", flush=True)
        wrong += faults
        kept[name] = [{"seed": seed, **asdict(one)} for seed, one in outcomes]
        if given.save:
            given.save.write_text(json.dumps(kept, indent=1) + "\n")
    return int(wrong > 0)


def run(
    release: Release, scripts: Sequence[Script], seeds: Sequence[int], jobs: int
) -> Iterator[tuple[int, Outcome]]:
    """Run each script under each seed, in a guest of its own.

    jobs : guests at a time; a single one is not pinned to a CPU
    """
    cancel = threading.Event()
    with (
        tempfile.TemporaryDirectory(prefix="selftests-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):
        started = [
            (
                seed,
                pool.submit(
                    selftests.run,
                    script,
                    CONFIG,
                    Path(scratch) / f"{number}-{seed}",
                    number % jobs if jobs > 1 else None,
                    cancel,
                    release,
                    seed,
                ),
            )
            for number, (script, seed) in enumerate(
                (script, seed) for script in scripts for seed in seeds
            )
        ]
        try:
            for seed, guest in started:
                yield seed, guest.result()
        finally:
            cancel.set()
            pool.shutdown(cancel_futures=True)


def by_test(outcomes: Sequence[tuple[int, Outcome]]) -> list[Results]:
    """The results of each test, by seed."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for seed, outcome in outcomes:
        for test, result in outcome.results.items():
            found[f"{outcome.script.name}: {test}"][seed] = result
    return [Results(name, results) for name, results in found.items()]


def judged(
    outcomes: Sequence[tuple[int, Outcome]], entries: Sequence[Expected]
) -> tuple[list[str], int]:
    """Sentences about a release, and the number of faults among them."""
    tests = by_test(outcomes)
    passed = sum(set(test.by_seed.values()) == {"ok"} for test in tests)
    skipped = sum("skip" in test.by_seed.values() for test in tests)
    failing = [test for test in tests if test.failed and not test.unstable]
    unstable = [test for test in tests if test.unstable]
    unlisted = [test for test in failing if not _listed(test.name, entries)]
    seeds = {seed for seed, _ in outcomes}
    lines = [
        f"{len(tests)} tests under {len(seeds)} seed{'s' * (len(seeds) > 1)}:"
        f" {passed} passed, {skipped} skipped, {len(failing)} failed,"
        f" {len(unstable)} failed under some seeds"
    ]
    lines += [f"fails, and is not listed: {test.name}" for test in unlisted]
    lines += [
        f"fails under {len(test.failed)} of {len(test.by_seed)} seeds"
        f" ({', '.join(map(str, test.failed))}): {test.name}"
        for test in unstable
    ]
    troubles = [
        f"{outcome.script.name}, seed {seed}: " + outcome.trouble.partition("\n")[0]
        for seed, outcome in outcomes
        if outcome.trouble
    ]
    reports = [
        f"{outcome.script.name}, seed {seed}: kernel: {line}"
        for seed, outcome in outcomes
        for line in outcome.kernel
    ]
    return lines + troubles + reports, len(unlisted) + len(troubles) + len(reports)


def _listed(name: str, entries: Sequence[Expected]) -> bool:
    patterns = (
        pattern
        for entry in entries
        if entry.outcome in ("fail", "either")
        for pattern in entry.tests
    )
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


if __name__ == "__main__":
    sys.exit(main())
