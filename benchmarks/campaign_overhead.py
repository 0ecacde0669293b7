"""CPU time per run of a campaign that is not the run itself.

    python -m benchmarks.campaign_overhead [--runs 300]

executes the quickstart with 100 networks, and as many repetitions as give that many
runs, on the fake backend, one at a time. Measured is the CPU time of this process per
run without the backend's: plan, folders, hashes, analysis, flushes and the table, with
the libraries that all of them load. The first line is the whole, the others are parts.
"""

import argparse
import contextlib
import csv
import io
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from analysis.run import absent
from benchmarks.first_minute import QUICKSTART
from mpbench.backends.fake import FakeBackend
from mpbench.cli import group
from mpbench.engine import campaign as engine
from mpbench.engine import execute
from mpbench.store import atomic, manifest, runs, table

POINTS = 100
"""Networks. WSP does not keep every number of them: never 3,333, for example."""
BACKEND = "the fake backend"
PARTS: dict[str, tuple[Any, str]] = {
    BACKEND: (FakeBackend, "execute"),
    "begin": (runs, "begin"),
    "clean": (runs, "clean"),
    "hash artefacts": (manifest, "take"),
    "analyse": (execute, "make_row"),
    "analyse: reasons of absent metrics": (absent, "column"),
    "finish": (runs, "finish"),
    "finish: flush": (atomic, "sync_tree"),
    "table": (table, "write"),
    "read the folder": (engine, "standing"),
}


def timed(function: Callable[..., Any], spent: Counter[str], part: str) -> Any:
    """The function, whose CPU time is added up by part."""

    def call(*given: Any, **named: Any) -> Any:
        begun = time.thread_time()
        try:
            return function(*given, **named)
        finally:
            spent[part] += time.thread_time() - begun  # type: ignore[assignment]

    return call


def measure(count: int) -> tuple[float, Counter[str]]:
    """CPU time of all but the backend and of each part, both in seconds.

    Ends the program unless all runs ended well.
    """
    spent: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = Path(folder, "overhead.yaml")
        text = QUICKSTART.read_text()
        points = min(POINTS, count // 3)
        text = re.sub(r"points: \d+", f"points: {points}", text)
        file.write_text(f"{text}\nrepetitions: {count // 3 // points}\n")
        for part, (owner, name) in PARTS.items():
            replaced = timed(getattr(owner, name), spent, part)
            stack.enter_context(patch.object(owner, name, replaced))
        words = ["run", str(file), "--backend", "fake", "-j", "1"]
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        begun = time.process_time()
        group.main([*words, "--out", f"{folder}/out"], standalone_mode=False)
        whole = time.process_time() - begun
        with Path(folder, "out/runs.csv").open() as table_file:
            ended = Counter(row["verdict"] for row in csv.DictReader(table_file))
    if ended != {"ok": count}:
        raise SystemExit(f"{count} runs asked for, and these ended: {dict(ended)}")
    return whole - spent.pop(BACKEND), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    asked = max(parser.parse_args().runs, 3)
    step = 3 * min(POINTS, asked // 3)
    count = asked // step * step
    overhead_s, spent = measure(count)
    print("| part | CPU time per run [ms] |")
    print("|---|---:|")
    print(f"| overhead, {count} runs | {overhead_s / count * 1e3:.2f} |")
    for part, seconds in spent.most_common():
        print(f"| {part} | {seconds / count * 1e3:.2f} |")


if __name__ == "__main__":
    main()
