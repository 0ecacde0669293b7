"""Results of a sync of files. `analysis.run.tools` describes each function."""

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
from tools.sync import reader
from tools.sync.columns import (
    CONNECTIONS,
    DONE_BYTES,
    DONE_FILES,
    FILE,
    FILES,
    PERCENTILES,
    TIME,
)
from tools.sync.programs.sync import COMPLETE, GIVEN_UP
from tools.sync.record import Sync

ENDED = True


def read(folder: Path, index: int, _entry: Traffic[Sync]) -> reader.Report:
    return reader.read(folder / f"traffic-{index}-client.json")


def flow(entry: Traffic[Sync], report: reader.Report) -> Flow | None:
    """All files that were done, until the last of them was."""
    done = _done(entry, report)
    if not done or not done[-1][0]:
        return None
    copied = sum(size for _, size in done)
    return Flow(done[-1][0], copied, (copied,))


def part(
    _entry: Traffic[Sync], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: the client notes when a file was done, and not its parts."""
    return None


def columns(entry: Traffic[Sync], report: reader.Report) -> Mapping[str, Any]:
    """The times of the files; None for what did not happen."""
    whole = report.end == COMPLETE and bool(report.done_s)
    return {
        TIME: report.done_s[-1] if whole else None,
        FILES: len(report.done_s),
        CONNECTIONS: len(report.connections),
        **percentiles(_times(report), PERCENTILES),
    }


def part_columns(
    _entry: Traffic[Sync], report: reader.Report, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The times of the files that a connection began with in a part of the time."""
    return percentiles(_times(report, start_s, end_s), PERCENTILES)


def _done(entry: Traffic[Sync], report: reader.Report) -> list[tuple[float, int]]:
    """When each file was done, with its size, in order of time."""
    pairs = zip(report.files, entry.record.sizes, strict=False)
    return sorted((one.done_s, size) for one, size in pairs if one.done_s is not None)


def _times(
    report: reader.Report, start_s: float = -math.inf, end_s: float = math.inf
) -> np.ndarray:
    """Time that each finished file took, from when a connection began with it.

    start_s, end_s : the time in which it began
    """
    return np.array(
        [
            one.done_s - one.begun_s
            for one in report.files
            if one.done_s is not None and one.begun_s is not None
            if start_s <= one.begun_s < end_s
        ]
    )


def wrong(entry: Traffic[Sync], report: reader.Report) -> Iterator[str]:
    """Check that all files were done."""
    there, asked = len(report.done_s), entry.record.count
    if report.end != COMPLETE:
        yield f"{report.end}{f': {report.error}' if report.error else ''}"
    elif len(report.files) != asked or there != asked:
        yield f"{many(there, 'file')}, not {asked}"


def lasted(_entry: Traffic[Sync], report: reader.Report) -> Lasted:
    """The connections that were established; all of them last until the end."""
    there = [at_s for _, at_s in report.connections if at_s is not None]
    return Lasted(len(there), report.seconds - max(there) if there else 0.0)


def allowed(_entry: Traffic[Sync]) -> tuple[int, ...]:
    return (0,)


def ending(_entry: Traffic[Sync], report: reader.Report) -> tuple[str, str]:
    given_up = report.end == GIVEN_UP
    return (endings.GIVEN_UP if given_up else endings.COMPLETE), report.error


def connected(
    entry: Traffic[Sync], report: reader.Report
) -> tuple[int | None, float | None]:
    there = [at_s for _, at_s in report.connections if at_s is not None]
    return len(there), entry.start_s + min(there) if there else None


def samples(_entry: Traffic[Sync], report: reader.Report) -> Mapping[str, np.ndarray]:
    return {FILE: _times(report)}


def series(entry: Traffic[Sync], report: reader.Report) -> Mapping[str, Line]:
    """The bytes and the number of the files that are done, as steps."""
    times, sizes, counts = [entry.start_s], [0.0], [0.0]
    for time, size in _done(entry, report):
        times += [entry.start_s + time] * 2
        sizes += [sizes[-1], sizes[-1] + size]
        counts += [counts[-1], counts[-1] + 1]
    at = np.array(times)
    return {
        DONE_BYTES: Line(at, np.array(sizes)),
        DONE_FILES: Line(at, np.array(counts)),
    }


def stays(entry: Traffic[Sync], report: reader.Report) -> tuple[Stay | None, ...]:
    start_s = entry.start_s
    return tuple(
        Stay(start_s + one.begun_s, start_s + one.first_s, start_s + one.done_s, size)
        if one.begun_s is not None
        and one.first_s is not None
        and one.done_s is not None
        else None
        for one, size in zip(report.files, entry.record.sizes, strict=False)
    )


def over_time(run: Artefacts, index: int) -> tuple[str, Line] | None:
    """The goodput of all files, whose bytes are spread from the first to the end."""
    entry = run.traffic[index]
    return lines.of_stays(entry.title, stays(entry, run.reports[index]))


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
