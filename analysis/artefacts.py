"""All that a run left, read into values: the door of this room."""

from dataclasses import dataclass
from pathlib import Path

from analysis import asked, paths
from analysis.readers import counters, files, iperf3, links, outcome, qdiscs

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
    """reports : one a traffic entry, in the job's order."""

    asked: asked.Asked
    outcome: outcome.Outcome
    reports: tuple[FlowReports, ...]
    client: counters.Counters
    server: counters.Counters
    qdiscs: tuple[qdiscs.Qdisc, ...]
    links: tuple[links.Link, ...]
    paths: tuple[paths.PathSeen, ...]

    def counters(self, host: str) -> counters.Counters:
        return self.client if host == "client" else self.server


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
        client=counters.read(folder / "nstat-client.json"),
        server=counters.read(folder / "nstat-server.json"),
        qdiscs=found,
        links=links.read(folder / "link-end.json"),
        paths=paths.seen(end.paths, found),
    )


def _reports(folder: Path, index: int, job: asked.Asked) -> FlowReports:
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
