"""All that a run left, read into values: the door of this room."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis import asked, paths, transfers
from analysis.readers import counters, files, links, outcome, qdiscs

_PROGRAM = re.compile(r"traffic-(\d+)-(client|server)")


@dataclass(frozen=True)
class Artefacts:
    """reports : one a traffic entry, in the job's order; its tool knows its kind."""

    asked: asked.Asked
    outcome: outcome.Outcome
    reports: tuple[Any, ...]
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
        client=counters.read(folder / "nstat-client.json"),
        server=counters.read(folder / "nstat-server.json"),
        qdiscs=found,
        links=links.read(folder / "link-end.json"),
        paths=paths.seen(end.paths, found),
    )


def _refuse_failed_programs(
    end: outcome.Outcome, folder: Path, job: asked.Asked
) -> None:
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
