"""Phases: parts of a run that are also measured separately."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.config import JsonDict

from jobs.changes import Series
from mpbench.spec.changes import LinkChanges
from mpbench.spec.traffic import DAY_S
from mpbench.spec.values import Faults, Name, Part, Quantity

_RANGE = re.compile(r"\s*(.+?)\s*\.\.\s*(.+?)\s*")


class Phase(Part):
    """From one time to another, after the beginning of the traffic."""

    start: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        description="Start of the phase."
    )
    end: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        description="End of the phase."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.start >= self.end:
            raise ValueError(
                f"ends at {self.end:g} s, not after it starts at {self.start:g} s"
            )
        return self


def read_range(value: object) -> object:
    """`0 s..40 s`, or the mapping."""
    if isinstance(value, dict):
        if {"from", "to"} & value.keys():
            raise ValueError("a range of time has start and end; write e.g. 0 s..40 s")
        return value
    match = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"'{value}' is not a range of time; write e.g. 0 s..40 s")
    return {"start": match[1], "end": match[2]}


def range_schema(schema: JsonDict) -> None:
    """In the JSON Schema: the short form will do."""
    mapping = schema.pop("$ref", None)
    text: JsonDict = {"type": "string", "pattern": _RANGE.pattern}
    schema["anyOf"] = [{"$ref": mapping}, text]
    schema["examples"] = ["0 s..40 s"]


TimeRange = Annotated[
    Phase, BeforeValidator(read_range), Field(json_schema_extra=range_schema)
]
Phases = dict[Name, TimeRange]


BEFORE, DURING, AFTER = "before", "during", "after"
"""The phases of an experiment that names none, but whose links change at times."""


def usual_names(changes: Mapping[str, LinkChanges]) -> tuple[str, ...]:
    """The names of the phases that follow from the changes; none without any."""
    times = _times(changes)
    if not times:
        return ()
    return (BEFORE, AFTER) if len(times) == 1 else (BEFORE, DURING, AFTER)


def usual(
    changes: Mapping[str, LinkChanges],
    made: Iterable[Series],
    begin_s: float,
    end_s: float,
) -> dict[str, tuple[float, float]]:
    """The phases that follow from the changes of one run: before the first one, until
    the last one, and after it.

    made : the changes of the run's job, with their times
    begin_s, end_s : of the traffic
    """
    links = _stepwise(changes)
    stepwise = [one for one in made if one.link in links and one.period_s is None]
    times = sorted({t for one in stepwise for t in one.at_s if begin_s < t < end_s})
    if not times:
        return {}
    edges = {BEFORE: (begin_s, times[0]), AFTER: (times[-1], end_s)}
    if len(times) > 1:
        edges[DURING] = (times[0], times[-1])
    return dict(sorted(edges.items(), key=lambda pair: pair[1]))


def spans(
    phases: Mapping[str, Phase],
    changes: Mapping[str, LinkChanges],
    begin_s: float,
    end_s: float | None,
) -> dict[str, tuple[float, float] | None]:
    """Start and end of each phase in order; None where the runs differ.

    phases : those of the file; without any, they follow from the changes
    begin_s, end_s : of the traffic; None for an end that is not known
    """
    if phases or end_s is None:
        in_order = sorted(phases.items(), key=lambda pair: pair[1].start)
        return {name: (each.start, each.end) for name, each in in_order}
    times = _times(changes)
    known = sorted(time for time in times if isinstance(time, float))
    names = usual_names(changes)
    if len(known) < len(times) or not begin_s < min(known, default=0):
        return dict.fromkeys(names)
    edges = [begin_s, known[0], *known[1:][-1:], end_s]
    return dict(zip(names, pairwise(edges), strict=True))


def _times(changes: Mapping[str, LinkChanges]) -> set[float | str]:
    """The different times of changes after 0 s; a text for one that is computed."""
    pairs = [p for one in _stepwise(changes).values() for p in one.times.items()]
    return {t if isinstance(t, float) else text for text, t in pairs if t != 0}


def _stepwise(changes: Mapping[str, LinkChanges]) -> dict[str, LinkChanges]:
    """The links that change at given times, and do not begin again."""
    return {
        name: one
        for name, one in changes.items()
        if one.at and one.repeat is None and one.every is None and one.trace is None
    }


def check_phases(
    phases: Mapping[str, Phase], end_s: float | None, faults: Faults
) -> None:
    """No phase overlaps another, and none goes on after the traffic.

    end_s : when the last traffic ends; None if that is not known beforehand
    """
    in_order = sorted(phases.items(), key=lambda pair: pair[1].start)
    for (before, earlier), (name, later) in pairwise(in_order):
        if later.start < earlier.end:
            reason = f"starts at {later.start:g} s, within {before}, which ends at"
            faults.add(("phases", name), f"{reason} {earlier.end:g} s; start later")
    for name, phase in phases.items():
        if "." in name:
            reason = f"'{name}' has a dot, which separates columns; write '-'"
            faults.add(("phases", name), reason)
        if end_s is not None and phase.end > end_s:
            reason = f"ends at {phase.end:g} s, but the traffic at {end_s:g} s"
            faults.add(("phases", name), reason)
