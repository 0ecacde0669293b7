"""Reader of `outcome.json`, in which the guest reports about its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object

FORMAT = 1


@dataclass(frozen=True)
class Process:
    """A process of the traffic.

    exit_code : exit status, or minus the number of the signal that ended the process;
        None if it never ended
    start_s, end_s : seconds since the beginning of the traffic; None if not known
    stopped_s : when the guest ended it, because it hung; None if it ended by itself
    """

    name: str
    exit_code: int | None
    start_s: float | None = None
    end_s: float | None = None
    stopped_s: float | None = None

    @property
    def last_s(self) -> float | None:
        """The time until which it went on, however it ended; None if not known."""
        return self.end_s if self.stopped_s is None else self.stopped_s


@dataclass(frozen=True)
class LinkEnds:
    """The interfaces that shape one link, as (node, interface).

    forward : shapes what users send
    backward : shapes what comes back to users
    """

    link: str
    forward: tuple[str, str]
    backward: tuple[str, str]


@dataclass(frozen=True)
class UserPath:
    """One path of a host that opens connections.

    links : names of the links along the path, from the host
    interface, address : of the host on this path; None if the guest did not say
    """

    links: tuple[str, ...]
    interface: str | None
    address: str | None = None


@dataclass(frozen=True)
class Lost:
    """Lateness of the timers of a run in real time.

    traffic_s : how long the timers were watched
    lost_s : the sum of their delays
    longest_s : the longest of their delays
    """

    traffic_s: float
    lost_s: float
    longest_s: float


@dataclass(frozen=True)
class Outcome:
    """Report of the guest.

    error : why the guest could not do the run; None if it could
    transports : by host, the settings that its kernel reports
    links : the interfaces that shape each link
    users : by host that opens connections, its paths; empty in the results of old
        guests, which knew a single user only
    processes : the processes of the traffic
    lost : the time that the machine of a native run lost; None in virtual time
    virtual_s : how long the run took on its own clock; None if the guest did not say
    """

    error: str | None
    transports: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    links: tuple[LinkEnds, ...] = ()
    users: Mapping[str, tuple[UserPath, ...]] = field(default_factory=dict)
    processes: tuple[Process, ...] = ()
    lost: Lost | None = None
    virtual_s: float | None = None


def read(path: Path) -> Outcome:
    """Read the report. Raises ValueError if the file is missing, damaged or has
    another format."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Outcome:
    """Parse a JSON object. `name` is the file's name in error messages."""
    if document.get("format") != FORMAT:
        number = document.get("format")
        raise ValueError(f"{name}: format {number!r}; this version reads {FORMAT}")
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
                    str(p["name"]),
                    p["exit_code"],
                    p.get("start_s"),
                    p.get("end_s"),
                    p.get("stopped_s"),
                )
                for p in document["processes"]
            ),
            lost=_lost(document.get("lost")),
            virtual_s=document.get("virtual_s"),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not an outcome ({reason})") from error


def _transports(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The transport settings by host. Old guests report those of the client only."""
    if "transports" in document:
        transports = document["transports"]
        return {host: dict(settings) for host, settings in transports.items()}
    return {"client": dict(document["transport"])}


def _lost(lost: Mapping[str, Any] | None) -> Lost | None:
    if lost is None:
        return None
    return Lost(
        traffic_s=float(lost["traffic_s"]),
        lost_s=float(lost["lost_s"]),
        longest_s=float(lost["longest_s"]),
    )


def _name(path: Mapping[str, Any]) -> str:
    """The name of a link. Old guests have the number of its path instead."""
    return str(path["link"]) if "link" in path else f"path{int(path['path'])}"


def _place(end: Mapping[str, str]) -> tuple[str, str]:
    return end["node"], end["interface"]
