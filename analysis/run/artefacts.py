"""The artefacts of a run, read into values."""

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run import observed_links, tools
from analysis.run.job import Job, LinkSettings, Traffic, read_job
from analysis.run.readers import changes as record_of_changes
from analysis.run.readers import counters, files, links, outcome, qdiscs, queues
from analysis.run.readers.changes import Change
from analysis.run.readers.outcome import Outcome, Process, UserPath
from analysis.run.readers.queues import QueueRecord

_PROGRAM = re.compile(r"traffic-(\d+)-(client|server)")


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

    def paths_of(self, entry: Traffic) -> dict[int, UserPath]:
        """The paths that the transport of an entry is to use, by number from 1.

        Of an entry with several hosts, these are the paths of the first: see `by_host`.
        """
        paths = dict(enumerate(self.users[entry.source], start=1))
        transport = entry.transport
        if transport.protocol == "mptcp" and transport.same_pair is None:
            return paths
        taken = entry.paths or {transport.path or 1}
        return {number: path for number, path in paths.items() if number in taken}

    @property
    def needed_links(self) -> set[str]:
        """The links on paths that are no backups.

        In a data centre, traffic takes links of the class that its port has. Whether it
        takes the other classes depends on where the hosts are.
        """
        return {
            link
            for whole in self.job.traffic
            for entry in whole.by_host
            for number, path in self.paths_of(entry).items()
            if not self.job.is_backup(entry, number)
            for link in path.links[: 1 if self.has_classes else None]
        }

    @property
    def has_classes(self) -> bool:
        """Whether a link stands for a class of links, as in a data centre."""
        names = [end.link for end in self.outcome.links]
        return len(set(names)) < len(names)

    @property
    def used_links(self) -> tuple[LinkSettings, ...]:
        """The bottleneck links on the paths that the transports are to use."""
        used = {
            link
            for whole in self.job.traffic
            for entry in whole.by_host
            for path in self.paths_of(entry).values()
            for link in path.links
        }
        return tuple(
            link
            for link in self.job.links
            if link.name in used and link.capacity_mbps is not None
        )


def load(run: Path) -> Artefacts:
    """Read `job.json` and `artefacts/` in a run's folder.

    Raises ValueError, with one line, if the run failed or a file is missing or
    damaged. Such a run cannot be measured.
    """
    folder = run / "artefacts"
    job = read_job(run / "job.json")
    reported = outcome.read(folder / "outcome.json")
    if reported.error is not None:
        raise ValueError(reported.error)
    _refuse_failed_processes(reported, folder, job)
    reports = tuple(
        tools.tool(entry.tool).read(folder, index)
        for index, entry in enumerate(job.traffic)
    )
    shaped = qdiscs.read(folder / "qdisc-end.json")
    return Artefacts(
        job=job,
        outcome=reported,
        reports=reports,
        counters={
            host: counters.read(folder / f"nstat-{host}.json") for host in job.hosts
        },
        qdiscs=shaped,
        interfaces=links.read(folder / "link-end.json"),
        links=observed_links.read_back(reported.links, shaped),
        users=reported.users or _single_user(job),
        changes=record_of_changes.read(folder / "changes.csv") if job.changes else (),
        queues=_queues(folder, job),
    )


def _queues(folder: Path, job: Job) -> QueueRecord | None:
    if not job.queues:
        return None
    sums = job.queues.get("every_s") is None
    return queues.read(folder / (queues.WAITS if sums else queues.SAMPLES))


def _single_user(job: Job) -> dict[str, tuple[UserPath, ...]]:
    """The users of a network with a single user, who has one path over each link.

    Old guests knew a single user only, and did not report the users.
    """
    paths = tuple(UserPath((link.name,), None) for link in job.links)
    return {job.traffic[0].source: paths}


def _refuse_failed_processes(reported: Outcome, folder: Path, job: Job) -> None:
    """Raise ValueError if a process of the traffic failed.

    Clients are checked first, because a server often fails only because its client
    did.
    """
    for process in sorted(reported.processes, key=lambda p: "client" not in p.name):
        tool, allowed = _tool_of(process.name, job)
        if process.exit_code in allowed or _was_ended(process, job):
            continue
        ending = _ending(process.exit_code)
        cause = tool.explain(folder, process.name) if tool else ""
        cause = cause or files.tail(folder / f"{process.name}.err")
        raise ValueError(f"{process.name}: {ending}{f': {cause}' if cause else ''}")


def _tool_of(process: str, job: Job) -> tuple[tools.Tool | None, tuple[int, ...]]:
    """The tool of a process, None if unknown, and its exit statuses without failure."""
    match = _PROGRAM.fullmatch(process)
    if match is None or int(match[1]) >= len(job.traffic):
        return None, (0,)
    entry = job.traffic[int(match[1])]
    tool = tools.tool(entry.tool)
    return tool, tool.allowed(entry) if match[2] == "client" else (0,)


def _was_ended(process: Process, job: Job) -> bool:
    """Whether a server went on until it was ended. Then its exit
    status says nothing."""
    match = _PROGRAM.fullmatch(process.name)
    if match is None or match[2] != "server" or int(match[1]) >= len(job.traffic):
        return False
    ended = tools.has(job.traffic[int(match[1])], "ENDED")
    return bool(ended) and process.end_s is None


def _ending(code: int | None) -> str:
    """The end of a process, in running text."""
    if code is None:
        return "did not end"
    if code == -signal.SIGXFSZ:
        return "ended because a file that it wrote reached the limit of size"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
