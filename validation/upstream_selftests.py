"""Run upstream's own tests of MPTCP in guests, and compare with the expected results.

    python -m validation.upstream_selftests [--config guest] [--only TEXT] [--jobs 2]
        [--save FILE] [--packetdrill CHECKOUT]
    python -m validation.upstream_selftests --page PAGE FILE...

`--config` names the kernel: `guest` (the kernel of experiments), `selftests` (with
IPv6, netfilter, lockdep and KASAN) or `selftests-stock` (the same without our changes
to the network code). The command prints one line per script and one line per unexpected
result. The exit status is 1 if a result was unexpected.

`--packetdrill` names a checkout of multipath-tcp/packetdrill, whose tests of MPTCP then
run as one script more, in the two kernels with IPv6.

`--save` writes the outcomes to a JSON file after each script. With the same file, the
command continues where it stopped: it does not run a script again that has ended in the
same kernel. `--page` writes a page of documentation from such files.
"""

import argparse
import fnmatch
import json
import os
import shutil
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mpbench import kernel
from mpbench.store import atomic
from tests.virtual import packetdrill, selftests
from tests.virtual.selftests import KINDS, TESTS, Expected, Outcome, Script

HEAD = """\
# Upstream's tests of MPTCP

Linux brings its own tests of MPTCP (`tools/testing/selftests/net/mptcp`). They run in
guests, in virtual time. Both the tests and the guest kernel come from the same Linux.

    make selftests         the kernel of experiments, without IPv6 and netfilter
    make selftests-full    also two kernels with IPv6, netfilter, lockdep and KASAN

`make test` runs a part of the first. Every test that does not pass must be in a list
with its reason (`kernel/selftests/`). A listed test that passes is an error too.

`make selftests-full` writes this page. It runs the whole set three times: in the kernel
of experiments, in a kernel with all options, and in a kernel with all options but
without our changes to Linux's network code. You can stop it at any time. The same
command continues with the scripts that have not ended in these kernels yet.

- Each script runs in a guest of its own and starts after 100 s of virtual time. `nstat`
  forgets its history if the history is older than the machine.
- In the kernel of experiments the scripts are changed in three places. They read the
  kernel's symbols from a file beside them, because there is no `/proc/kallsyms`.
  Servers of `mptcp_join` listen on `0.0.0.0`, not on `::`. `userspace_pm` makes no
  connection over IPv6, which would end the script.
- The two other kernels run the scripts unchanged. They have KASAN, lockdep
  (`PROVE_LOCKING`), RCU's checks (`PROVE_RCU`), UBSAN and debug objects. All of these
  work in User Mode Linux, and each of their reports counts as a failure. Virtual time
  rules out more than one CPU (`SMP`), so the tests cannot find races between CPUs.
- `make selftests-full PACKETDRILL=CHECKOUT` also runs packetdrill's tests of MPTCP in
  the two other kernels, from a checkout of `multipath-tcp/packetdrill`. packetdrill is
  compiled with a change: it sleeps until the next event, and never polls a clock,
  because in virtual time no time passes while a program computes. The row `packetdrill`
  counts a script once per variant: IPv4, IPv4 in IPv6 sockets, and IPv6.
- Tests that upstream calls flaky count like all others.
- The groups `-t`, `-6`, `-4`, `-k` and `-F` of `mptcp_join` and the script
  `mptcp_sockopt` need netfilter, IPv6 or SYN cookies throughout, so only the two other
  kernels run them.
- A guest may take an hour. A script that takes longer "did not end".
"""
NAMES = {
    "guest": "kernel of experiments",
    "selftests": "all options, with our changes",
    "selftests-stock": "all options, without our changes",
}
FULL = ("selftests", "selftests-stock")
TOOLS = ("ethtool", "iptables", "nft")
"""Programs of the host that the scripts start in the kernels of `FULL`."""
SEARCHED = os.pathsep.join((os.defpath, "/usr/sbin", "/sbin"))
"""The folders in which guests look for programs."""
VERBS = {"fail": "fail", "skip": "are skipped", "either": "pass or fail"}
"""By the expected outcome."""


@dataclass
class Record:
    """The outcomes in one kernel, as `--save` keeps them.

    kernel : the key of the kernel
    method : hash of how the scripts ran (`selftests.method`)
    version : of Linux
    """

    config: str
    kernel: str
    method: str
    version: str
    outcomes: dict[str, Outcome]

    def write(self, path: Path) -> None:
        listed = [asdict(outcome) for outcome in self.outcomes.values()]
        atomic.write_json(path, {**vars(self), "outcomes": listed})


