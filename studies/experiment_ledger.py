"""The ledger of experiment files: what changed after results were there, and why.

    python -m studies.experiment_ledger [--why WORDS | --history]

`results/published/experiments.csv` has one line per state of each experiment file of
the papers, the first one being that of the first results, and every later one with its
reason. Parts and configurations that experiment files include have lines of their own.
Only what a run depends on counts: descriptions, figures, metrics, comments and the like
may change freely.

Without options, the command names files that differ from their last line, and adds
lines for new files. With --why it adds a line for each changed file, with this reason;
then `python -m analysis.published.ledger results/published` seals it. With --history it
prints each change after the first result that the repository's history has.
"""

import argparse
import csv
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml

from analysis.published.ledger import EXPERIMENT_COLUMNS, EXPERIMENTS
from mpbench.errors import UserError
from studies.criterion_ages import Commit, first_results, git

ROOT = Path(__file__).parents[1]
PAPERS = ("balia", "mpcc", "nsdi11", "olia", "thesis")
FREE = {
    "compare",
    "description",
    "expect",
    "figures",
    "metrics",
    "notes",
    "source",
}
"""Keys that no run depends on."""
FIRST = "The state with the first results."


@dataclass(frozen=True)
class Line:
    """A state of an experiment file.

    file : below experiments/, without suffix
    commit : that made the change; empty for the commit of the line
    """

    file: str
    date: str
    commit: str
    digest: str
    why: str


def digest(text: str) -> str:
    """A digest of what a run depends on in an experiment file, or in a part."""
    values = yaml.safe_load(text)
    if isinstance(values, dict):
        values = {key: value for key, value in values.items() if key not in FREE}
    told = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def files(root: Path = ROOT) -> dict[str, Path]:
    """Every experiment file of the papers, and every part and configuration."""
    folder = root / "experiments"
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for paper in PAPERS
        for path in sorted((folder / paper).rglob("*.yaml"))
    }


def read(root: Path = ROOT) -> list[Line]:
    """The lines of the table; none without a table."""
    path = root / "results/published" / EXPERIMENTS
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as table:
        return [Line(**row) for row in csv.DictReader(table)]


def write(lines: Sequence[Line], root: Path = ROOT) -> None:
    path = root / "results/published" / EXPERIMENTS
    with path.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(EXPERIMENT_COLUMNS)
        writer.writerows(astuple(line) for line in lines)


def changed(root: Path = ROOT) -> dict[str, str]:
    """The files that differ from their last line, with what is wrong with each."""
    last = {line.file: line for line in read(root)}
    there = files(root)
    found = {}
    for name, path in there.items():
        now = digest(path.read_text(encoding="utf-8"))
        if name not in last:
            found[name] = "is not in the table"
        elif last[name].digest != now:
            found[name] = f"has changed since {last[name].date}"
    found |= {name: "is gone" for name in last if name not in there}
    return found


@dataclass(frozen=True)
class Change:
    """A change after the first result, as the history has it."""

    file: str
    commit: Commit
    subject: str
    digest: str


def history() -> Iterator[Change]:
    """Every change of an experiment file after the first result that it is for.

    A part is for all campaigns of its paper, so their first result counts.
    """
    results = first_results()
    names = files()
    papers = {
        paper: min(
            (
                results[path.stem].time
                for name, path in names.items()
                if name.count("/") == 1 and name.startswith(f"{paper}/")
                if path.stem in results
            ),
            default=None,
        )
        for paper in PAPERS
    }
    log = git(
        "log", "--reverse", "--format=@%h %ct %s", "--name-only", "--no-renames",
        "--abbrev=12", "--diff-filter=AM", "--", "experiments",
    )  # fmt: skip
    commit, subject = Commit("", 0), ""
    for line in filter(None, log.splitlines()):
        if line.startswith("@"):
            name, time, *words = line[1:].split(" ", 2)
            commit, subject = Commit(name, int(time)), "".join(words)
            continue
        name = line.removeprefix("experiments/").removesuffix(".yaml")
        if name not in names:
            continue
        paper, _, rest = name.partition("/")
        first = results.get(rest) if "/" not in rest else None
        since = first.time if first else papers[paper] if "/" in rest else None
        if since is None or commit.time <= since:
            continue
        now = digest(git("show", f"{commit.name}:{line}"))
        try:
            before = digest(git("show", f"{commit.name}^:{line}"))
        except UserError:  # the file is new
            continue
        if before != now:
            yield Change(name, commit, subject, now)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--why", metavar="WORDS", help="log changed files with this")
    parser.add_argument("--history", action="store_true", help="print the history's")
    options = parser.parse_args(words)
    try:
        if options.history:
            for one in history():
                day = datetime.fromtimestamp(one.commit.time, UTC).date()
                print(f"{day} {one.commit.name} {one.file}: {one.subject}")
            return 0
        return log(options.why, datetime.now(UTC).date().isoformat())
    except (OSError, ValueError, UserError, yaml.YAMLError) as error:
        print(f"experiment_ledger: {error}", file=sys.stderr)
        return 2


def log(why: str | None, day: str, root: Path = ROOT) -> int:
    """Add lines for new files and, with a reason, for changed ones; an exit status."""
    lines = read(root)
    known = {line.file for line in lines}
    left = []
    for name, what in changed(root).items():
        path = files(root).get(name)
        if path is None or (name in known and not why):
            left.append(f"{name} {what}")
            continue
        reason = why if name in known and why else FIRST
        text = path.read_text(encoding="utf-8")
        lines.append(Line(name, day, "", digest(text), reason))
    write(lines, root)
    for one in left:
        print(f"{one}; give the reason with --why WORDS, or restore the file")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
