"""Details of one run for the dashboard, as far as its folder can be read."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import jobs
from analysis.capture.library import MissingCoreError
from analysis.dashboard import packets, traces
from analysis.run import changed_links, marks, path_names, tools, traffic
from analysis.run.explain import facts
from analysis.run.readers import files, values
from analysis.run.readers import job as job_file
from analysis.run.traffic import Traffic

Value = TypeVar("Value")
ROW_ALONE = "only its row was kept: its files are in the results"
CONSOLE_LINES = 12
DIGITS = 6


def without_files() -> dict[str, Any]:
    """Detail of a run of which only the row was kept."""
    return {
        **{"parameters": {}, "transport": {}, "traffic": [], "paths": []},
        **{"seed": "", "topology": None, "virtual_s": None, "programs": []},
        **{"series": [], "unreadable": [ROW_ALONE]},
    }


def _capacities(job: jobs.Job, until_s: float) -> dict[str, list[tuple[float, float]]]:
    """The capacity over time in Mbit/s of each link with one that changes, as steps."""
    forward = any(entry.forward for entry in traffic.of_job(job))
    steps = {
        link.name: changed_links.capacity(job, link, forward, until_s)
        for link in job.links
        if link.capacity_mbps is not None and changed_links.changes(job, link.name)
    }
    return {name: found for name, found in steps.items() if len(found) > 1}


def detail(folder: Path, verdict: str) -> dict[str, Any]:
    """Parameters, transport, programs and series of the run in `folder`.

    A file that is missing or damaged leaves its part out and is named under
    ``unreadable``; nothing is raised.
    """
    unreadable: list[str] = []

    def tried(read: Callable[[Path], Value], path: Path) -> Value | None:
        try:
            return read(path)
        except (OSError, ValueError, MissingCoreError) as error:
            unreadable.append(str(error))
            return None

    artefacts = folder / "artefacts"
    job = tried(job_file.read, folder / "job.json")
    asked = jobs.dump(job) if job else {}
    end = tried(files.read_object, artefacts / "outcome.json") or {}
    found: dict[str, Any] = {
        "parameters": asked.get("parameters", {}),
        "transport": asked.get("transport", {}),
        "traffic": asked.get("traffic", []),
        "paths": list(path_names.of_job(job)) if job else [],
        "seed": str(job.seed) if job else "",
        "topology": (job.topology or "its own") if job else None,
        "virtual_s": end.get("virtual_s"),
        "programs": _programs(end),
        "series": [],
    }
    until_s = 0.0
    try:
        until_s = values.time(end.get("virtual_s") or 0.0)
    except ValueError as error:
        unreadable.append(f"outcome.json: virtual_s: {error}")
    if job and (changing := _capacities(job, until_s)):
        found["capacities"] = changing
    for index, entry in enumerate(traffic.of_job(job) if job else ()):
        receiver_file = tools.has(entry, "receiver_file")
        if receiver_file is None:
            continue
        path = artefacts / receiver_file(index, entry)
        if path.exists() or end:
            read = partial(tools.has(entry, "drawn"), entry=entry)
            intervals = tried(read, path)
            if intervals is not None:
                found["series"].append(_series(index, entry, intervals))
    if (artefacts / traces.FILE).exists():
        found["traces"] = (
            tried(lambda file: traces.traces(file, job), artefacts / traces.FILE) or []
        )
    noted = tried(_marks, folder) if job else None
    if noted:
        found["marks"] = noted
    captures = packets.files(artefacts) if artefacts.is_dir() else []
    if captures:
        found["packets"] = tried(lambda _: packets.packets(captures), artefacts)
    if verdict != "ok":
        console = artefacts / "console.log"
        found["console"] = _tail(console) if console.exists() else []
    if unreadable:
        found["unreadable"] = unreadable
    return found


def _series(
    index: int, entry: Traffic[Any], intervals: Sequence[Any]
) -> dict[str, Any]:
    """The rate at which the receiver read in each interval, in Mbit/s.

    Time counts from the start of the traffic, not of this entry.
    """
    name = entry.name or f"{entry.source} to {entry.destination}"
    start_s = entry.start_s
    rates = [8e-6 * i.bytes / (i.end_s - i.start_s) for i in intervals]
    return {
        "name": name,
        "number": index,
        "begin": [_short(start_s + i.start_s) for i in intervals],
        "end": [_short(start_s + i.end_s) for i in intervals],
        "mbps": [_short(rate) for rate in rates],
    }


def _marks(folder: Path) -> list[dict[str, Any]]:
    """The events of a run that its charts mark."""
    return [
        {"t": _short(mark.time_s), "kind": mark.kind, "what": mark.what}
        for mark in marks.marks(facts.load(folder))
    ]


def _programs(end: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The programs of a run with their command lines, in the order of their start."""
    programs = []
    for listed in _list(end.get("processes")):
        process = _mapping(listed)
        programs.append(
            {
                "name": process.get("name"),
                "host": process.get("host"),
                "command": shlex.join(map(str, _list(process.get("argv")))),
                "start_s": process.get("start_s"),
                "end_s": process.get("end_s"),
                "exit_code": process.get("exit_code"),
            }
        )
    return sorted(programs, key=lambda p: _begin_s(p["start_s"]))


def _begin_s(value: object) -> float:
    try:
        return values.real(value)
    except ValueError:
        return 0.0


def _tail(console: Path) -> list[str]:
    try:
        text = console.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        return [str(error)]
    clean = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return clean.splitlines()[-CONSOLE_LINES:]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
