"""Published statements, and whether a campaign says the same.

`results/published/*.csv` has one statement a row: where it stands, in our words,
and how it is read here, as a statistic and a relation that it should have.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from analysis.published import selection
from analysis.published.selection import Selection
from analysis.published.statistics import SIGNIFICANCE, STATISTICS, Finding, Question
from analysis.published.two_sample import TWO_SIDED

COLUMNS = (
    *("id", "section", "page", "figure", "statement", "statistic", "metric"),
    *("criterion", "above", "up_to", "relation", "value", "tolerance"),
)
MORE_COLUMNS = ("rows", "against", "threshold")
"""That a file may have beside these."""
RELATIONS = ("<", ">", "=", "about", "insignificant", "")


@dataclass(frozen=True)
class Statement:
    """relation : of the statistic to `value`

    `<`, `>`, `=`; `about`, within `tolerance`; `insignificant`, which is the test's
    answer; "", which compares nothing. A test must also be significant for `<`, `>`.
    value : a number, or another metric whose same statistic is meant, or ""
    rows : which runs are asked; against : which others, or None
    threshold : of a statistic that counts runs above or below it
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
    rows: Selection = field(default_factory=Selection)
    against: Selection | None = None
    threshold: float = 0.0

    def of(self, campaign: str) -> bool:
        """Whether this campaign by itself answers it."""
        names = {self.rows.campaign, self.against.campaign if self.against else ""}
        return names <= {"", campaign}


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
        if tuple(reader.fieldnames or ()) not in (COLUMNS, COLUMNS + MORE_COLUMNS):
            names = ",".join(COLUMNS)
            more = ",".join(MORE_COLUMNS)
            raise ValueError(f"{path}:1: columns must be {names}, or these and {more}")
        return tuple(_statement(row, f"{path}:{reader.line_num}") for row in reader)


def answer(
    statement: Statement,
    rows: pd.DataFrame,
    factors: tuple[str, ...],
    others: pd.DataFrame | None = None,
) -> Answer:
    """What runs of MPTCP, all ok, say to a statement.

    rows : of the statement's campaign; those that it is of are taken of them
    others : of the campaign that it is set against, if that is another one
    """
    try:
        found, wanted = _found(statement, factors, rows, others)
    except (KeyError, ValueError) as error:
        missing = isinstance(error, KeyError)
        reason = f"no column {error}" if missing else str(error)
        return Answer(statement, f"not measured: {reason}", 0, None)
    return Answer(statement, found.text, found.n, _agrees(statement, found, wanted))


def holds(
    statement: Statement,
    rows: pd.DataFrame,
    factors: tuple[str, ...],
    others: pd.DataFrame | None = None,
) -> bool:
    """Whether the relation holds of the statistic, be it significant or not.

    Raises ValueError for a relation that is a test's answer, or none, and where there
    are too few rows.
    """
    if statement.relation in ("insignificant", ""):
        raise ValueError(f"{statement.id}: {statement.relation!r} is no comparison")
    found, wanted = _found(statement, factors, rows, others)
    return _agrees(statement, replace(found, p=None), wanted) is True


def _found(
    statement: Statement,
    factors: tuple[str, ...],
    rows: pd.DataFrame,
    others: pd.DataFrame | None,
) -> tuple[Finding, float]:
    """The statistic, and what it is compared with."""
    question = Question(
        statement.metric,
        statement.criterion,
        statement.above,
        statement.up_to,
        factors,
        statement.threshold,
    )
    mine = statement.rows.of(rows)
    if statement.against is not None:
        theirs = statement.against.of(rows if others is None else others)
        if statement.statistic in TWO_SIDED:
            two_sided = TWO_SIDED[statement.statistic]
            return two_sided(mine, theirs, question), float(statement.value or 0)
        statistic = STATISTICS[statement.statistic]
        found, other = statistic(mine, question), statistic(theirs, question)
    else:
        statistic = STATISTICS[statement.statistic]
        found = statistic(mine, question)
        if not statement.value or _number(statement.value):
            return found, float(statement.value or 0)
        other = statistic(mine, replace(question, metric=statement.value))
    # A test of the one side against 0 says nothing of both.
    text = f"{found.text} (against {other.text})"
    return replace(found, text=text, p=None), other.value


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
    known_statistics = (*STATISTICS, *TWO_SIDED)
    for name, known in (("statistic", known_statistics), ("relation", RELATIONS)):
        if row[name] not in known:
            known_names = ", ".join(filter(None, known))
            raise ValueError(f"{place}: {name} {row[name]!r}; has {known_names}")
    against = row.get("against") or ""
    if row["statistic"] in TWO_SIDED and not against:
        raise ValueError(f"{place}: {row['statistic']} needs runs to set it against")
    try:
        numbers = {
            "above": float(row["above"]) if row["above"] else None,
            "up_to": float(row["up_to"]) if row["up_to"] else None,
            "tolerance": float(row["tolerance"] or 0),
            "threshold": float(row.get("threshold") or 0),
        }
        selections = {
            "rows": selection.read(row.get("rows") or ""),
            "against": selection.read(against) if against else None,
        }
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    text = {name: row[name] for name in COLUMNS if name not in numbers}
    return Statement(**text, **numbers, **selections)  # type: ignore[arg-type]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
