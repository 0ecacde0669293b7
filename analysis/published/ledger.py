"""The ledger: a digest of every criterion, and of every criterion before a change.

`results/published/ledger.csv` has one line per state of a criterion, rule or cell. It
only ever grows: each line's `chain` is a digest of the line and of the chain before
it, so that an edit of an old line breaks all lines after it.

    python -m analysis.published.ledger results/published

adds the lines for new entries. It refuses a criterion that differs from its last line
without an entry under `changes`. A test makes the same comparison.
"""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

from analysis.published import ages, cells, deviations, files, statements
from analysis.published.criterion import digest
from analysis.published.document import read as read_document
from analysis.published.statements import Statement

NAME = "ledger.csv"
COLUMNS = ("date", "id", "digest", "chain")
EXPERIMENTS = "experiments.csv"
"""The table of the states of experiment files (studies/experiment_ledger.py)."""
EXPERIMENT_COLUMNS = ("file", "date", "commit", "digest", "why")
EARLIEST = "2026-11-21"
"""The date of the first files, and of rows without a date."""
SENTENCES = "2026-11-27"
"""The date on which statements of before got their sentences."""


@dataclass(frozen=True)
class State:
    """A criterion as it was registered on a date, or as a change of that date left it.

    id : the file and the entry in it, `thesis-ch3/points`
    """

    date: str
    id: str
    digest: str


@dataclass(frozen=True)
class Line(State):
    """A state in the ledger."""

    chain: str


def states(folder: Path) -> Iterator[State]:
    """Every state of every criterion, cell and rule in a folder, oldest first per id.

    Raises ValueError, `file:line: what is wrong`.
    """
    for path in files_of_statements(folder):
        for statement in statements.read(path):
            yield from of_statement(path.stem, statement)
    for path in sorted(folder.glob("*.csv")):
        if path.name not in (NAME, ages.NAME):
            yield from _of_table(path)
    if (folder / "rules.yaml").is_file():
        yield from _of_rules(folder / "rules.yaml")


def files_of_statements(folder: Path) -> list[Path]:
    """The YAML files of statements in a folder, without rules and files of pages."""
    return [
        path
        for path in sorted(folder.glob("*.yaml"))
        if path.name != "rules.yaml" and not path.name.endswith("-pages.yaml")
    ]


def of_statement(stem: str, statement: Statement) -> Iterator[State]:
    """The states of a statement's criterion, its sentence and its readings."""
    key = f"{stem}/{statement.id}"
    first = statement.changes[0].old if statement.changes else statement.values
    for day, values in (
        (statement.registered, first),
        *((change.date, change.new) for change in statement.changes),
    ):
        yield State(day, key, digest({"kind": statement.kind, **values}))
    if statement.sentence:
        day = max(statement.registered, SENTENCES)
        told = digest({"sentence": statement.sentence})
        yield State(day, f"{key}/sentence", told)
    for number, reading in enumerate(statement.readings, start=2):
        yield State(
            reading.registered, f"{key}/reading {number}", digest(reading.values)
        )


def _of_table(path: Path) -> Iterator[State]:
    """The rows of a table. Those without a date are dated by the ledger's first day.

    CSV files of statements have no changes either, so theirs must stay as they are.
    """
    if files.columns(path) == EXPERIMENT_COLUMNS:
        for _, row in files.rows(path):
            yield State(row["date"], f"experiments/{row['file']}", digest(row))
        return
    if statements.is_table_of_statements(path):
        for statement in statements.read(path):
            told = digest({"kind": statement.kind, **statement.values})
            yield State(EARLIEST, f"{path.stem}/{statement.id}", told)
        return
    if cells.is_cells(path):
        for cell in cells.read(path):
            names = (cell.row, cell.column, cell.case)
            values = {name: getattr(cell, name) for name in cells.CRITERION}
            values["point"] = dict(cell.point)
            key = "/".join((path.stem, *names))
            yield State(cell.registered, key, digest(values))
        return
    for number in deviations.read(path):
        group = " ".join(f"{name}={value:g}" for name, value in number.group.items())
        place = (number.row, number.environment, number.case, group, number.statistic)
        values = {"experiment": number.experiment, "metric": number.metric}
        key = "/".join((path.stem, *filter(None, place)))
        yield State(EARLIEST, key, digest({**values, "percent": number.percent}))