def read(path: Path) -> Record:
    stored: dict[str, Any] = json.loads(path.read_text())
    listed = [
        Outcome(**{**outcome, "script": Script(**outcome["script"])})
        for outcome in stored["outcomes"]
    ]
    return Record(**{**stored, "outcomes": {o.script.name: o for o in listed}})


def begin(config: str, path: Path | None) -> Record:
    """Tests that have ended in the present kernel, from the file if it exists."""
    image = kernel.find(config)
    version = image.info["version"]
    record = Record(config, image.key, selftests.method(config), version, {})
    if path and path.exists():
        stored = read(path)
        if (stored.kernel, stored.method) == (record.kernel, record.method):
            record.outcomes = {
                name: outcome
                for name, outcome in stored.outcomes.items()
                if not outcome.trouble
            }
    return record


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="guest", choices=tuple(KINDS))
    parser.add_argument("--only", default="", help="scripts whose name has this text")
    parser.add_argument("--jobs", type=int, default=2, help="guests at a time")
    parser.add_argument("--save", type=Path, help="file for the outcomes")
    parser.add_argument("--packetdrill", type=Path, help="a checkout; not by default")
    parser.add_argument("--page", type=Path, help="write this page, and run nothing")
    parser.add_argument("saved", nargs="*", type=Path, help="files for the page")
    options = parser.parse_args()
    if options.page:
        options.page.write_text(page([read(path) for path in options.saved]))
        return 0
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=SEARCHED)]
    if missing and options.config in FULL:
        names = ", ".join(missing)
        parser.error(f"{names} not found; `make selftests-full` installs what it needs")
    scripts = [test for test in TESTS[options.config] if options.only in test.name]
    record = begin(options.config, options.save)
    execute: Callable[..., Outcome] = selftests.run
    if options.packetdrill and options.config in FULL:
        scripts.append(packetdrill.SCRIPT)
        record.outcomes.pop(packetdrill.NAME, None)  # the checkout may be another one
        execute = partial(_execute, options.packetdrill)
    todo = [script for script in scripts if script.name not in record.outcomes]
    if len(todo) < len(scripts):
        print(f"{len(scripts) - len(todo)} scripts have ended in this kernel already")
    for outcome in run(todo, options.config, options.jobs, execute):
        record.outcomes[outcome.script.name] = outcome
        if options.save:
            record.write(options.save)
        print(f"{outcome.script.name}: {counts(outcome)}", flush=True)
    outcomes = [record.outcomes[script.name] for script in scripts]
    lines = selftests.surprises(outcomes, selftests.expected(options.config))
    for line in lines:
        print(line)
    total = sum(len(outcome.results) for outcome in outcomes)
    cpu_s = sum(outcome.cpu_s for outcome in outcomes)
    print(f"{total} tests, {len(lines)} unexpected results, {cpu_s:.0f} s of CPU")
    return 1 if lines else 0


def _execute(checkout: Path, script: Script, *more: Any) -> Outcome:
    if script == packetdrill.SCRIPT:
        return packetdrill.run(checkout, *more)
    return selftests.run(script, *more)


