"""`outcome.json`: what the guest says of its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.readers.files import read_object

FORMAT = 1


@dataclass(frozen=True)
class Process:
    """A traffic program: exit_code is None if it never ended."""

    name: str
    exit_code: int | None


@dataclass(frozen=True)
class PathEnds:
    """Where one path is shaped: (node, interface) in either direction."""

    path: int
    forward: tuple[str, str]
    backward: tuple[str, str]


@dataclass(frozen=True)
class Outcome:
    """error : why the guest could not do the run, or None."""

    error: str | None
    transport: Mapping[str, Any] = field(default_factory=dict)
    paths: tuple[PathEnds, ...] = ()
    processes: tuple[Process, ...] = ()


def read(path: Path) -> Outcome:
    """Raises ValueError if the file is missing, damaged or of another format."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Outcome:
    if document.get("format") != FORMAT:
        found = document.get("format")
        raise ValueError(f"{name}: format {found!r}; this reader knows {FORMAT}")
    if document.get("status") != "ok":
        return Outcome(error=str(document.get("error") or "the guest gave no reason"))
    try:
        return Outcome(
            error=None,
            transport=dict(document["transport"]),
            paths=tuple(
                PathEnds(int(p["path"]), _place(p["forward"]), _place(p["backward"]))
                for p in document["paths"]
            ),
            processes=tuple(
                Process(str(p["name"]), p["exit_code"]) for p in document["processes"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not an outcome ({what})") from error


def _place(end: Mapping[str, str]) -> tuple[str, str]:
    return end["node"], end["interface"]
