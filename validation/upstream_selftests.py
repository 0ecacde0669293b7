"""Upstream's own tests of MPTCP, in guests, against the list of what does not pass.

    python -m validation.upstream_selftests [--config guest] [--only TEXT] [--jobs 2]
        [--save FILE]
    python -m validation.upstream_selftests --page PAGE FILE...

`--config` is guest (the kernel of experiments), selftests (with IPv6, netfilter,
lockdep and KASAN) or selftests-stock (the same without our changes to the network
code). Prints a line per script and a line per surprise; the exit status is 1 if there
was one. `--save` keeps the outcomes as JSON, and `--page` writes a page from such
files.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mpbench import kernel
from tests.virtual import selftests
from tests.virtual.selftests import KINDS, TESTS, Outcome, Script

HEAD = """\
# Upstream's tests of MPTCP

Linux brings its own tests of MPTCP (`tools/testing/selftests/net/mptcp`). They run in
guests, in virtual time, from the same Linux that the guest kernel is built of:

    make selftests         the kernel of experiments, without IPv6 and netfilter
    make selftests-full    a kernel with both, lockdep and KASAN; with and without ours

`make test` runs a part of the first. A test that does not pass must stand in a list
with its reason (`kernel/selftests/`), and a listed test that passes is reported too.
`make selftests-full` writes this page.

- Each script runs in a guest of its own, after 100 s of virtual time: `nstat` forgets
  its history when that is older than the machine.
- In the kernel of experiments the scripts are changed in three places. They read the
  kernel's symbols from a file beside them, because there is no `/proc/kallsyms`.
  Servers of `mptcp_join` listen on `0.0.0.0`, not on `::`. `userspace_pm` makes no
  connection over IPv6, which would end the script.
- The other kernels have KASAN, lockdep (`PROVE_LOCKING`), UBSAN and debug objects. All
  of them work in User Mode Linux, and a report of theirs counts as a failure. Virtual
  time rules out more than one CPU (`SMP`), so races between CPUs are not found.
- Tests that upstream calls flaky count like all others.
- The groups `-t`, `-6`, `-4`, `-k` and `-F` of `mptcp_join` and the script
  `mptcp_sockopt` need netfilter, IPv6 or SYN cookies throughout, so only the other
  kernels run them.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="guest", choices=tuple(KINDS))
    parser.add_argument("--only", default="", help="scripts whose name has this text")
    parser.add_argument("--jobs", type=int, default=2, help="guests at a time")
    parser.add_argument("--save", type=Path, help="file for the outcomes")
    parser.add_argument("--page", type=Path, help="write this page, and run nothing")
    parser.add_argument("saved", nargs="*", type=Path, help="files for the page")
    options = parser.parse_args()
    if options.page:
        saved = [json.loads(path.read_text()) for path in options.saved]
        options.page.write_text(page(saved))
        return 0
    scripts = [test for test in TESTS[options.config] if options.only in test.name]
    outcomes = run(scripts, options.config, options.jobs)
    lines = selftests.surprises(outcomes, selftests.expected(options.config))
    for line in lines:
        print(line)
    if options.save:
        record = {
            "config": options.config,
            "version": kernel.find(options.config).info["version"],
            "outcomes": [asdict(outcome) for outcome in outcomes],
        }
        options.save.write_text(json.dumps(record, indent=1) + "\n")
    total = sum(len(outcome.results) for outcome in outcomes)
    cpu_s = sum(outcome.cpu_s for outcome in outcomes)
    print(f"{total} tests, {len(lines)} surprises, {cpu_s:.0f} s of CPU")
    return 1 if lines else 0


def run(scripts: Sequence[Script], config: str, jobs: int) -> list[Outcome]:
    outcomes = []
    with (
        tempfile.TemporaryDirectory(prefix="selftests-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):
        guests = [
            pool.submit(
                selftests.run,
                script,
                config,
                Path(scratch) / str(number),
                number % jobs,
            )
            for number, script in enumerate(scripts)
        ]
        for guest in guests:
            outcome = guest.result()
            outcomes.append(outcome)
            print(
                f"{outcome.script.name}: {_counts(outcome.results)}, "
                f"{outcome.cpu_s:.0f} s of CPU",
                flush=True,
            )
    return outcomes


def _counts(results: Mapping[str, str]) -> str:
    count = Counter(results.values())
    return ", ".join(f"{count[name]} {name}" for name in ("ok", "fail", "skip"))


NAMES = {
    "guest": "kernel of experiments",
    "selftests": "all options, with our changes",
    "selftests-stock": "all options, without our changes",
}


def page(saved: Sequence[dict[str, Any]]) -> str:
    """The page of documentation, from files that `--save` wrote."""
    configs = [record["config"] for record in saved]
    outcomes = {
        record["config"]: [
            Outcome(**{**outcome, "script": Script(**outcome["script"])})
            for outcome in record["outcomes"]
        ]
        for record in saved
    }
    scripts: dict[str, dict[str, str]] = {}
    for config, listed in outcomes.items():
        for outcome in listed:
            scripts.setdefault(outcome.script.name, {})[config] = _cell(outcome)
    lines = [
        HEAD,
        f"## Results with Linux {saved[0]['version']}",
        "",
        "Tests of each script that passed, failed and were skipped:",
        "",
        "| script | " + " | ".join(NAMES[name] for name in configs) + " |",
        "|---|" + "---|" * len(configs),
    ]
    missing = [NAMES[name] for name in NAMES if name not in configs]
    if missing:
        lines.insert(3, f"Not run for this page: {', '.join(missing)}.\n")
    for script, row in scripts.items():
        cells = " | ".join(row.get(name, "not run") for name in configs)
        lines.append(f"| `{script}` | {cells} |")
    for config, listed in outcomes.items():
        lines += ["", f"## What does not pass: {NAMES[config]}", ""]
        entries = selftests.expected(config)
        for entry in entries:
            verb = {"fail": "fail", "skip": "are skipped"}[entry.outcome]
            tests = ", ".join(f"`{pattern}`" for pattern in entry.tests)
            lines.append(f"- {entry.reason} These tests {verb}: {tests}.")
        lines += [
            f"- Not expected: {line.splitlines()[0]}"
            for line in selftests.surprises(listed, entries)
        ]
    return "\n".join(lines) + "\n"


def _cell(outcome: Outcome) -> str:
    if outcome.trouble:
        return "did not end"
    count = Counter(outcome.results.values())
    return ", ".join(str(count[name]) for name in ("ok", "fail", "skip"))


if __name__ == "__main__":
    sys.exit(main())
