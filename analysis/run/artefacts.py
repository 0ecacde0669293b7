"""The artefacts of a run, read into values."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.run import events as record_of_events
from analysis.run import observed_links, tools
from analysis.run import traffic as entries
from analysis.run.events import Events
from analysis.run.outcomes import endings, provoked
from analysis.run.outcomes.endings import Ending, Read
from analysis.run.outcomes.provoked import Provoked
from analysis.run.readers import changes as record_of_changes
from analysis.run.readers import counters, links, outcome, qdiscs, queues
from analysis.run.readers import job as job_file
from analysis.run.readers.changes import Change
from analysis.run.readers.outcome import Outcome, UserPath
from analysis.run.readers.queues import QueueRecord
from analysis.run.traffic import Traffic
from jobs import Job, Link


@dataclass(frozen=True)
class Artefacts:
    """Everything that is known about a finished run.

    job : what the run was to do
    outcome : what the guest reported
    reports : the report about each traffic entry, in the job's order; its type depends
        on the tool
    counters : host of the traffic to its kernel counters
    qdiscs : all queueing disciplines at the end of the run
    interfaces : the counters of all interfaces at the end of the run
    links : the settings and counters of each link, as tc showed them at the end
    users : host that opens connections to its paths
    changes : the changes of links that the guest made, in order
    queues : what waited in the queues of links over time; None if it was not recorded
    endings : how each traffic entry ended, in the job's order
    connected_s : when the last connection of each traffic entry with data was made,
        seconds after the start of the traffic; None where that is not known
    excused : numbers of the entries that did not end well, as the job provokes or
        expects. Their reports are None if they cannot be measured
    events : of the connections; None if the run has none, or if they are damaged
    """

    job: Job
    outcome: Outcome
    reports: tuple[Any, ...]
    counters: Mapping[str, counters.Counters]
    qdiscs: tuple[qdiscs.Qdisc, ...]
    interfaces: tuple[links.Link, ...]
    links: tuple[observed_links.ObservedLink, ...]
    users: Mapping[str, tuple[UserPath, ...]]
    changes: tuple[Change, ...] = ()
    queues: QueueRecord | None = None
    endings: tuple[Ending, ...] = ()
    connected_s: tuple[float | None, ...] = ()
    excused: frozenset[int] = frozenset()
    events: Events | None = None

    @cached_property
    def traffic(self) -> tuple[Traffic[Any], ...]:
        """The traffic entries of the job."""
        return entries.of_job(self.job)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """All hosts of the traffic. Those that open connections come first."""
        return entries.hosts(self.traffic)

    @cached_property
    def initiators(self) -> tuple[str, ...]:
        """The hosts that open connections."""
        return entries.initiators(self.traffic)

    @cached_property
    def provoked(self) -> Provoked:
        """The failures that the job provokes."""
        return provoked.of_run(self.job, self.traffic, self.outcome, self.users)

    def paths_of(self, entry: Traffic[Any]) -> dict[int, UserPath]:
        """The paths that the transport of an entry is to use, by number from 1.

        Of an entry with several hosts, these are the paths of the first: see `by_host`.
        """
        return provoked.paths_of(self.users, entry)

    @property
    def needed_links(self) -> set[str]:
        """The links on paths that are no backups.

        In a data centre, traffic takes links of the class that its port has. Whether it
        takes the other classes depends on where the hosts are.
        """
        return {
            link
            for whole in self.traffic
            for entry in whole.by_host
            for number, path in self.paths_of(entry).items()
            if not entries.is_backup(self.job, entry, number)
            for link in path.links[: 1 if self.has_classes else None]
        }

    @property
    def has_classes(self) -> bool:
        """Whether a link stands for a class of links, as in a data centre."""
        names = [end.link for end in self.outcome.links]
        return len(set(names)) < len(names)

    @property
    def used_links(self) -> tuple[Link, ...]:
        """The bottleneck links on the paths that the transports are to use."""
        used = {
            link
            for whole in self.traffic
            for entry in whole.by_host
            for path in self.paths_of(entry).values()
            for link in path.links
        }
        return tuple(
            link
            for link in self.job.links
            if link.name in used and link.capacity_mbps is not None
        )


RELAY = re.compile(r"traffic-[0-9]+-relay-")
"""Processes that go on until they are ended."""


class TimedOut(ValueError):
    """A run whose traffic went on until the guest ended it."""


def load(run: Path, job: Job | None = None) -> Artefacts:
    """Read `job.json` and `artefacts/` in a run's folder.

    job : of the run, where it has been read before

    Raises ValueError, with one line, if the run failed or a file is missing or
    damaged: TimedOut if traffic did not end. Such a run cannot be measured. Failures
    that the job itself provokes, or that it expects, are no failures of the run.
    """
    folder = run / "artefacts"
    job = job_file.read(run / "job.json") if job is None else job
    traffic = entries.of_job(job)
    reported = outcome.read(folder / "outcome.json")
    if reported.error is not None:
        raise ValueError(reported.error)
    users = reported.users or _single_user(job)
    read = endings.read_reports(traffic, folder)
    ended = endings.all_of(traffic, reported, read, folder)
    caused = provoked.of_run(job, traffic, reported, users)
    excused = {
        index
        for index, (entry, one) in enumerate(zip(traffic, ended, strict=True))
        if not one.fine and caused.end(entry, one.at_s)
    }
    _refuse_failed_processes(reported, folder, job, [traffic[i] for i in excused])
    for index, one in enumerate(read):
        if one.fault and index not in excused:
            raise ValueError(one.fault)
    noted = _events(folder)
    shaped = qdiscs.read(folder / "qdisc-end.json")
    return Artefacts(
        job=job,
        outcome=reported,
        reports=tuple(
            _salvaged(traffic[index], index, folder, one)
            if index in excused
            else one.report
            for index, one in enumerate(read)
        ),
        counters={
            host: counters.read(folder / f"nstat-{host}.json")
            for host in entries.hosts(traffic)
        },
        qdiscs=shaped,
        interfaces=links.read(folder / "link-end.json"),
        links=observed_links.read_back(reported.links, shaped),
        users=users,
        changes=record_of_changes.read(folder / "changes.csv") if job.changes else (),
        queues=_queues(folder, job),
        endings=ended,
        connected_s=_connected_s(traffic, noted),
        excused=frozenset(excused),
        events=noted,
    )


def _events(folder: Path) -> Events | None:
    try:
        return record_of_events.load(folder)
    except ValueError:  # the columns of events say so
        return None


def _connected_s(
    traffic: tuple[Traffic[Any], ...], noted: Events | None
) -> tuple[float | None, ...]:
    asked = [tools.has(entry, "connected_s") for entry in traffic]
    if noted is None:
        return (None,) * len(traffic)
    return tuple(
        connected_s(entry, [event for event in noted.all if event.connection == index])
        if connected_s is not None
        else None
        for index, (entry, connected_s) in enumerate(zip(traffic, asked, strict=True))
    )


def _salvaged(entry: Traffic[Any], index: int, folder: Path, read: Read) -> Any:
    """The report of an entry that did not end well; None if it cannot be measured."""
    report = read.report
    tool = tools.tool(entry.tool)
    try:
        if read.fault:
            report = (tools.has(entry, "salvage") or tool.read)(folder, index, entry)
        tool.flow(entry, report)
    except ValueError:
        return None
    return report


def _queues(folder: Path, job: Job) -> QueueRecord | None:
    if not job.queues:
        return None
    sums = job.queues.every_s is None
    return queues.read(folder / (queues.WAITS if sums else queues.SAMPLES))


def _single_user(job: Job) -> dict[str, tuple[UserPath, ...]]:
    """The users of a network with a single user, who has one path over each link.

    Old guests knew a single user only, and did not report the users.
    """
    paths = tuple(UserPath((link.name,), None) for link in job.links)
    return {job.traffic[0].source: paths}


def _refuse_failed_processes(
    reported: Outcome, folder: Path, job: Job, may_fail: Collection[Traffic[Any]]
) -> None:
    """Raise ValueError if a process of the traffic failed.

    Clients are checked first, because a server often fails only because its client
    did.

    may_fail : entries of which processes may fail
    """
    traffic = entries.of_job(job)
    for process in sorted(reported.processes, key=lambda p: "client" not in p.name):
        entry, end = endings.entry_of(process, traffic)
        if entry in may_fail:
            continue
        if process.stopped_s is not None:
            limit = f"{job.time_limit_s:g} virtual seconds"
            raise TimedOut(f"not done after {limit}: {process.name} did not end")
        if entry and endings.succeeded(process, entry, end):
            continue
        ended = process.end_s is None and RELAY.match(process.name)
        if entry is None and (process.exit_code == 0 or ended):
            continue
        raise ValueError(f"{process.name}: {endings.cause(process, entry, folder)}")
