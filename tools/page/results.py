"""Results of the load of a page. `analysis.run.tools` describes each function."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run import series as lines
from analysis.run.artefacts import Artefacts
from analysis.run.distributions import percentiles
from analysis.run.outcomes import endings
from analysis.run.readers import files
from analysis.run.series import Line
from analysis.run.tools import Flow, Lasted, Stay
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.page import reader
from tools.page.columns import (
    CONNECTIONS,
    FIRST,
    INDEX,
    LOAD,
    LOADED,
    OBJECT,
    PERCENTILES,
)
from tools.page.programs.page import COMPLETE, GIVEN_UP
from tools.page.record import Page

ENDED = True


def read(folder: Path, index: int, _entry: Traffic[Page]) -> reader.Report:
    return reader.read(folder / f"traffic-{index}-client.json")


def flow(entry: Traffic[Page], report: reader.Report) -> Flow | None:
    """The bodies of all objects that arrived, until the last of them did."""
    ends_s = report.ends_s
    if not ends_s or not ends_s[-1]:
        return None
    loaded = sum(size for _, size in _arrivals(entry, report))
    return Flow(ends_s[-1], loaded, (loaded,))


def part(
    _entry: Traffic[Page], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: the client notes when an object was complete, and not its parts."""
    return None


def columns(entry: Traffic[Page], report: reader.Report) -> Mapping[str, Any]:
    """The times of the page; None for what did not happen."""
    first = [one.first_s for one in report.objects if one.first_s is not None]
    whole = report.end == COMPLETE and bool(report.ends_s)
    return {
        LOAD: report.ends_s[-1] if whole else None,
        FIRST: min(first, default=None),
        INDEX: _byte_index_s(entry, report) if whole else None,
        CONNECTIONS: len(report.connections),
        **percentiles(_object_times(report), PERCENTILES),
    }


def part_columns(
    _entry: Traffic[Page], report: reader.Report, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The times of the objects that could be requested in a part of the time."""
    return percentiles(_object_times(report, start_s, end_s), PERCENTILES)


def _arrivals(entry: Traffic[Page], report: reader.Report) -> list[tuple[float, int]]:
    """When each object was complete, with its size, in order of time."""
    pairs = zip(report.objects, entry.record.objects, strict=True)
    return sorted((one.end_s, job.bytes) for one, job in pairs if one.end_s is not None)


def _byte_index_s(entry: Traffic[Page], report: reader.Report) -> float:
    """The integral of the part of all bytes that is missing, in seconds.

    Each object counts when it is complete, so this is the mean of their times, weighted
    by their sizes (Bocchi, De Cicco and Rossi, Measuring the quality of experience of
    web users, 2016, eq. 1).
    """
    arrived = _arrivals(entry, report)
    return sum(time * size for time, size in arrived) / sum(n for _, n in arrived)


def _object_times(
    report: reader.Report, start_s: float = -math.inf, end_s: float = math.inf
) -> np.ndarray:
    """Of each object that arrived: from when it could be requested until its end.

    start_s, end_s : the time in which it could first be requested
    """
    return np.array(
        [
            one.end_s - one.ready_s
            for one in report.objects
            if one.end_s is not None and one.ready_s is not None
            if start_s <= one.ready_s < end_s
        ]
    )


def wrong(entry: Traffic[Page], report: reader.Report) -> Iterator[str]:
    """Check that the whole page arrived."""
    there, asked = len(report.ends_s), len(entry.record.objects)
    if report.end != COMPLETE:
        yield f"{report.end}{f': {report.error}' if report.error else ''}"
    elif len(report.objects) != asked or there != asked:
        yield f"{many(there, 'object')}, not {asked}"


def lasted(_entry: Traffic[Page], report: reader.Report) -> Lasted:
    """The connections that were established; all of them last until the page's end."""
    there = [at_s for _, at_s in report.connections if at_s is not None]
    end_s = report.seconds
    return Lasted(len(there), end_s - max(there) if there else 0.0)


def allowed(_entry: Traffic[Page]) -> tuple[int, ...]:
    return (0,)


def ending(_entry: Traffic[Page], report: reader.Report) -> tuple[str, str]:
    given_up = report.end == GIVEN_UP
    return (endings.GIVEN_UP if given_up else endings.COMPLETE), report.error


def connected(
    entry: Traffic[Page], report: reader.Report
) -> tuple[int | None, float | None]:
    there = [at_s for _, at_s in report.connections if at_s is not None]
    return len(there), entry.start_s + min(there) if there else None


def samples(_entry: Traffic[Page], report: reader.Report) -> Mapping[str, np.ndarray]:
    return {OBJECT: _object_times(report)}


def series(entry: Traffic[Page], report: reader.Report) -> Mapping[str, Line]:
    """The bytes of all objects that are complete, as steps."""
    times, values = [entry.start_s], [0.0]
    for time, size in _arrivals(entry, report):
        times += [entry.start_s + time] * 2
        values += [values[-1], values[-1] + size]
    return {LOADED: Line(np.array(times), np.array(values))}


def stays(entry: Traffic[Page], report: reader.Report) -> tuple[Stay | None, ...]:
    start_s = entry.start_s
    return tuple(
        Stay(
            start_s + one.ready_s, start_s + one.first_s, start_s + one.end_s, job.bytes
        )
        if one.ready_s is not None and one.first_s is not None and one.end_s is not None
        else None
        for one, job in zip(report.objects, entry.record.objects, strict=True)
    )


def over_time(run: Artefacts, index: int) -> tuple[str, Line] | None:
    """The goodput of all objects, whose bytes are spread from the first to the last."""
    entry = run.traffic[index]
    return lines.of_stays(entry.title, stays(entry, run.reports[index]))


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
