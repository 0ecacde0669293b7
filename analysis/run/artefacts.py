"""All that a run left behind, read into values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run import observed_links, tools
from analysis.run.job import Job, LinkSettings, Traffic, read_job
from analysis.run.readers import counters, files, links, outcome, qdiscs
from analysis.run.readers.outcome import Outcome, UserPath

_PROGRAM = re.compile(r"traffic-(\d+)-(client|server)")


@dataclass(frozen=True)
class Artefacts:
    """What a run left behind.

    job : what the run was to do
    reports : one per traffic entry, in the job's order; each tool has its own kind
    counters : kernel counters of every host of the traffic
    links : what tc said of each link at the end
    users : the paths of every host that opens connections
    """

    job: Job
    outcome: Outcome
    reports: tuple[Any, ...]
    counters: Mapping[str, counters.Counters]
    qdiscs: tuple[qdiscs.Qdisc, ...]
    interfaces: tuple[links.Link, ...]
    links: tuple[observed_links.ObservedLink, ...]
    users: Mapping[str, tuple[UserPath, ...]]

    def paths_of(self, entry: Traffic) -> dict[int, UserPath]:
        """The paths, by number, that the transport of an entry is to take."""
        paths = dict(enumerate(self.users[entry.source], start=1))
        transport = entry.transport
        if transport.protocol == "mptcp" and transport.same_pair is None:
            return paths
        only = transport.path or 1
        return {number: path for number, path in paths.items() if number == only}

    @property
    def used_links(self) -> tuple[LinkSettings, ...]:
        """The bottlenecks on the paths that the transports are to use."""
        used = {
            link
            for entry in self.job.traffic
            for path in self.paths_of(entry).values()
            for link in path.links
        }
        return tuple(
            link
            for link in self.job.links
            if link.name in used and link.capacity_mbps is not None
        )


def load(run: Path) -> Artefacts:
    """Read `job.json` and `artefacts/` in a run's directory.

    Raises ValueError with one line if the run failed or something is missing. There
    is nothing to measure then.
    """
    folder = run / "artefacts"
    job = read_job(run / "job.json")
    end = outcome.read(folder / "outcome.json")
    if end.error is not None:
        raise ValueError(end.error)
    _refuse_failed_programs(end, folder, job)
    reports = tuple(
        tools.tool(entry.tool).read(folder, index)
        for index, entry in enumerate(job.traffic)
    )
    shaped = qdiscs.read(folder / "qdisc-end.json")
    return Artefacts(
        job=job,
        outcome=end,
        reports=reports,
        counters={
            host: counters.read(folder / f"nstat-{host}.json") for host in job.hosts
        },
        qdiscs=shaped,
        interfaces=links.read(folder / "link-end.json"),
        links=observed_links.read_back(end.links, shaped),
        users=end.users or _single_user(job),
    )


def _single_user(job: Job) -> dict[str, tuple[UserPath, ...]]:
    """The paths in a network of one user, who has a path over each link.

    A guest that knew a single user only did not write the users down.
    """
    paths = tuple(UserPath((link.name,), None) for link in job.links)
    return {job.traffic[0].source: paths}


def _refuse_failed_programs(end: Outcome, folder: Path, job: Job) -> None:
    """Clients first: a server fails because its client did."""
    for process in sorted(end.processes, key=lambda p: "client" not in p.name):
        tool, allowed = _tool_of(process.name, job)
        if process.exit_code in allowed:
            continue
        how = _ending(process.exit_code)
        why = tool.explain(folder, process.name) if tool else ""
        why = why or files.tail(folder / f"{process.name}.err")
        raise ValueError(f"{process.name}: {how}{f': {why}' if why else ''}")


def _tool_of(process: str, job: Job) -> tuple[tools.Tool | None, tuple[int, ...]]:
    """The tool that a program belongs to, and the exit statuses that do for it."""
    match = _PROGRAM.fullmatch(process)
    if match is None or int(match[1]) >= len(job.traffic):
        return None, (0,)
    entry = job.traffic[int(match[1])]
    tool = tools.tool(entry.tool)
    return tool, tool.allowed(entry) if match[2] == "client" else (0,)


def _ending(code: int | None) -> str:
    if code is None:
        return "did not end"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
