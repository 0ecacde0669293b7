"""Published statements, and whether a campaign says the same.

`results/published/*.csv` has one statement a row: where it stands, in our words,
and how it is read here, as a statistic and a relation that it should have.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from analysis.statistics import SIGNIFICANCE, STATISTICS, Finding, Question

COLUMNS = (
    *("id", "section", "page", "figure", "statement", "statistic", "metric"),
    *("criterion", "above", "up_to", "relation", "value", "tolerance"),
)
CASE = "case"
"""A last column that a file may have: the case that a statement is of; of all, if it
is empty."""
RELATIONS = ("<", ">", "=", "about", "insignificant", "")


@dataclass(frozen=True)
class Statement:
    """relation : of the statistic to `value`

    `<`, `>`, `=`; `about`, within `tolerance`; `insignificant`, which is the test's
    answer; "", which compares nothing. A test must also be significant for `<`, `>`.
    value : a number, or another metric whose same statistic is meant, or ""
    """

    id: str
    section: str
    page: str
    figure: str
    statement: str
    statistic: str
    metric: str
    criterion: str
    above: float | None
    up_to: float | None
    relation: str
    value: str
    tolerance: float
    case: str = ""


@dataclass(frozen=True)
class Answer:
    """ours : what the campaign gives; agrees : None where nothing is compared."""

    statement: Statement
    ours: str
    n: int
    agrees: bool | None


def read(path: Path) -> tuple[Statement, ...]:
    """Raises ValueError, `file:line: what is wrong`, for a file that is not so."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) not in (COLUMNS, (*COLUMNS, CASE)):
            raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}[,{CASE}]")
        return tuple(_statement(row, f"{path}:{reader.line_num}") for row in reader)


def answer(
    statement: Statement, rows: pd.DataFrame, factors: tuple[str, ...]
) -> Answer:
    """What the rows of one case, all ok, say to a statement."""
    question = Question(
        statement.metric,
        statement.criterion,
        statement.above,
        statement.up_to,
        factors,
    )
    statistic = STATISTICS[statement.statistic]
    try:
        found = statistic(rows, question)
        if statement.value and not _number(statement.value):
            other = statistic(rows, replace(question, metric=statement.value))
            text = f"{found.text} (against {other.text})"
            found = replace(found, text=text)
            wanted = other.value
        else:
            wanted = float(statement.value or 0)
    except (KeyError, ValueError) as error:
        missing = isinstance(error, KeyError)
        reason = f"no column {error}" if missing else str(error)
        return Answer(statement, f"not measured: {reason}", 0, None)
    return Answer(statement, found.text, found.n, _agrees(statement, found, wanted))


def _agrees(statement: Statement, found: Finding, wanted: float) -> bool | None:
    significant = found.p is None or found.p < SIGNIFICANCE
    match statement.relation:
        case "<":
            return found.value < wanted and significant
        case ">":
            return found.value > wanted and significant
        case "=":
            return found.value == wanted
        case "about":
            return abs(found.value - wanted) <= statement.tolerance
        case "insignificant":
            return not significant
    return None


def _statement(row: Mapping[str, str], place: str) -> Statement:
    for name, known in (("statistic", tuple(STATISTICS)), ("relation", RELATIONS)):
        if row[name] not in known:
            known_names = ", ".join(filter(None, known))
            raise ValueError(f"{place}: {name} {row[name]!r}; has {known_names}")
    try:
        numbers = {
            "above": float(row["above"]) if row["above"] else None,
            "up_to": float(row["up_to"]) if row["up_to"] else None,
            "tolerance": float(row["tolerance"] or 0),
        }
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    text = {name: row[name] for name in COLUMNS if name not in numbers}
    text[CASE] = row.get(CASE) or ""
    return Statement(**text, **numbers)  # type: ignore[arg-type]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
