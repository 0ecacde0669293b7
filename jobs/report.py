"""How a run is measured. This is no part of the run's id."""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.values import Name, Seconds


@dataclass(frozen=True, kw_only=True)
class Report:
    """names : of the traffic entries, in order, null for an entry without a name; None
        if there is a single entry without a name
    phases : name to (start, end), seconds after the beginning of the traffic
    """

    names: tuple[Name | None, ...] | None
    phases: Mapping[Name, tuple[Seconds, Seconds]]
