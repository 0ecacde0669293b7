"""Upstream's tests of MPTCP, of each release of Linux in its own kernel, over seeds.

    python -m validation.release_selftests [--only TEXT] [--seeds N] [--jobs 2]
        [--save FILE] [RELEASE...]
    python -m validation.release_selftests --table [FILE]

For each RELEASE of `releases.yaml` (all if none is given) the kernel is built, and its
own tests run in it. Releases have no changes of mpbench's to Linux's network code, and
neither IPv6 nor netfilter. With `--seeds N` each script runs N times. All that is
random in a guest follows from the seed, so a test that fails under some seeds fails
again under the same ones: the command prints them.

A test that fails is compared with the list of the kernel of experiments
(`kernel/selftests/guest.yaml`). The exit status is 1 if a test that is not in it fails
under every seed, or if a kernel reports a fault.

`--save` writes the outcomes to a JSON file after each script. With the same file, the
command continues where it stopped: it does not run a script again that has ended under
this seed in the same kernel. `--table` prints what such a file has as a table, by
default the file that is kept beside this module.
"""

import argparse
import fnmatch
import json
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from analysis.words import many
from mpbench import kernel
from mpbench.backends.base import Bounds
from mpbench.experiment_files import load
from mpbench.kernel import variants
from mpbench.kernel.selftests import prepare
from mpbench.plan import make_plan
from mpbench.store import atomic
from tests.virtual import selftests
from tests.virtual.selftests import TESTS, Expected, Outcome, Release, Script
from validation.releases import FILE

KEPT = Path(__file__).with_suffix(".json")
BOUNDS = Bounds(virtual_s=40_000.0, wall_s=3600.0, silence_s=1200.0)
"""Of a guest; on a busy machine, a script takes many times its CPU time."""
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
    parser.add_argument(
        "--table", type=Path, nargs="?", const=KEPT, help="print this file's table"
    )
    given = parser.parse_args(argv)
    if given.table:
        print("\n".join(table(read(given.table), selftests.expected(CONFIG))))
        return 0
    for name in given.releases:
        if name not in kernels:
            parser.error(f"{name}: not among {', '.join(kernels)}")
    wrong = 0
    kept = read(given.save) if given.save and given.save.exists() else {}
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
        record = begin(kept.get(name), image.key, image.info["version"])
        kept[name] = record
        asked = [(seed, s) for s in scripts for seed in range(1, given.seeds + 1)]
        todo = [one for one in asked if not record.has(*one)]
        for seed, outcome in run(release, todo, given.jobs):
            record.outcomes[outcome.script.name, seed] = outcome
            if given.save:
                write(kept, given.save)
        outcomes = [(seed, record.outcomes[s.name, seed]) for seed, s in asked]
        lines, faults = judged(outcomes, selftests.expected(CONFIG))
        print(f"{name}: Linux {image.info['version']}, kernel {image.key}")
        print("".join(f"    {line}\n" for line in lines), end="", flush=True)
        wrong += faults
    return int(wrong > 0)


@dataclass
class Record:
    """The outcomes of a release.

    kernel : its key; version : of Linux
    outcomes : by the name of the script and the seed
    """

    kernel: str
    version: str
    outcomes: dict[tuple[str, int], Outcome]

    def has(self, seed: int, script: Script) -> bool:
        """Whether a script has ended as it should."""
        outcome = self.outcomes.get((script.name, seed))
        return outcome is not None and not outcome.trouble


def begin(stored: Record | None, key: str, version: str) -> Record:
    """The record to go on with: that of the file, if it is of the same kernel."""
    if stored is not None and stored.kernel == key:
        return stored
    return Record(key, version, {})


def write(records: Mapping[str, Record], path: Path) -> None:
    """Write the records of all releases."""
    listed = {
        name: {
            "kernel": record.kernel,
            "version": record.version,
            "outcomes": [
                {"seed": seed, **asdict(outcome)}
                for (_, seed), outcome in record.outcomes.items()
            ],
        }
        for name, record in records.items()
    }
    atomic.write_json(path, listed)


