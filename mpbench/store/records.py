"""The records of a run as schemas: `host.json`, `row.json` and their parts.

The engine writes these records, and whoever reads one checks it here, so that no
reader meets a list where it expects a number.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from mpbench.errors import DIRECTIONS
from mpbench.store.json_file import DamagedError

Verdict = Literal["ok", "invalid", "failed", "timeout", "interrupted"]
VERDICTS: tuple[str, ...] = get_args(Verdict)
Row = dict[str, Any]

RUN_ID = "^[0-9a-f]{16}$"
"""A run's id becomes the name of a folder, so nothing else is accepted as one."""

UNPRINTABLE = rf"[\x00-\x08\x0a-\x1f\x7f-\x9f{DIRECTIONS}\ud800-\udfff]"
PRINTABLE = rf"^[^\x00-\x08\x0a-\x1f\x7f-\x9f{DIRECTIONS}]*$"
MOST_LINE = 10_000
MOST_NAME = 500
MOST_COLUMNS = 10_000

RunId = Annotated[str, Field(pattern=RUN_ID)]
Line = Annotated[str, Field(max_length=MOST_LINE, pattern=PRINTABLE)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
ConsoleTail = Annotated[list[Line], Field(max_length=1000)]


class Record(BaseModel):
    """A mapping that refuses unknown keys, other types and NaN."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        defer_build=True,
    )


class Exit(Record):
    """The end of an execution (mpbench.backends.base.Exit)."""

    status: Line
    reason: str
    wall_s: float
    virtual_s: float
    cpu_s: float | None = None
    host_accident: bool = False


class Software(BaseModel):
    """The version and the commit of mpbench."""

    model_config = ConfigDict(strict=True, defer_build=True)
    version: Line | None = None
    commit: Line | None = None


class Machine(BaseModel):
    """Facts about the host that are shown."""

    model_config = ConfigDict(strict=True)
    cpu: Line | None = None


class Provenance(BaseModel):
    """Origin of a result; keys beside these may hold anything."""

    model_config = ConfigDict(strict=True, extra="allow")
    mpbench: Software = Software()
    host: Machine = Machine()


class Worker(Record):
    """The worker of a cluster that executes a run (`worker.json`).

    worker : its host's name and its address
    """

    worker: Annotated[str, Field(min_length=1, max_length=MOST_NAME, pattern=PRINTABLE)]


KEPT = "kept"
"""The status of the exit of a run of which nothing but its row was kept."""


class Invocation(Record):
    """A command line and when it was given."""

    argv: list[str]
    at: Line


class Host(Record):
    """`host.json`: what may differ between two executions of a job.

    attempts : how many executions in a row the host cut short, this one included
    copied_from : the id of the run whose artefacts these are, because its kernel has
        the same bytes; None for a run that was executed
    """

    format: Literal[1, 2]
    backend: Line
    build: dict[Line, Line]
    exit: Exit
    cpu: Count | None
    begun: Line
    ended: Line
    invocation: Invocation
    provenance: Provenance
    attempts: Count = 0
    copied_from: Line | None = None

    @property
    def has_row_alone(self) -> bool:
        """Whether nothing of the run was kept but its row."""
        return self.exit.status == KEPT


_TAIL: TypeAdapter[list[str]] = TypeAdapter(ConsoleTail, config=ConfigDict(strict=True))
_PLACE = {"id": str, "case": str, "point": int, "repetition": int}
_UNPRINTABLE = re.compile(UNPRINTABLE)


def check_row(row: Mapping[str, Any], run_id: str) -> None:
    """Raises DamagedError if `row` cannot be the row of the run `run_id`.

    A row maps names of columns to single values; ``console_tail`` alone is a list.
    """
    try:
        _TAIL.validate_python(row.get("console_tail", []))
    except ValidationError as error:
        raise DamagedError(f"console_tail: {first_fault(error)}") from error
    if len(row) > MOST_COLUMNS:
        raise DamagedError(f"more than {MOST_COLUMNS} columns")
    for column, value in row.items():
        if len(column) > MOST_NAME or _UNPRINTABLE.search(column):
            raise DamagedError(f"{column[:40]!r} is not the name of a column")
        if column != "console_tail" and not is_value(value):
            raise DamagedError(f"{column}: not a single value that a table can hold")
    if row.get("verdict") not in VERDICTS:
        raise DamagedError(f"verdict: not one of {', '.join(VERDICTS)}")
    if not isinstance(row.get("reason", ""), str):
        raise DamagedError("reason: not text")
    for column, kind in _PLACE.items():
        value = row.get(column)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise DamagedError(f"{column}: missing or of another kind")
    if row["id"] != run_id:
        raise DamagedError("id: not the name of its folder")


def is_value(value: Any) -> bool:
    """Whether a column can hold `value`: a number of 64 bits, a line, true or null."""
    if isinstance(value, str):
        return len(value) <= MOST_LINE and not _UNPRINTABLE.search(value)
    return value is None or is_number(value)


def is_number(value: Any) -> bool:
    """Whether `value` is a number of 64 bits, or true or false."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and math.isfinite(value)


def validated(model: Any, content: Mapping[str, Any]) -> Any:
    """`content` as an instance of `model`; raises DamagedError with the first fault."""
    try:
        return model.model_validate(dict(content))
    except ValidationError as error:
        raise DamagedError(first_fault(error)) from error


def first_fault(error: ValidationError) -> str:
    """The first fault that pydantic found, in one line: where, and what."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part)[:40] for part in fault["loc"])
    reason = " ".join(fault["msg"].removeprefix("Value error, ").split())
    return f"{place}: {reason}" if place else reason
