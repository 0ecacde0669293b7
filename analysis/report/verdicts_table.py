"""The verdicts of a page as a table for programs, `verdicts.csv` beside it."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from analysis.published import files, sentences
from analysis.published.answers import Answer
from analysis.published.cells import Compared
from analysis.published.judging import Verdict

NAME = "verdicts.csv"
STATEMENT, CELL = "statement", "cell"
NOT_MEASURED = "not measured"
VERDICTS = (*(verdict.value for verdict in Verdict), NOT_MEASURED)


@dataclass(frozen=True)
class Row:
    """A verdict on a statement or a cell.

    id : of a statement; of a cell, its table, row, column and case
    sentence : that a statement belongs to; empty for a cell
    figure : `3.4a`, `Table 5.3`; empty if the file names none
    age : of a statement's criterion, as ages.AGES has it
    configuration : empty for the page of one campaign
    """

    kind: str
    id: str
    sentence: str
    section: str
    figure: str
    age: str
    registered: str
    configuration: str
    verdict: str
    fragile: str


COLUMNS = tuple(one.name for one in fields(Row))


def of_answer(answer: Answer, configuration: str = "") -> Row:
    """The row of a statement."""
    one = answer.statement
    verdict = answer.verdict.value if answer.verdict else NOT_MEASURED
    return Row(
        STATEMENT,
        one.id,
        sentences.of(one),
        one.section,
        one.figure,
        one.age,
        one.registered,
        configuration,
        verdict,
        "fragile" if answer.fragile else "",
    )


def of_cell(table: str, compared: Compared, configuration: str = "") -> Row:
    """The row of a cell of the figure or table `table`."""
    cell = compared.cell
    verdict = compared.verdict.value if compared.verdict else NOT_MEASURED
    return Row(
        CELL,
        "/".join((table, cell.row, cell.column, cell.case)),
        "",
        "",
        table,
        "",
        cell.registered,
        configuration,
        verdict,
        "fragile" if compared.fragile else "",
    )


def elsewhere(
    table: str, verdicts: Sequence[Verdict | None], configuration: str = ""
) -> list[Row]:
    """The rows of cells that another command compares; None if it has not yet."""
    return [
        Row(
            CELL, f"{table}/{number}", "", "", table, "", "", configuration,
            verdict.value if verdict else NOT_MEASURED, "",
        )
        for number, verdict in enumerate(verdicts, start=1)
    ]  # fmt: skip


def write(folder: Path, rows: Iterable[Row]) -> None:
    """Write the table into a folder. Without rows, there is no file."""
    given = list(rows)
    path = folder / NAME
    if not given:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(astuple(row) for row in given)
    path.write_text(text.getvalue(), encoding="utf-8")


def read(path: Path) -> Sequence[Row]:
    """The rows of a table. Raises ValueError, `file:line: what is wrong`."""
    if files.columns(path) != COLUMNS:
        raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}")
    found = []
    for place, row in files.rows(path):
        if row["kind"] not in (STATEMENT, CELL) or row["verdict"] not in VERDICTS:
            raise ValueError(
                f"{place}: kind must be {STATEMENT} or {CELL}, and verdict one of"
                f" {', '.join(VERDICTS)}"
            )
        found.append(Row(**row))
    return found
