"""Metrics beyond mpbench's own: the columns that an experiment's own programs give."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tools
from analysis.campaign.directions import Direction
from analysis.run.number_columns import column
from mpbench.spec import flows
from mpbench.spec.plugins import Metric
from mpbench.spec.suggestions import nearest
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults, Mark, OneOf
from mpbench.spec.vocabulary import METRICS

DOT = "."
"""Columns of programs have a dot, which no metric of mpbench has."""


@dataclass(frozen=True)
class MetricName(Mark):
    """Marks a metric of mpbench, or a column such as `command.time_ms`.

    Whether a program of the experiment gives the column is checked with the whole file:
    see `check`.
    """

    def check(self, value: object) -> str:
        if isinstance(value, str) and DOT in value:
            return value
        if isinstance(value, str) and value in METRICS:
            return value
        return OneOf("metric", METRICS, _of_tools()).check(value)

    def schema(self) -> dict[str, Any]:
        columns = {"type": "string", "pattern": r"^[A-Za-z0-9_-]+\..+$"}
        return {"anyOf": [{"type": "string", "enum": list(METRICS)}, columns]}


def _of_tools() -> tuple[str, ...]:
    """The columns that mpbench's own tools give, of entries without a name."""
    having = (tool for tool in tools.NAMES if tools.has_part(tool, "columns"))
    return tuple(n for tool in having for n in tools.part(tool, "columns").LABELS)


def columns(
    traffic: Sequence[Entry],
    metrics: Mapping[str, Metric],
    of_bulk: Sequence[str] = (),
) -> tuple[str, ...]:
    """The columns that the programs of the traffic and the user's own metrics give.

    of_bulk : those of each entry of bulk data

    Those of programs begin with the entry's name, unless the only entry has none.
    """
    own = tuple(
        column(number, unit, name)
        for name, metric in metrics.items()
        for number, unit in metric.numbers.items()
    )
    return own + tuple(
        f"{prefix}{given}"
        for prefix, entry in _prefixed(traffic)
        for given in (*entry.columns, *(of_bulk if entry.plain_bulk else ()))
    )


def directions(
    traffic: Sequence[Entry], metrics: Mapping[str, Metric]
) -> dict[str, Direction]:
    """The directions in which these columns are good, of those that say so."""
    own = {
        column(number, metric.numbers[number], name): direction
        for name, metric in metrics.items()
        for number, direction in metric.good.items()
        if number in metric.numbers
    }
    return own | {
        f"{prefix}{given}": direction
        for prefix, entry in _prefixed(traffic)
        for given, direction in entry.good.items()
    }


def _prefixed(traffic: Sequence[Entry]) -> Iterator[tuple[str, Entry]]:
    """The entries, and what their columns begin with."""
    named = len(traffic) > 1 or traffic[0].name is not None
    for name, entry in zip(flows.names(traffic), traffic, strict=True):
        yield (f"{name}." if named else ""), entry


def check(
    metrics: Sequence[str], known: Sequence[str], parts: Sequence[str], faults: Faults
) -> None:
    """Every metric with a dot is a column that a program gives.

    parts : phases and traffic entries, whose metrics need not be asked for
    """
    for index, metric in enumerate(metrics):
        if DOT not in metric or metric in known:
            continue
        part, _, of_part = metric.partition(DOT)
        if part in parts and of_part in METRICS:
            reason = (
                f"'{part}' is a part of the run, whose metrics are measured with those"
                f" of the whole; write {of_part} here, and {metric} below compare:"
                " or in a figure"
            )
            faults.add(("metrics", index), reason)
            continue
        hint = nearest(metric, known) if known else f"known: {', '.join(METRICS)}"
        reason = f"no program of the experiment gives '{metric}'"
        faults.add(("metrics", index), f"{reason}; {hint}")
