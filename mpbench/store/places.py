"""Places of runs in an experiment: case, repetition and factors, by a run's own row.

`campaign.json` labels every run of the plan. The row of a run has the same labels, and
the run's manifest covers it. Where both differ, the row decides, and readers say so.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mpbench.store.campaign import Entry

Row = Mapping[str, Any]
SHOWN = 80
"""Characters of a value in a message."""
READ_BACK = ".jitter_ms"
"""The end of the names of factors that a row has as the network shows them."""
ROUNDED_MS = 0.002
"""A netem takes whole ticks of 64 ns, and tc shows whole microseconds."""


class Places:
    """The labels of runs, from a plan and the runs' own rows.

    plan : the entries of `campaign.json`
    """

    def __init__(self, plan: Iterable[Entry]) -> None:
        self._points: dict[tuple[tuple[str, Any], ...], set[int]] = {}
        for entry in plan:
            self._points.setdefault(_key(entry.factors), set()).add(entry.point)

    def of(self, entry: Entry, row: Row) -> Entry:
        """The entry with the labels that the run's own row has.

        A point has the number that the plan gives to its factors, because a design
        that grows may give its points other numbers.
        """
        factors = {key: row.get(key, value) for key, value in entry.factors.items()}
        points = self._points.get(_key(factors), {row.get("point", entry.point)})
        point = entry.point if entry.point in points else min(points)
        return replace(
            entry,
            point=point,
            case=row.get("case", entry.case),
            repetition=row.get("repetition", entry.repetition),
            factors=factors,
        )

    def fault(self, entry: Entry, row: Row) -> str:
        """Difference between a run's label in `campaign.json` and its row, one line; ""
        if none."""
        own = self.of(entry, row)
        labels: dict[str, tuple[Any, Any]] = {"case": (entry.case, own.case)}
        labels["repetition"] = (entry.repetition, own.repetition)
        labels |= {key: (entry.factors[key], own.factors[key]) for key in own.factors}
        labels["point"] = (entry.point, own.point)
        for name, (told, found) in labels.items():
            if told != found and not _rounded(name, told, found):
                return (
                    f"campaign.json: run {entry.id} has the {name} {_shown(told)}, but"
                    f" {_shown(found)} by its own row, which decides"
                )
        return ""


def _rounded(name: str, told: Any, found: Any) -> bool:
    """Whether a row has a factor as tc shows it, which rounds."""
    numbers = all(isinstance(value, int | float) for value in (told, found))
    return numbers and name.endswith(READ_BACK) and abs(told - found) <= ROUNDED_MS


def faults(plan: Iterable[Entry], rows: Mapping[str, Row]) -> Iterator[str]:
    """Every run that `campaign.json` labels otherwise than the run's own row.

    rows : by id
    """
    entries = list(plan)
    places = Places(entries)
    for entry in entries:
        if entry.id in rows and (fault := places.fault(entry, rows[entry.id])):
            yield fault


def relabelled(row: Row, entry: Entry) -> dict[str, Any]:
    """The row with the labels of `entry`."""
    place = entry.columns()
    return {**place, **{key: value for key, value in row.items() if key not in place}}


def _key(factors: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(factors.items()))


def _shown(value: object) -> str:
    return repr(value)[:SHOWN]
