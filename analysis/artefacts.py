"""All that a run left, read into values: the door of this room."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis import asked, paths
from analysis.asked import Asked, LinkAsked, Traffic
from analysis.readers import counters, files, iperf3, links, outcome, qdiscs
from analysis.readers.outcome import Outcome, UserPath

ENDS = ("client", "server")


@dataclass(frozen=True)
class FlowReports:
    """Both ends' reports of one traffic entry."""

    client: iperf3.Report
    server: iperf3.Report

    def of(self, end: str) -> iperf3.Report:
        return self.client if end == "client" else self.server


@dataclass(frozen=True)
class Artefacts:
    """reports : one a traffic entry, in the job's order.

    counters : of every host of the traffic
    users : the paths of every host that opens connections
    """

    asked: Asked
    outcome: Outcome
    reports: tuple[FlowReports, ...]
    counters: Mapping[str, counters.Counters]
    qdiscs: tuple[qdiscs.Qdisc, ...]
    interfaces: tuple[links.Link, ...]
    links: tuple[paths.LinkSeen, ...]
    users: Mapping[str, tuple[UserPath, ...]]

    def paths_of(self, entry: Traffic) -> dict[int, UserPath]:
        """The paths that the transport of an entry is to take, by number."""
        every = dict(enumerate(self.users[entry.source], start=1))
        if entry.transport.protocol == "mptcp":
            return every
        only = entry.transport.path or 1
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
    _refuse_failed_programs(end, folder)
    reports = tuple(_reports(folder, k, job) for k in range(len(job.traffic)))
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


def _reports(folder: Path, index: int, job: Asked) -> FlowReports:
    tool = job.traffic[index].tool
    if tool != "iperf3":
        raise ValueError(f"traffic {index}: no reader for tool {tool!r}; has iperf3")
    reports = {}
    for end in ENDS:
        reports[end] = report = iperf3.read(folder / f"traffic-{index}-{end}.json")
        if report.error:
            raise ValueError(f"traffic-{index}-{end}: iperf3: {report.error}")
    return FlowReports(**reports)


def _refuse_failed_programs(end: outcome.Outcome, folder: Path) -> None:
    """Clients first: a server fails because its client did."""
    for process in sorted(end.processes, key=lambda p: "client" not in p.name):
        if process.exit_code == 0:
            continue
        how = _ending(process.exit_code)
        why = _explanation(folder, process.name)
        raise ValueError(f"{process.name}: {how}{f': {why}' if why else ''}")


def _ending(code: int | None) -> str:
    if code is None:
        return "did not end"
    return f"killed by signal {-code}" if code < 0 else f"exit status {code}"


def _explanation(folder: Path, name: str) -> str:
    try:
        error = iperf3.read(folder / f"{name}.json").error
    except ValueError as unreadable:
        error = str(unreadable)
    return error or files.tail(folder / f"{name}.err")
