"""Verdicts that changed between two states of a page, with both intervals.

    python -m studies.verdict_changes OLD NEW...

OLD and NEW are pages of the same campaign, such as README.md of a folder of
results/reference at an earlier commit and now; several pairs may follow each other.
Prints a table in Markdown: the statement, what was found, and the reason. The reason
is one of three: the interval became wider, it became narrower (or came into being), or
the value moved by more than its earlier interval.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HEAD = ("published", "where", "ours", "95 % interval", "n", "verdict")
CELL = re.compile(r"(?<!\\)\|")
NUMBER = re.compile(r"-?\d[\d.]*(?:e-?\d+)?")
RANGE = re.compile(rf"({NUMBER.pattern})%? to ({NUMBER.pattern})")
NEW, WIDER, NARROWER, MOVED = (
    "has an interval now",
    "interval wider",
    "interval narrower",
    "value moved by more than its earlier interval",
)


@dataclass(frozen=True)
class Found:
    """A statement's row on a page.

    interval : None where the page has none
    """

    ours: str
    interval: tuple[float, float] | None
    words: str
    count: str
    verdict: str

    @property
    def value(self) -> float | None:
        number = NUMBER.search(self.ours)
        return float(number[0]) if number else None


def statements(page: str) -> Iterator[tuple[str, Found]]:
    """The statements of a page, each with the place of its paper."""
    head: Sequence[str] = ()
    for line in page.splitlines():
        cells = [cell.strip() for cell in CELL.split(line)[1:-1]]
        if not cells:
            head = ()
        elif tuple(cells[: len(HEAD)]) == HEAD:
            head = cells
        elif head and not set(line) <= set("|- :"):
            text, where, ours, words, count, verdict = cells[: len(HEAD)]
            ends = RANGE.match(words)
            interval = (float(ends[1]), float(ends[2])) if ends else None
            word, _, more = verdict.partition(",")
            word = word.strip("*")
            if word == "agrees" and "depends" in more:
                word = "undecided"  # docs/criteria.md
            found = Found(ours, interval, words, count, word)
            yield f"{text} ({where})", found


def numbered(page: str) -> Iterator[tuple[tuple[str, int], Found]]:
    """The statements of a page, each with its place among those of the same words: a
    page says the same of several campaigns."""
    seen: Counter[str] = Counter()
    for name, found in statements(page):
        yield (name, seen[name]), found
        seen[name] += 1


def reason(old: Found, new: Found) -> str:
    """The reason for which a verdict became another one."""
    if old.interval is None or new.interval is None:
        return NEW
    low, high = old.interval
    if new.value is not None and not low <= new.value <= high:
        return MOVED
    return WIDER if new.interval[1] - new.interval[0] > high - low else NARROWER


def changes(old: str, new: str) -> Iterator[str]:
    """A row per statement with another verdict."""
    before = dict(numbered(old))
    for (name, place), now in numbered(new):
        was = before.get((name, place))
        if was is None or was.verdict == now.verdict:
            continue
        sides = [f"{one.ours}, {one.words} (n = {one.count})" for one in (was, now)]
        verdicts = f"{was.verdict} | {now.verdict}"
        yield f"| {name} | {' | '.join(sides)} | {verdicts} | {reason(was, now)} |"


def main() -> int:
    paths = [Path(name) for name in sys.argv[1:]]
    if not paths or len(paths) % 2:
        raise SystemExit("give pairs of pages: OLD NEW")
    print("| statement | before | now | verdict before | now | reason |")
    print("|---|---|---|---|---|---|")
    for old, new in zip(paths[::2], paths[1::2], strict=True):
        try:
            for row in changes(old.read_text(), new.read_text()):
                print(row)
        except (OSError, UnicodeDecodeError) as error:
            raise SystemExit(f"{old}, {new}: {error}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
