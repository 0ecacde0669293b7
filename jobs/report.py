"""Measures of a run. This is no part of the run's id."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from jobs.expect import Expect
from jobs.marks import Bounds
from jobs.values import Name, Seconds

ChangePercent = Annotated[float, Bounds(-100, 100)]


@dataclass(frozen=True, kw_only=True)
class Report:
    """names : of the traffic entries, in order, null for an entry without a name; None
        if there is a single entry without a name
    phases : name to (start, end), seconds after the beginning of the traffic
    background : numbers of the traffic entries, from 0, that stay out of goodput,
        fairness and completion
    expect : of the traffic entries, in order, null for an entry that expects nothing;
        empty if none does
    delay_changes_percent : of each link that a repetition perturbs: how much its delay
        differs from the one in the job's parameters, in percent of it
    """

    names: tuple[Name | None, ...] | None
    phases: Mapping[Name, tuple[Seconds, Seconds]]
    background: tuple[Annotated[int, Bounds(least=0)], ...] = ()
    expect: tuple[Expect | None, ...] = ()
    delay_changes_percent: Mapping[Name, ChangePercent] = field(default_factory=dict)
