"""Phases: parts of a run that are also measured separately."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.config import JsonDict

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
