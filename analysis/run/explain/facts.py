"""The facts that can explain a run. Each of them may be missing."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from analysis.run import events as record_of_events
from analysis.run import tools
from analysis.run import traffic as entries
from analysis.run.events import Events
from analysis.run.explain.subflows import Connection, connections
from analysis.run.explain.translated import untranslated
from analysis.run.labels import label
from analysis.run.readers import changes as record_of_changes
from analysis.run.readers import (
    counters,
    files,
    host_changes,
    middleboxes,
    outcome,
    trace_windows,
)
from analysis.run.readers import job as job_file
from analysis.run.readers.changes import Change
from analysis.run.readers.counters import Counters
from analysis.run.readers.host_changes import HostChange
from analysis.run.readers.middleboxes import Met
from analysis.run.readers.outcome import UserPath
from analysis.run.readers.trace_windows import Window
from analysis.run.traffic import Traffic
from jobs import Job
from jobs.changes import LOSS_PERCENT, UP
from jobs.ends import Change as HostStep
from jobs.ends import Host
from jobs.middleboxes import PROXY as BOX
from jobs.middleboxes import Box
from tools import PROXY

T = TypeVar("T")
Users = Mapping[str, tuple[UserPath, ...]]
LOST_ALL = (LOSS_PERCENT, 100.0)


@dataclass(frozen=True)
class Facts:
    """The plan of a run, its row, and what its hosts recorded.

    row : the run's row; empty if it has none
    counters : by host; a host without its file is missing
    events : None if the run has no record of events
    users : by host that opens connections, its paths; empty if the guest did not say
    changes : of links, in order
    connections : from the events
    met : the packets that rules of middleboxes have met; None if that is not known
    host_changes : of hosts, in order
    trace : by host, the samples of its subflows; empty without a trace
    terminators : the reports of each transparent proxy, by the number of its box
    proxies : the report of each proxy, by the number of its entry; a proxy without one
        is missing
    """

    job: Job
    row: Mapping[str, Any]
    counters: Mapping[str, Counters]
    events: Events | None
    users: Users
    changes: tuple[Change, ...] = ()
    connections: tuple[Connection, ...] = ()
    met: tuple[Met, ...] | None = None
    host_changes: tuple[HostChange, ...] = ()
    trace: Mapping[str, tuple[Window, ...]] = field(default_factory=dict)
    proxies: Mapping[int, Any] = field(default_factory=dict)
    terminators: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)

    @cached_property
    def traffic(self) -> tuple[Traffic[Any], ...]:
        """The traffic entries of the job."""
        return entries.of_job(self.job)

    def windows(self, host: str) -> tuple[Window, ...]:
        """The samples of the trace of a host, in order; none without a trace."""
        return self.trace.get(host, ())

    @property
    def sysctls(self) -> Mapping[str, str]:
        """The sysctls that the case sets, as text."""
        return self.job.transport.sysctls

    def total(self, *names: str) -> int:
        """The sum of counters over all hosts, by nstat's names."""
        return sum(c.get(name) for c in self.counters.values() for name in names)

    def evidence(self, *names: str) -> str:
        """The counters of these names that are not 0, with their hosts."""
        found = [
            f"{name.removeprefix(counters.MPTCP)} is {count} on the {host}"
            for host, of_host in self.counters.items()
            for name in names
            if (count := of_host.get(name))
        ]
        return ", ".join(found)

    def passes_on(self, entry: int, host: str) -> bool:
        """Whether a host of an entry is a proxy, so that it takes data only as fast as
        it can pass them on."""
        way = entries.proxied(self.traffic, entry)
        return any(
            self.traffic[number].tool == PROXY and self.traffic[number].source == host
            for number in way
        )

    def ended_by_proxy(self, host: str, address: str) -> Box | None:
        """The transparent proxy on the path of a host's address; None for none."""
        number = self.path_of(host, address)
        links = self.users[host][number - 1].links if number else ()
        found = (b for b in self.job.middleboxes if b.kind == BOX and b.link in links)
        return next(found, None)

    def clients(self) -> Iterator[str]:
        """The hosts that open MPTCP connections."""
        for host in entries.initiators(self.traffic):
            if entries.opens_mptcp(self.traffic, host):
                yield host

    def path_of(self, host: str, address: str) -> int | None:
        """The number of a host's path by its own address, from 1."""
        for number, path in enumerate(self.users.get(host, ()), start=1):
            if path.address == address:
                return number
        return None

    def path_name(self, host: str, address: str) -> str:
        """A path in running text: `path 2`, or `path 2 (lte)` by the user's name."""
        number = self.path_of(host, address)
        if number is None:
            return f"the path of {address}"
        links = self.users[host][number - 1].links
        if not links or label(links[0]) == f"path {number}":
            return f"path {number}"
        return f"path {number} ({links[0]})"

    def absent(self, host: str, link: str) -> tuple["Dark", ...]:
        """When a host lacked its address on a link."""
        steps = (
            change
            for change in (self.job.host_settings or {}).get(host, Host()).changes
            if change.link == link and change.present is not None
        )
        return tuple(_absent(host, link, steps))

    def dark(self, host: str, address: str) -> tuple["Dark", ...]:
        """When a link of a path was down, or lost every packet."""
        number = self.path_of(host, address)
        if number is None:
            return ()
        links = self.users[host][number - 1].links
        return tuple(dark for link in links for dark in _dark(link, self.changes))