def _of_rules(path: Path) -> Iterator[State]:
    """The texts that a rule has had, each from its date on.

    The first text of a rule with changes has the date `since`; without this key it is
    as old as the first files.
    """
    document = read_document(path)
    for index in range(len(document.checked((), ("rules",))["rules"])):
        place = ("rules", index)
        needed = ("id", "registered", "rule")
        rule = document.checked(place, needed, ("changes", "since"))
        for change in range(len(rule.get("changes") or ())):
            document.checked(
                (*place, "changes", change), ("date", "from", "why"), ("to", "commit")
            )
        texts = [(rule["registered"], rule["rule"])]
        for entry in reversed(rule.get("changes") or ()):
            texts[0] = (entry["date"], texts[0][1])
            texts.insert(0, (rule.get("since", EARLIEST), entry["from"]))
        for day, text in texts:
            yield State(day, f"rules/{rule['id']}", digest({"rule": text}))


def read(path: Path) -> tuple[Line, ...]:
    """The lines of a ledger, in order. Raises ValueError if one was edited."""
    if files.columns(path) != COLUMNS:
        raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}")
    lines, chain = [], ""
    for place, row in files.rows(path):
        if set(row) != set(COLUMNS) or None in row.values():
            raise ValueError(
                f"{place}: must have {len(COLUMNS)} columns; restore the line"
            )
        line = Line(**row)
        if line.chain != _link(chain, line):
            raise ValueError(
                f"{place}: {line.id}: this line or an earlier one was edited; restore"
                " it, and register a change instead"
            )
        lines.append(line)
        chain = line.chain
    return tuple(lines)


def missing(lines: Sequence[Line], known: Iterable[State]) -> list[State]:
    """The states that the ledger lacks.

    Raises ValueError if the states contradict the ledger: a criterion was changed or
    dropped without an entry under `changes`.
    """
    registered: dict[str, list[Line]] = {}
    for line in lines:
        registered.setdefault(line.id, []).append(line)
    given: dict[str, list[State]] = {}
    for state in known:
        given.setdefault(state.id, []).append(state)
    for key, old in registered.items():
        new = given.get(key)
        if new is None:
            raise ValueError(f"{key}: the ledger has it, the files do not; restore it")
        if len(new) < len(old):
            raise ValueError(f"{key}: an entry under 'changes' is gone; restore it")
        for line, state in zip(old, new, strict=False):
            if (line.date, line.digest) != (state.date, state.digest):
                raise ValueError(
                    f"{key}: the criterion of {line.date} differs from the ledger's;"
                    " restore it, and add an entry under 'changes' with date, from, to"
                    " and why"
                )
    return [
        state
        for key, new in given.items()
        for state in new[len(registered.get(key, ())) :]
    ]


def extended(lines: Sequence[Line], more: Iterable[State]) -> tuple[Line, ...]:
    """The lines with more states behind them."""
    grown = list(lines)
    for state in more:
        chain = grown[-1].chain if grown else ""
        grown.append(Line(state.date, state.id, state.digest, _link(chain, state)))
    return tuple(grown)


def written(lines: Sequence[Line]) -> str:
    """The file with these lines."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(astuple(line) for line in lines)
    return text.getvalue()


def _link(chain: str, state: State) -> str:
    text = "\n".join((chain, state.date, state.id, state.digest))
    return sha256(text.encode()).hexdigest()[:16]


def main(folder: Path) -> str:
    """Add the lines for new entries; returns what was done."""
    path = folder / NAME
    lines = read(path) if path.is_file() else ()
    more = missing(lines, states(folder))
    path.write_text(written(extended(lines, more)), encoding="utf-8")
    return f"{path}: {len(more)} new, {len(lines) + len(more)} lines"


if __name__ == "__main__":
    try:
        print(main(Path(*sys.argv[1:2])))
    except (OSError, ValueError) as error:
        sys.exit(str(error))
