"""All that a run left, read into values: the door of this room."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis import asked, paths, transfers
from analysis.asked import Asked, LinkAsked, Traffic
from analysis.readers import counters, files, links, outcome, qdiscs
from analysis.readers.outcome import Outcome, UserPath

_PROGRAM = re.compile(r"traffic-(\d+)-(client|server)")


@dataclass(frozen=True)
class Artefacts:
    """reports : one a traffic entry, in the job's order; its tool knows its kind.

    counters : of every host of the traffic
    users : the paths of every host that opens connections
    """

    asked: Asked
    outcome: Outcome
    reports: tuple[Any, ...]
    counters: Mapping[str, counters.Counters]
    qdiscs: tuple[qdiscs.Qdisc, ...]
    interfaces: tuple[links.Link, ...]
    links: tuple[paths.LinkSeen, ...]
    users: Mapping[str, tuple[UserPath, ...]]

    def paths_of(self, entry: Traffic) -> dict[int, UserPath]:
        """The paths that the transport of an entry is to take, by number."""
        every = dict(enumerate(self.users[entry.source], start=1))
        transport = entry.transport
        if transport.protocol == "mptcp" and transport.same_pair is None:
            return every
        only = transport.path or 1
        return {number: path for number, path in every.items() if number == only}

    @property
    def used_links(self) -> tuple[LinkAsked, ...]:
        """The bottlenecks on the paths that the transports are to use."""
        used = {
            link
            for entry in self.asked.traffic
            for path in self.paths_of(entry).values()
            for link in path.links
        }
        return tuple(
            link
            for link in self.asked.links
            if link.name in used and link.capacity_mbps is not None
        )


def load(run: Path) -> Artefacts:
    """Read a run's directory: `job.json` and what lies in `artefacts/`.

    Raises ValueError, one line, if the run failed or something is missing: there
    is nothing to measure then.
    """
    folder = run / "artefacts"
    job = asked.read(run / "job.json")
    end = outcome.read(folder / "outcome.json")
    if end.error is not None:
        raise ValueError(end.error)
    _refuse_failed_programs(end, folder, job)
    reports = tuple(
        transfers.tool(entry.tool).read(folder, index)
        for index, entry in enumerate(job.traffic)
    )
    found = qdiscs.read(folder / "qdisc-end.json")
    return Artefacts(
        asked=job,
        outcome=end,
        reports=reports,
        counters={
            host: counters.read(folder / f"nstat-{host}.json") for host in job.hosts
        },
        qdiscs=found,
        interfaces=links.read(folder / "link-end.json"),
        links=paths.seen(end.links, found),
        users=end.users or _single_user(job),
    )


def _single_user(job: Asked) -> dict[str, tuple[UserPath, ...]]:
    """Of a guest that knew one user only, who has a path over each link."""
    every = tuple(UserPath((link.name,), None) for link in job.links)
    return {job.traffic[0].source: every}


def _refuse_failed_programs(end: Outcome, folder: Path, job: Asked) -> None:
    """Clients first: a server fails because its client did."""
    for process in sorted(end.processes, key=lambda p: "client" not in p.name):
        tool, allowed = _tool_of(process.name, job)
        if process.exit_code in allowed:
            continue
        how = _ending(process.exit_code)
        why = tool.explain(folder, process.name) if tool else ""
        why = why or files.tail(folder / f"{process.name}.err")
        raise ValueError(f"{process.name}: {how}{f': {why}' if why else ''}")


def _tool_of(
    process: str, job: asked.Asked
) -> tuple[transfers.Tool | None, tuple[int, ...]]:
    """The tool that a program belongs to, and the exit statuses that do for it."""
    match = _PROGRAM.fullmatch(process)
    if match is None or int(match[1]) >= len(job.traffic):
        return None, (0,)
    entry = job.traffic[int(match[1])]
    tool = transfers.tool(entry.tool)
    return tool, tool.allowed(entry) if match[2] == "client" else (0,)


def _ending(code: int | None) -> str:
    if code is None:
        return "did not end"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"
