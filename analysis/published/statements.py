"""Published statements, and whether a campaign says the same.

Files in `results/published/` have one statement per row: where it stands in print, in
our words, and how it is read here: as a statistic and the relation that it must have.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from analysis.published import selection
from analysis.published.selection import Selection
from analysis.published.statistics import SIGNIFICANCE, STATISTICS, Finding, Question
from analysis.published.two_sample import TWO_SAMPLE

COLUMNS = (
    "id",
    "section",
    "page",
    "figure",
    "statement",
    "statistic",
    "metric",
    "criterion",
    "above",
    "up_to",
    "relation",
    "value",
    "tolerance",
)
MORE_COLUMNS = ("rows", "against", "threshold")
"""Columns that a file may have in addition."""
RELATIONS = ("<", ">", "=", "about", "insignificant", "")


@dataclass(frozen=True)
class Statement:
    """A published statement and how it is read as numbers.

    relation : what the statistic must be: `<`, `>` or `=` to `value`; `about`, within
        `tolerance` of it; `insignificant`, where the statistic is a test; or "", which
        compares nothing. For `<` and `>` a test must be significant too
    value : a number; the name of another metric, whose same statistic is meant; or ""
    rows : the runs that the statement is about
    against : the runs that they are compared with, or None
    threshold : for statistics that count runs above or below it
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
        """Whether this campaign alone can answer the statement."""
        names = {self.rows.campaign, self.against.campaign if self.against else ""}
        return names <= {"", campaign}


@dataclass(frozen=True)
class Answer:
    """What a campaign says to a statement.

    ours : the campaign's value in words
    n : number of rows behind it
    agrees : None where nothing can be compared
    """

    statement: Statement
    ours: str
    n: int
    agrees: bool | None


def read(path: Path) -> tuple[Statement, ...]:
    """The statements of a file. Raises ValueError, `file:line: what is wrong`."""
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
    """What runs of MPTCP that are all ok say to a statement.

    rows : all runs of the campaign; the function selects those that the statement is
        about
    factors : columns of numbers that the design varies
    others : all runs of the campaign that it is compared with, if that is another one
    """
    try:
        finding, wanted = _compute(statement, factors, rows, others)
    except (KeyError, ValueError) as error:
        missing = isinstance(error, KeyError)
        reason = f"no column {error}" if missing else str(error)
        return Answer(statement, f"not measured: {reason}", 0, None)
    agrees = _agrees(statement, finding, wanted)
    return Answer(statement, finding.text, finding.n, agrees)


def holds(
    statement: Statement,
    rows: pd.DataFrame,
    factors: tuple[str, ...],
    others: pd.DataFrame | None = None,
) -> bool:
    """Whether the relation holds, significant or not.

    Raises ValueError for a relation that is a test's answer or compares nothing, and
    where there are too few rows.
    """
    if statement.relation in ("insignificant", ""):
        raise ValueError(f"{statement.id}: {statement.relation!r} is no comparison")
    finding, wanted = _compute(statement, factors, rows, others)
    return _agrees(statement, replace(finding, p=None), wanted) is True


def _compute(
    statement: Statement,
    factors: tuple[str, ...],
    rows: pd.DataFrame,
    others: pd.DataFrame | None,
) -> tuple[Finding, float]:
    """The statistic, and the value that it is compared with."""
    question = Question(
        statement.metric,
        statement.criterion,
        statement.above,
        statement.up_to,
        factors,
        statement.threshold,
    )
    selected = statement.rows.of(rows)
    if statement.against is not None:
        compared = statement.against.of(rows if others is None else others)
        if statement.statistic in TWO_SAMPLE:
            two_sample = TWO_SAMPLE[statement.statistic]
            return two_sample(selected, compared, question), float(statement.value or 0)
        statistic = STATISTICS[statement.statistic]
        finding = statistic(selected, question)
        other = statistic(compared, question)
    else:
        statistic = STATISTICS[statement.statistic]
        finding = statistic(selected, question)
        if not statement.value or _number(statement.value):
            return finding, float(statement.value or 0)
        other = statistic(selected, replace(question, metric=statement.value))
    # A test of one sample against 0 says nothing about the two together.
    text = f"{finding.text} (against {other.text})"
    return replace(finding, text=text, p=None), other.value


def _agrees(statement: Statement, finding: Finding, wanted: float) -> bool | None:
    significant = finding.p is None or finding.p < SIGNIFICANCE
    match statement.relation:
        case "<":
            return finding.value < wanted and significant
        case ">":
            return finding.value > wanted and significant
        case "=":
            return finding.value == wanted
        case "about":
            return abs(finding.value - wanted) <= statement.tolerance
        case "insignificant":
            return not significant
    return None


def _statement(row: Mapping[str, str], place: str) -> Statement:
    known_statistics = (*STATISTICS, *TWO_SAMPLE)
    for name, known in (("statistic", known_statistics), ("relation", RELATIONS)):
        if row[name] not in known:
            known_names = ", ".join(filter(None, known))
            raise ValueError(f"{place}: {name} {row[name]!r}; has {known_names}")
    against = row.get("against") or ""
    if row["statistic"] in TWO_SAMPLE and not against:
        raise ValueError(
            f"{place}: {row['statistic']} needs runs to compare with in 'against'"
        )
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
