"""Reader of `outcome.json`, in which the guest reports about its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.run.readers import values
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
        users = values.mapping(document.get("users") or {})
        return Outcome(
            error=None,
            transports=_transports(document),
            links=tuple(map(_link_ends, map(values.mapping, document["paths"]))),
            users={
                host: tuple(map(_user_path, map(values.mapping, values.listed(paths))))
                for host, paths in users.items()
            },
            processes=tuple(map(_process, map(values.mapping, document["processes"]))),
            lost=_lost(document.get("lost")),
            virtual_s=values.real_or_none(document.get("virtual_s")),
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not an outcome ({reason})") from error


def _link_ends(path: Mapping[str, Any]) -> LinkEnds:
    return LinkEnds(_name(path), _place(path["forward"]), _place(path["backward"]))


def _user_path(path: Mapping[str, Any]) -> UserPath:
    links = tuple(map(values.text, values.listed(path["links"])))
    if not links:
        raise ValueError("a path without links")
    interface, address = path["interface"], path.get("address")
    return UserPath(links, values.text_or_none(interface), values.text_or_none(address))


def _process(process: Mapping[str, Any]) -> Process:
    code = process["exit_code"]
    times = (process.get(name) for name in ("start_s", "end_s", "stopped_s"))
    return Process(
        values.text(process["name"]),
        None if code is None else values.whole(code),
        *map(values.real_or_none, times),
    )


def _transports(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The transport settings by host. Old guests report those of the client only."""
    if "transports" in document:
        transports = values.mapping(document["transports"])
        return {host: _settings(settings) for host, settings in transports.items()}
    return {"client": _settings(document["transport"])}


def _settings(given: object) -> dict[str, Any]:
    """The settings of a host: values, and lists of values."""
    found = dict(values.mapping(given))
    for name, value in found.items():
        parts = value if isinstance(value, list) else [value]
        if any(isinstance(part, list | dict) for part in parts):
            raise ValueError(f"{name[:40]}: not a setting")
    return found


def _lost(given: object) -> Lost | None:
    if given is None:
        return None
    lost = values.mapping(given)
    return Lost(
        traffic_s=values.real(lost["traffic_s"]),
        lost_s=values.real(lost["lost_s"]),
        longest_s=values.real(lost["longest_s"]),
    )


def _name(path: Mapping[str, Any]) -> str:
    """The name of a link. Old guests have the number of its path instead."""
    if "link" in path:
        return values.text(path["link"])
    return f"path{values.count(path['path'])}"


def _place(end: object) -> tuple[str, str]:
    place = values.mapping(end)
    return values.text(place["node"]), values.text(place["interface"])