def run(
    scripts: Sequence[Script],
    config: str,
    jobs: int,
    execute: Callable[..., Outcome] = selftests.run,
) -> Iterable[Outcome]:
    """Run each script in a guest of its own; the outcomes in the order of their ends.

    jobs : guests at a time; a single one is not pinned to a CPU
    execute : runs one script, like `selftests.run`
    """
    cancel = threading.Event()
    with (
        tempfile.TemporaryDirectory(prefix="selftests-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):
        guests = [
            pool.submit(
                execute,
                script,
                config,
                Path(scratch) / str(number),
                number % jobs if jobs > 1 else None,
                cancel,
            )
            for number, script in enumerate(scripts)
        ]
        try:
            for guest in as_completed(guests):
                yield guest.result()
        finally:
            cancel.set()
            pool.shutdown(cancel_futures=True)


def counts(outcome: Outcome) -> str:
    if outcome.trouble:
        return f"did not end after {outcome.cpu_s:.0f} s of CPU"
    count = Counter(outcome.results.values())
    numbers = ", ".join(f"{count[name]} {name}" for name in ("ok", "fail", "skip"))
    return f"{numbers}, {outcome.cpu_s:.0f} s of CPU"


def page(records: Sequence[Record]) -> str:
    """The page of documentation."""
    by_config = {record.config: record for record in records}
    configs = [name for name in NAMES if name in by_config]
    lines = [HEAD, *_totals([by_config[name] for name in configs])]
    missing = [NAMES[name] for name in NAMES if name not in configs]
    if missing:
        lines += ["", f"Not run for this page: {', '.join(missing)}."]
    lines += _scripts([by_config[name] for name in configs])
    if "guest" in configs:
        lines += ["", f"## Tests that do not pass: {NAMES['guest']}", ""]
        lines += _reasons([by_config["guest"]])
    full = [by_config[name] for name in FULL if name in configs]
    if full:
        lines += ["", "## Tests that do not pass: all options", ""]
        lines += _reasons(full)
    return "\n".join(lines) + "\n"


def _totals(records: Sequence[Record]) -> list[str]:
    lines = [
        f"## Results with Linux {records[0].version}",
        "",
        "| kernel | its key | scripts that ended | passed | failed | skipped "
        "| reports of the kernel | minutes of CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for record in records:
        outcomes = record.outcomes.values()
        ended = sum(not outcome.trouble for outcome in outcomes)
        results = [r for outcome in outcomes for r in outcome.results.values()]
        count = Counter(results)
        cells = (
            NAMES[record.config],
            f"`{record.kernel}`",
            f"{ended} of {len(_names(record))}",
            *(str(count[name]) for name in ("ok", "fail", "skip")),
            str(sum(len(outcome.kernel) for outcome in outcomes)),
            f"{sum(outcome.cpu_s for outcome in outcomes) / 60:.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _scripts(records: Sequence[Record]) -> list[str]:
    """One row per script, with the numbers of its tests in each kernel."""
    names = dict.fromkeys(name for record in records for name in _names(record))
    head = " | ".join(NAMES[record.config] for record in records)
    lines = [
        "",
        "Tests of each script that passed, failed and were skipped. A dash means that "
        "the script is not for this kernel.",
        "",
        f"| script | {head} |",
        "|---|" + "---|" * len(records),
    ]
    for name in names:
        cells = " | ".join(_cell(record, name) for record in records)
        lines.append(f"| `{name}` | {cells} |")
    return lines


def _names(record: Record) -> list[str]:
    """The scripts for a kernel, and packetdrill's if a checkout was named."""
    names = [script.name for script in TESTS[record.config]]
    return names + [packetdrill.NAME] * (packetdrill.NAME in record.outcomes)


def _cell(record: Record, name: str) -> str:
    if name not in _names(record):
        return "-"
    if name not in record.outcomes:
        return "not run"
    outcome = record.outcomes[name]
    if outcome.trouble:
        return "did not end"
    count = Counter(outcome.results.values())
    return ", ".join(str(count[result]) for result in ("ok", "fail", "skip"))


def _reasons(records: Sequence[Record]) -> list[str]:
    """One line per reason, then one line per unexpected result."""
    lines = []
    entries = {r.config: selftests.expected(r.config) for r in records}
    for entry in dict.fromkeys(e for listed in entries.values() for e in listed):
        verb = VERBS[entry.outcome]
        tests = ", ".join(f"`{pattern}`" for pattern in entry.tests)
        compared = _compare(entry, records) if len(records) > 1 else ""
        lines.append(f"- {entry.reason} These tests {verb}: {tests}.{compared}")
    for record in records:
        outcomes = list(record.outcomes.values())
        lines += [
            f"- Not expected, {NAMES[record.config]}: `{line.splitlines()[0]}`"
            for line in selftests.surprises(outcomes, entries[record.config])
        ]
    return lines or ["All tests pass."]


def _compare(entry: Expected, records: Sequence[Record]) -> str:
    """Whether the tests of an entry have the same results with and without ours."""
    common = set.intersection(*(_ended(record) for record in records))
    met = [
        {
            f"{name}: {test}"
            for name in common
            for test, result in record.outcomes[name].results.items()
            if result == entry.outcome
            and any(fnmatch.fnmatchcase(f"{name}: {test}", p) for p in entry.tests)
        }
        for record in records
    ]
    if not any(met):
        return ""
    if all(tests == met[0] for tests in met):
        return " They do so with and without our changes, which are not the cause."
    return " The results with and without our changes differ."


def _ended(record: Record) -> set[str]:
    return {name for name, outcome in record.outcomes.items() if not outcome.trouble}


if __name__ == "__main__":
    sys.exit(main())