def read(path: Path) -> dict[str, Record]:
    """The records of a file, by the name of the release."""
    found = {}
    for name, stored in json.loads(path.read_text()).items():
        record = Record(stored["kernel"], stored["version"], {})
        for one in stored["outcomes"]:
            seed = one.pop("seed")
            script = Script(one["script"]["name"], tuple(one["script"]["argv"]))
            one |= {"script": script, "kernel": tuple(one["kernel"])}
            outcome = Outcome(**one)
            record.outcomes[script.name, seed] = outcome
        found[name] = record
    return found


def run(
    release: Release, todo: Sequence[tuple[int, Script]], jobs: int
) -> Iterator[tuple[int, Outcome]]:
    """Run each script under its seed, in a guest of its own.

    todo : seeds with scripts
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
                    Path(scratch) / str(number),
                    number % jobs if jobs > 1 else None,
                    cancel,
                    release,
                    seed,
                    BOUNDS,
                ),
            )
            for number, (seed, script) in enumerate(todo)
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


def table(records: Mapping[str, Record], entries: Sequence[Expected]) -> Iterator[str]:
    """The results of each script in each release, as a table in Markdown.

    A cell has the numbers of tests that passed, failed and were skipped under every
    seed, and those that failed under some.
    """
    names = list(records)
    yield "| script | " + " | ".join(records[name].version for name in names) + " |"
    yield "|---|" + "---|" * len(names)
    found = {name: _by_script(records[name]) for name in names}
    for script in TESTS[CONFIG]:
        cells = [found[name].get(script.name, "-") for name in names]
        if set(cells) != {"-"}:
            yield f"| `{script.name}` | " + " | ".join(cells) + " |"
    yield ""
    for name in names:
        record = records[name]
        outcomes = [(seed, one) for (_, seed), one in record.outcomes.items()]
        cpu_s = sum(one.cpu_s for _, one in outcomes)
        seeds = Counter(script for script, _ in record.outcomes)
        more = "".join(f", `{s}` under {n} seeds" for s, n in seeds.items() if n > 1)
        yield (
            f"Linux {record.version}, kernel `{record.kernel}`:"
            f" {cpu_s / 60:.0f} minutes of CPU time{more}."
        )
        yield ""
        yield from _failures(by_test(outcomes), entries)
        yield ""


def _failures(tests: Sequence[Results], entries: Sequence[Expected]) -> Iterator[str]:
    """A point per reason for which tests fail under every seed, and one per test that
    fails under some."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        if test.failed and not test.unstable:
            reasons = [e.reason for e in entries if _listed(test.name, [e])]
            by_reason[reasons[0] if reasons else "The cause is open."].append(test.name)
    for reason, names in by_reason.items():
        scripts = dict.fromkeys(name.partition(":")[0] for name in names)
        fail = "fails" if len(names) == 1 else "fail"
        where = ", ".join(f"`{script}`" for script in scripts)
        yield f"- {reason} {many(len(names), 'test')} of {where} {fail} for this."
    for test in tests:
        if test.unstable:
            which = ", ".join(map(str, test.failed))
            count = many(len(test.by_seed), "seed")
            yield (
                f"- `{test.name}` fails under {len(test.failed)} of {count} ({which})."
            )


def _by_script(record: Record) -> dict[str, str]:
    """The cell of each script."""
    groups: dict[str, list[tuple[int, Outcome]]] = defaultdict(list)
    for (script, seed), outcome in record.outcomes.items():
        groups[script].append((seed, outcome))
    cells = {}
    for script, outcomes in groups.items():
        if any(outcome.trouble for _, outcome in outcomes):
            cells[script] = "did not end"
            continue
        tests = by_test(outcomes)
        results = [set(test.by_seed.values()) for test in tests]
        numbers = [
            sum(one == {word} for one in results) for word in ("ok", "fail", "skip")
        ]
        cells[script] = ", ".join(map(str, numbers))
        unstable = sum(test.unstable for test in tests)
        if unstable:
            cells[script] += f", and {unstable} under some of {len(outcomes)} seeds"
    return cells


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