@dataclass(frozen=True)
class Dark:
    """The time in which a link carried nothing, or a host lacked its address there.

    end_s : None if that lasted to the end
    host : the one without its address; "" for a link
    """

    link: str
    start_s: float
    end_s: float | None
    host: str = ""

    def covers(self, time_s: float) -> bool:
        return self.start_s <= time_s and (self.end_s is None or time_s < self.end_s)

    @property
    def words(self) -> str:
        until = "on" if self.end_s is None else f"to {round(self.end_s, 3):g} s"
        start = f"{round(self.start_s, 3):g} s"
        if self.host:
            return f"the {self.host} had no address there from {start} {until}"
        return f"{label(self.link)} carried nothing from {start} {until}"


def _absent(host: str, link: str, steps: Iterable[HostStep]) -> Iterator[Dark]:
    start_s = None
    for step in steps:
        if step.present is False and start_s is None:
            start_s = step.at_s
        elif step.present and start_s is not None:
            yield Dark(link, start_s, step.at_s, host)
            start_s = None
    if start_s is not None:
        yield Dark(link, start_s, None, host)


def _dark(link: str, changes: tuple[Change, ...]) -> Iterator[Dark]:
    for quantity, value in (LOST_ALL, (UP, 0.0)):
        start_s = None
        for change in changes:
            if (change.link, change.quantity) != (link, quantity):
                continue
            if change.value == value and start_s is None:
                start_s = change.time_s
            elif change.value != value and start_s is not None:
                yield Dark(link, start_s, change.time_s)
                start_s = None
        if start_s is not None:
            yield Dark(link, start_s, None)


def load(run: Path) -> Facts:
    """The facts in a run's folder. Raises ValueError if its job cannot be read."""
    job = job_file.read(run / "job.json")
    traffic = entries.of_job(job)
    folder = run / "artefacts"
    users: Users = _or(lambda: outcome.read(folder / "outcome.json").users, {})
    users = users or _or(lambda: _planned(job), {})
    noted = record_of_events.load(folder)
    if noted is not None and job.middleboxes:
        noted = untranslated(noted, job)
    by_host = {
        host: read
        for host in entries.hosts(traffic)
        if (read := _counters(folder / f"nstat-{host}.json"))
    }
    return Facts(
        job=job,
        row=_or(lambda: files.read_object(run / "row.json"), {}),
        counters=by_host,
        events=noted,
        users=users,
        changes=_changes(folder, job, noted),
        connections=connections(noted, traffic) if noted else (),
        met=_or(lambda: middleboxes.read(folder / middleboxes.NAME), None),
        host_changes=_or(lambda: host_changes.read(folder / host_changes.NAME), ()),
        trace=_or(lambda: trace_windows.read(folder / trace_windows.NAME), {})
        if job.trace_s
        else {},
        proxies={
            index: read
            for index, entry in enumerate(traffic)
            if entry.tool == PROXY
            if (read := _proxied(folder, index, entry))
        },
        terminators=_terminators(folder, job, traffic),
    )


def _changes(folder: Path, job: Job, noted: Events | None) -> tuple[Change, ...]:
    """The changes of links; of a guest that did not report them, those of the plan."""
    made = _or(lambda: record_of_changes.read(folder / "changes.csv"), None)
    if made is not None or noted is None or not noted.all:
        return made or ()
    end_s = noted.all[-1].time_s
    planned = [
        Change(time_s, time_s, one.link, one.direction, one.quantity, value)
        for one in job.changes
        for time_s, value in one.steps(end_s)
    ]
    return tuple(sorted(planned, key=lambda change: change.time_s))


def _planned(job: Job) -> Users:
    """The paths of each host by the plan, for a guest that did not report them."""
    ports = job.wiring.ports if job.users else {}
    return {
        user.host: tuple(
            UserPath(tuple(links), port.interface, port.address)
            for links, port in zip(user.paths, ports[user.host], strict=True)
        )
        for user in job.users
        if user.host in ports
    }


def _counters(path: Path) -> Counters | None:
    return _or(lambda: counters.read(path), None)


def _proxied(folder: Path, index: int, entry: Traffic[Any]) -> Any:
    return _or(lambda: tools.tool(PROXY).read(folder, index, entry), None)


def _terminators(
    folder: Path, job: Job, traffic: tuple[Traffic[Any], ...]
) -> dict[int, tuple[Any, ...]]:
    ports = dict.fromkeys(entry.record.port for entry in traffic)
    found = {}
    for number, box in enumerate(job.middleboxes):
        names = [f"box{number}-{port}.json" for port in ports]
        reports = [
            _or(lambda name=name: _report(folder, name), None)  # type: ignore[misc]
            for name in names
            if box.kind == BOX and (folder / name).is_file()
        ]
        found[number] = tuple(filter(None, reports))
    return found


def _report(folder: Path, name: str) -> Any:
    reader: Any = tools.tool(PROXY)
    return reader.parse(files.read_object(folder / name), name)


def _or(read: Callable[[], T], missing: T) -> T:
    """The value that a reader returns, or one for a file that is missing or damaged."""
    try:
        return read()
    except ValueError:
        return missing
