"""Write the ages of criteria from the history of the repository.

    python -m studies.criterion_ages [--check]

writes results/published/ages.csv. A criterion is as old as the commit that brought it
into results/published, or into its ledger. A campaign's first result is the first
commit with a page, or with plotted values, of the campaign in results/reference, under
any configuration. Who wrote a criterion may have seen a result before it was committed,
so `before` is an upper bound.

A change of a criterion makes it younger, unless the old and the new one are the same in
another notation: a number as text, or a campaign's name before the same rows.

With --check nothing is written, and the exit status is 1 if the table differs. It is 2
where there is no history.
"""

import argparse
import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from analysis.published import ages, ledger, statements
from analysis.published.statements import Statement
from mpbench.errors import UserError

ROOT = Path(__file__).parents[1]
PUBLISHED, REFERENCE = "results/published", "results/reference"
PAGE = re.compile(rf"{REFERENCE}/(?:(?:[^/]+/)?points/(.+)\.csv|([^/]+)/README\.md)")
CAMPAIGN = re.compile(r"^\s*[a-z0-9.-]+\s*(?:;|$)")
"""A campaign's name before the rows of a criterion: `lossy-low-bdp; case=lia`."""
ENTRY = re.compile(r"^- id: (.+)$|^([\w.-]+),", re.MULTILINE)


@dataclass(frozen=True)
class Commit:
    """A commit, and when it was made, in seconds."""

    name: str
    time: int


@dataclass(frozen=True)
class Age:
    """A criterion's line of the table. `result` is empty if there is none yet."""

    criterion: str
    age: str
    since: str
    result: str


def git(*words: str) -> str:
    """The answer of git about this repository. Raises UserError if there is none."""
    try:
        return subprocess.check_output(
            ["git", "-C", str(ROOT), *words], text=True, stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):
        raise UserError(
            f"{ROOT}: no history of the repository; ages need a clone that is not"
            " shallow"
        ) from None


def added(folder: str) -> Iterator[tuple[Commit, str]]:
    """Each file below a folder with the commit that added it, oldest first."""
    log = git(
        "log", "--reverse", "--diff-filter=A", "--name-only", "--format=@%h %ct",
        "--no-renames", "--abbrev=12", "--", folder,
    )  # fmt: skip
    commit = Commit("", 0)
    for line in filter(None, log.splitlines()):
        if line.startswith("@"):
            name, time = line[1:].split()
            commit = Commit(name, int(time))
        else:
            yield commit, line


def first_results() -> dict[str, Commit]:
    """The commit with the first result of each campaign, by its name."""
    found: dict[str, Commit] = {}
    for commit, path in added(REFERENCE):
        if match := PAGE.fullmatch(path):
            found.setdefault(match[1] or match[2], commit)
    return found


def commits_of(path: str) -> list[Commit]:
    """The commits that changed a path, oldest first."""
    log = git("log", "--reverse", "--format=%h %ct", "--abbrev=12", "--", path)
    pairs = [line.split() for line in log.splitlines()]
    return [Commit(name, int(time)) for name, time in pairs]


def in_ledger() -> dict[tuple[str, str], Commit]:
    """The commit that each state of a criterion entered the ledger with, by the
    criterion and the digest of the state."""
    path = f"{PUBLISHED}/{ledger.NAME}"
    found: dict[tuple[str, str], Commit] = {}
    for commit in commits_of(path):
        table = csv.DictReader(io.StringIO(git("show", f"{commit.name}:{path}")))
        for row in table:
            found.setdefault((row["id"], row["digest"]), commit)
    return found


def before_ledger(until: Commit) -> dict[str, Commit]:
    """The first commit with each statement's id, among those before the ledger."""
    found: dict[str, Commit] = {}
    for commit in commits_of(PUBLISHED):
        if commit.time >= until.time:
            break
        names = git("ls-tree", "-r", "--name-only", commit.name, PUBLISHED)
        for path in names.splitlines():
            if path.endswith((".csv", ".yaml")):
                text = git("show", f"{commit.name}:{path}")
                for match in ENTRY.finditer(text):
                    found.setdefault(match[1] or match[2], commit)
    return found


@cache
def campaigns_of_files() -> Mapping[str, tuple[str, ...]]:
    """The campaigns whose experiment files expect a file of statements, by its stem."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "experiments").glob("*/*.yaml")):
        expect = yaml.safe_load(path.read_text(encoding="utf-8")).get("expect")
        if expect:
            found.setdefault(Path(expect).stem, []).append(path.stem)
    return {stem: tuple(names) for stem, names in found.items()}


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """A criterion without what is notation alone."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if value is None:
            continue
        text = str(value)
        if key in ("rows", "against", "over"):
            text = CAMPAIGN.sub("", text).strip()
        try:
            found[key] = float(text)
        except ValueError:
            found[key] = text
    return found


def end_of(day: str) -> int:
    """The last second of a day, which is what a date without a commit can mean."""
    return int(
        datetime.fromisoformat(f"{day}T23:59:59").replace(tzinfo=UTC).timestamp()
    )


class History:
    """Criteria and results as the history has them."""

    def __init__(self) -> None:
        self.ledger = in_ledger()
        self.first = commits_of(f"{PUBLISHED}/{ledger.NAME}")[0]
        self.early = before_ledger(self.first)
        self.results = first_results()

    def result(self, stem: str, statement: Statement) -> Commit | None:
        """The first result of the campaigns that a statement is judged by."""
        names = statement.campaigns() - {""} or set(campaigns_of_files().get(stem, ()))
        there = [self.results[name] for name in names if name in self.results]
        return min(there, key=lambda commit: commit.time, default=None)

    def age(self, stem: str, statement: Statement) -> Age | None:
        """The age of a statement's criterion; None before it is committed."""
        key = f"{stem}/{statement.id}"
        states = [s for s in ledger.of_statement(stem, statement) if s.id == key]
        if any((key, state.digest) not in self.ledger for state in states):
            return None
        since = self._since(key, states[0].digest, statement.id)
        last, last_time = since, since.time
        changed = False
        result = self.result(stem, statement)
        for state, change in zip(states[1:], statement.changes, strict=True):
            if plain(change.old) == plain(change.new):
                continue
            last = self.ledger[key, state.digest]
            in_first = last == self.first
            last_time = end_of(change.date) if in_first else last.time
            changed = changed or bool(result and last_time >= result.time)
        if result is None or last_time < result.time:
            age = ages.BEFORE
        else:
            age = ages.CHANGED if since.time < result.time and changed else ages.AFTER
        return Age(key, age, last.name, result.name if result else "")

    def _since(self, key: str, digest: str, name: str) -> Commit:
        commit = self.ledger[key, digest]
        if commit == self.first:
            return self.early.get(name, commit)
        return commit


def table() -> str:
    """The text of ages.csv."""
    history = History()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ages.COLUMNS)
    for path in ledger.files_of_statements(ROOT / PUBLISHED):
        for statement in statements.read(path):
            if one := history.age(path.stem, statement):
                writer.writerow((one.criterion, one.age, one.since, one.result))
    return text.getvalue()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    target = ROOT / PUBLISHED / ages.NAME
    try:
        text = table()
        if options.check:
            return 0 if target.read_text(encoding="utf-8") == text else 1
        target.write_text(text, encoding="utf-8")
    except (OSError, ValueError, UserError) as error:
        print(f"criterion_ages: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
