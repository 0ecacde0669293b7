"""``campaign.json``: what stands at the head of a results folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from mpbench.errors import UserError
from mpbench.store import atomic, json_file
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import FORMAT, READABLE
from mpbench.store.records import (
    Count,
    Invocation,
    Line,
    Provenance,
    Record,
    RunId,
    is_value,
    validated,
)
from mpbench.version import __version__

MOST_BYTES = 512 << 20
MOST_RUNS = 2_000_000


@dataclass(frozen=True)
class Entry:
    """One run of the plan: its place in the experiment, without its job."""

    id: str
    point: int
    case: str
    repetition: int
    factors: Mapping[str, Any]

    def columns(self) -> dict[str, Any]:
        """The first columns of the run's row."""
        return {
            "id": self.id,
            "point": self.point,
            "case": self.case,
            "repetition": self.repetition,
            **self.factors,
        }


@dataclass(frozen=True)
class Campaign:
    """The head of a results folder.

    name : the experiment's
    spec_hash : of the validated experiment, as the plan gives it
    backend, build : where the runs happen and what else determines their outcome
    plan : every run of the present plan, finished or not
    provenance : of the last invocation (mpbench.store.provenance)
    invocations : command line and date of each, oldest first
    """

    name: str
    spec_hash: str
    backend: str
    build: Mapping[str, str]
    plan: tuple[Entry, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    invocations: tuple[Mapping[str, Any], ...] = ()


def _value(value: object) -> object:
    if not is_value(value) or value is None:
        raise ValueError("neither a number of 64 bits nor a line of text")
    return value


class EntryRecord(Record):
    """An entry of the plan in the file."""

    id: RunId
    point: Count
    case: Annotated[Line, Field(min_length=1, max_length=500)]
    repetition: Count
    factors: dict[Line, Annotated[Any, AfterValidator(_value)]]


class CampaignRecord(Record):
    """The file."""

    format: Literal[1, 2]
    mpbench: Line
    name: Annotated[Line, Field(min_length=1, max_length=500)]
    spec_hash: Line
    backend: Line
    build: dict[Line, Line]
    plan: Annotated[list[EntryRecord], Field(max_length=MOST_RUNS)]
    provenance: Provenance
    invocations: list[Invocation]


def write(path: Path, campaign: Campaign) -> None:
    head = {"format": FORMAT, "mpbench": __version__}
    atomic.write_json(path, {**head, **asdict(campaign)})


def read(path: Path) -> Campaign:
    """Raises UserError if the file is missing, damaged or of another format."""
    content = _content(path)
    if content.get("format") not in READABLE:
        known = " and ".join(map(str, READABLE))
        number = repr(content.get("format"))[:40]
        made_by = repr(content.get("mpbench", "unknown"))[:40].strip("'")
        raise UserError(
            f"{path.parent}: results of format {number}, made by mpbench {made_by}; "
            f"this is mpbench {__version__}, which knows the formats {known}: "
            "use that version, or give another folder with --out"
        )
    try:
        validated(CampaignRecord, content)
    except DamagedError as error:
        raise _damaged(path, str(error)) from error
    return Campaign(
        name=content["name"],
        spec_hash=content["spec_hash"],
        backend=content["backend"],
        build=content["build"],
        plan=tuple(Entry(**entry) for entry in content["plan"]),
        provenance=content["provenance"],
        invocations=tuple(content["invocations"]),
    )


def _content(path: Path) -> dict[str, Any]:
    if path.parent.exists() and not path.parent.is_dir():
        raise UserError(f"{path.parent}: a file, not a results folder")
    try:
        return json_file.read_object(path, MOST_BYTES)
    except DamagedError as error:
        if not path.exists() and not path.is_symlink():
            raise UserError(
                f"{path.parent}: no campaign.json, so not a results folder; "
                "give one that `mpbench run` made"
            ) from error
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, why: str) -> UserError:
    return UserError(
        f"{path}: damaged ({why}); put back the file, or give another folder with --out"
    )
