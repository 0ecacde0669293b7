"""``campaign.json``: what stands at the head of a results folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mpbench import __version__
from mpbench.errors import UserError
from mpbench.store import atomic
from mpbench.store.layout import FORMAT


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


def write(path: Path, campaign: Campaign) -> None:
    head = {"format": FORMAT, "mpbench": __version__}
    atomic.write_json(path, {**head, **asdict(campaign)})


def read(path: Path) -> Campaign:
    """Raises UserError if the file is missing, damaged or of another format."""
    content = _content(path)
    if content.get("format") != FORMAT:
        raise UserError(
            f"{path.parent}: results of format {content.get('format')!r}, made by "
            f"mpbench {content.get('mpbench', 'unknown')}; this is mpbench "
            f"{__version__}, which knows format {FORMAT}: use that version, or give "
            "another folder with --out"
        )
    try:
        return Campaign(
            name=content["name"],
            spec_hash=content["spec_hash"],
            backend=content["backend"],
            build=content["build"],
            plan=tuple(Entry(**entry) for entry in content["plan"]),
            provenance=content["provenance"],
            invocations=tuple(content["invocations"]),
        )
    except (KeyError, TypeError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise UserError(
            f"{path.parent}: no campaign.json, so not a results folder; "
            "give one that `mpbench run` made"
        ) from error
    except NotADirectoryError as error:
        raise UserError(f"{path.parent}: a file, not a results folder") from error
    except PermissionError as error:
        raise UserError(f"{path}: no permission to read") from error
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(content, dict):
        raise _damaged(path, "not an object")
    return content


def _damaged(path: Path, why: str) -> UserError:
    return UserError(
        f"{path}: damaged ({why}); put back the file, or give another folder with --out"
    )
