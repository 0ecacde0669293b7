"""Counts in running text: one run is no runs."""

import re
from pathlib import Path

from analysis.words import many

ROOT = Path(__file__).parents[2]
NOUNS = "runs|networks|points|repetitions|packets|connections|subflows|cases"
COUNTED = re.compile(rf"\{{(?:len\([^{{}}]*\)|count|total)\}} (?:{NOUNS})\b")
"""A count in an f-string beside a noun that is always plural."""
BOUNDS = re.compile(r"raise|reason|at most|more than")
"""Refusals of too many name large counts."""


def test_one_is_singular() -> None:
    assert [many(n, "run") for n in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert many(2, "entry", "entries") == "2 entries"
    assert many(1, "entry", "entries") == "1 entry"


def test_counts_go_through_the_helper() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for package in ("analysis", "mpbench", "tools")
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if COUNTED.search(line) and not BOUNDS.search(line)
    ]
    assert not found, "write many(count, noun)"
