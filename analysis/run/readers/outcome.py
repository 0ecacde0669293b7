"""`outcome.json`: what the guest says of its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object

FORMAT = 1


@dataclass(frozen=True)
class Process:
    """A traffic program: exit_code is None if it never ended.

    start_s, end_s : since the beginning of the traffic, as far as they are known
    """

    name: str
    exit_code: int | None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class LinkEnds:
    """Where one link is shaped: (node, interface) in either direction."""

    link: str
    forward: tuple[str, str]
    backward: tuple[str, str]


@dataclass(frozen=True)
class UserPath:
    """One path of a host that opens connections.

    links : that it takes, in order
    interface, address : of the host; None if the guest did not say
    """

    links: tuple[str, ...]
    interface: str | None
    address: str | None = None


@dataclass(frozen=True)
class Outcome:
    """error : why the guest could not do the run, or None.

    transports : what the kernel says that each host uses
    users : the paths of each host that opens connections; empty if the guest is
        one that had a single user
    """

    error: str | None
    transports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    links: tuple[LinkEnds, ...] = ()
    users: Mapping[str, tuple[UserPath, ...]] = field(default_factory=dict)
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
            transports=_transports(document),
            links=tuple(
                LinkEnds(_name(p), _place(p["forward"]), _place(p["backward"]))
                for p in document["paths"]
            ),
            users={
                host: tuple(
                    UserPath(tuple(p["links"]), p["interface"], p.get("address"))
                    for p in paths
                )
                for host, paths in (document.get("users") or {}).items()
            },
            processes=tuple(
                Process(
                    str(p["name"]), p["exit_code"], p.get("start_s"), p.get("end_s")
                )
                for p in document["processes"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not an outcome ({what})") from error


def _transports(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By host; of a guest with a single user, that of the client."""
    if "transports" in document:
        return {host: dict(found) for host, found in document["transports"].items()}
    return {"client": dict(document["transport"])}


def _name(path: Mapping[str, Any]) -> str:
    return str(path["link"]) if "link" in path else f"path{int(path['path'])}"


def _place(end: Mapping[str, str]) -> tuple[str, str]:
    return end["node"], end["interface"]
