"""Published statements, and the criterion by which each is judged.

Files in `results/published/` have one entry per statement: its text as printed, where
it stands, how it is read as numbers, when this was registered, and every change. A
user's own file may be a CSV file with one statement per row, without dates or changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from analysis.published import ages as criterion_ages
from analysis.published import criterion as criteria
from analysis.published import files
from analysis.published.criterion import Criterion
from analysis.published.document import Document, Place
from analysis.published.document import read as read_document

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
"""Columns that a CSV file may have in addition."""
KINDS = ("statement", "input")
NEEDED = ("id", "kind", "text", "statement", "registered", "criterion")
OPTIONAL = ("section", "page", "figure", "sentence", "readings", "changes")


@dataclass(frozen=True)
class Reading:
    """A second criterion for a text that allows it.

    because : why the text allows it
    """

    registered: str
    because: str
    values: Mapping[str, Any]
    criterion: Criterion


@dataclass(frozen=True)
class Change:
    """A change of a criterion.

    before, after : the keys that changed, with None for a key that was not set
    old, new : the whole criterion before and after the change, as keys and values
    commit : the commit that made the change; "" for the commit of this entry
    """

    date: str
    why: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    commit: str = ""


@dataclass(frozen=True)
class Statement:
    """A published statement and how it is read as numbers.

    text : as printed; "" in a CSV file
    sentence : the sentence of the publication that it belongs to, as the section and a
        number; "" if the file names none
    statement : in our words
    kind : `input` for what the design was given, which is told but not counted
    values : the criterion as keys and values, for the ledger
    registered : the date of the first criterion; "" in a CSV file
    age : whether the criterion stood before the first result, as ages.AGES has it; ""
        where the folder does not say
    """

    id: str
    section: str
    page: str
    figure: str
    statement: str
    criterion: Criterion
    text: str = ""
    sentence: str = ""
    kind: str = "statement"
    registered: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    changes: tuple[Change, ...] = ()
    age: str = ""

    def campaigns(self) -> set[str]:
        """The campaigns that the criterion and the readings name."""
        criteria = (self.criterion, *(one.criterion for one in self.readings))
        return {name for one in criteria for name in one.sets.campaigns()}

    def of(self, campaign: str) -> bool:
        """Whether this campaign alone can answer the statement."""
        return self.criterion.sets.campaigns() <= {campaign}


def is_table_of_statements(path: Path) -> bool:
    """Whether a CSV file has one statement per row."""
    return files.columns(path) in (COLUMNS, COLUMNS + MORE_COLUMNS)


def read(path: Path) -> tuple[Statement, ...]:
    """The statements of a file. Raises ValueError, `file:line: what is wrong`."""
    found = _read_csv(path) if path.suffix == ".csv" else _read_yaml(path)
    ages = criterion_ages.read(path.parent)
    return tuple(
        replace(statement, age=ages.get(f"{path.stem}/{statement.id}", ""))
        for statement in found
    )


def _read_yaml(path: Path) -> tuple[Statement, ...]:
    document = read_document(path)
    entries = document.checked((), ("source", "statements"))["statements"]
    if not isinstance(entries, Sequence) or isinstance(entries, str) or not entries:
        raise ValueError(
            f"{document.at(('statements',))}: must be a list of statements"
        )
    known: dict[str, Statement] = {}
    for index in range(len(entries)):
        place = ("statements", index)
        statement = _statement(document, place)
        if statement.id in known:
            raise ValueError(
                f"{document.at(place)}: a second statement with the id {statement.id}"
            )
        known[statement.id] = statement
    return tuple(known.values())


def _statement(document: Document, place: Place) -> Statement:
    entry = document.checked(place, NEEDED, OPTIONAL)
    if entry["kind"] not in KINDS:
        raise ValueError(
            f"{document.at((*place, 'kind'))}: kind {entry['kind']!r}; has"
            f" {', '.join(KINDS)}"
        )
    values, criterion = _criterion(document, (*place, "criterion"))
    registered = _date(document, (*place, "registered"))
    return Statement(
        id=str(entry["id"]),
        section=str(entry.get("section") or ""),
        page=str(entry.get("page") or ""),
        figure=str(entry.get("figure") or ""),
        statement=str(entry["statement"]),
        criterion=criterion,
        text=str(entry["text"]),
        sentence=str(entry.get("sentence") or ""),
        kind=entry["kind"],
        registered=registered,
        values=values,
        readings=tuple(_readings(document, place)),
        changes=_changes(document, place, values, registered),
    )


def _entries(document: Document, place: Place, key: str) -> Sequence[Any]:
    """The list under a key of a statement, which may be missing."""
    entries = document.checked(place, NEEDED, OPTIONAL).get(key) or ()
    if not isinstance(entries, list | tuple):
        raise ValueError(f"{document.at((*place, key))}: {key} must be a list")
    return entries


def _readings(document: Document, place: Place) -> Iterator[Reading]:
    for index in range(len(_entries(document, place, "readings"))):
        at = (*place, "readings", index)
        entry = document.checked(at, ("registered", "because", "criterion"))
        values, criterion = _criterion(document, (*at, "criterion"))
        registered = _date(document, (*at, "registered"))
        yield Reading(registered, str(entry["because"]), values, criterion)


def _changes(
    document: Document, place: Place, values: Mapping[str, Any], registered: str
) -> tuple[Change, ...]:
    """The changes, oldest first. They are undone from the last to the first."""
    changes: list[Change] = []
    new, latest = dict(values), "9999-12-31"
    for index in reversed(range(len(_entries(document, place, "changes")))):
        at = (*place, "changes", index)
        given = document.checked(at, ("date", "from", "to", "why"), ("commit",))
        day = _date(document, (*at, "date"))
        if not registered <= day <= latest:
            raise ValueError(f"{document.at(at)}: the dates are not in order")
        before = document.checked((*at, "from"), (), criteria.KEYS)
        after = document.checked((*at, "to"), (), criteria.KEYS)
        if set(before) != set(after):
            raise ValueError(f"{document.at(at)}: 'from' and 'to' have different keys")
        for key, value in after.items():
            if new.get(key) != value:
                raise ValueError(
                    f"{document.at((*at, 'to'))}: {key} is {value!r} here, but"
                    f" {new.get(key)!r} in what follows"
                )
        old = criteria.normal({**new, **before})
        changes.append(
            Change(
                date=day,
                why=str(given["why"]),
                before=before,
                after=after,
                old=old,
                new=criteria.normal(new),
                commit=str(given.get("commit") or ""),
            )
        )
        new, latest = old, day
    for change in changes:
        for state in filter(None, (change.old, change.new)):
            _parsed(document, place, state)
    return tuple(reversed(changes))


def _criterion(document: Document, place: Place) -> tuple[dict[str, Any], Criterion]:
    values = criteria.normal(document.checked(place, ("statistic",), criteria.KEYS))
    return values, _parsed(document, place, values)


def _parsed(document: Document, place: Place, values: Mapping[str, Any]) -> Criterion:
    try:
        return criteria.parse(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{document.at(place)}: {error}") from None


def _date(document: Document, place: Place) -> str:
    value = document.values
    for step in place:
        value = value[step]
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise ValueError(
            f"{document.at(place)}: {value!r} is no date; write 2026-11-22"
        ) from None


def _read_csv(path: Path) -> tuple[Statement, ...]:
    if not is_table_of_statements(path):
        names = ",".join(COLUMNS)
        more = ",".join(MORE_COLUMNS)
        raise ValueError(f"{path}:1: columns must be {names}, or these and {more}")
    return tuple(_row(row, place) for place, row in files.rows(path))


def _row(row: Mapping[str, str], place: str) -> Statement:
    values = {key: row[key] for key in criteria.KEYS if row.get(key)}
    try:
        return Statement(
            id=row["id"],
            section=row["section"],
            page=row["page"],
            figure=row["figure"],
            statement=row["statement"],
            criterion=criteria.parse(values),
            values=values,
        )
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place}: {error}") from None
