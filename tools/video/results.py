"""Results of adaptive video. `analysis.run.tools` describes each function."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run import series as lines
from analysis.run.artefacts import Artefacts
from analysis.run.distributions import percentiles
from analysis.run.outcomes import endings
from analysis.run.readers import files
from analysis.run.series import Line
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.video import reader
from tools.video.columns import (
    BITRATE,
    BUFFER,
    CHANGES,
    CHUNK,
    PERCENTILES,
    QUALITY,
    STALLED,
    STALLS,
    STARTUP,
)
from tools.video.programs.video import COMPLETE, GIVEN_UP
from tools.video.record import Video

ENDED = True
STEP_S = 0.5
"""The intervals of the goodput over time."""


def read(folder: Path, index: int, _entry: Traffic[Video]) -> reader.Report:
    return reader.read(folder / f"traffic-{index}-client.json")


def flow(entry: Traffic[Video], report: reader.Report) -> Flow | None:
    """All chunks, until the last of them was there.

    It has no streams, so that it does not enter fairness: a player that has enough
    asks for no more.
    """
    if not report.chunks:
        return None
    rates = _rates(entry, report)
    loaded = sum(round(rate * 1e6 * entry.record.chunk_s / 8) for rate in rates)
    return Flow(report.chunks[-1].end_s, loaded, ())


def part(
    _entry: Traffic[Video], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: the player notes when a chunk was complete, and not its parts."""
    return None


def _rates(entry: Traffic[Video], report: reader.Report) -> list[float]:
    """The bitrate of each chunk, in Mbit/s."""
    return [entry.record.rates_mbps[chunk.rate] for chunk in report.chunks]


def _times(chunks: Sequence[reader.Chunk]) -> np.ndarray:
    return np.array([chunk.end_s - chunk.asked_s for chunk in chunks])


def columns(entry: Traffic[Video], report: reader.Report) -> Mapping[str, Any]:
    """The columns of what a viewer sees; None for what did not happen."""
    rates = _rates(entry, report)
    return {
        STARTUP: report.start_s,
        STALLS: len(report.stalls),
        STALLED: sum(end_s - begin_s for begin_s, end_s in report.stalls),
        BITRATE: sum(rates) / len(rates) if rates else None,
        CHANGES: sum(one != after for one, after in pairwise(rates)),
        **percentiles(_times(report.chunks), PERCENTILES),
    }


def part_columns(
    entry: Traffic[Video], report: reader.Report, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The stalls within a part of the time, and the chunks requested in it."""
    pairs = zip(report.chunks, _rates(entry, report), strict=True)
    inside = [(c, rate) for c, rate in pairs if start_s <= c.asked_s < end_s]
    rates = [rate for _, rate in inside]
    stalled = [(max(a, start_s), min(b, end_s)) for a, b in report.stalls]
    return {
        STALLS: sum(start_s <= begin_s < end_s for begin_s, _ in report.stalls),
        STALLED: sum(max(0.0, stop_s - begin_s) for begin_s, stop_s in stalled),
        BITRATE: sum(rates) / len(rates) if rates else None,
        **percentiles(_times([chunk for chunk, _ in inside]), PERCENTILES),
    }


def wrong(entry: Traffic[Video], report: reader.Report) -> Iterator[str]:
    """Check that the whole video was played."""
    done, asked = len(report.chunks), entry.record.chunks
    if report.end != COMPLETE:
        where = f"after {many(done, 'chunk')}"
        yield f"{report.end} {where}{f': {report.error}' if report.error else ''}"
    elif done != asked:
        yield f"{many(done, 'chunk')}, not {asked}"


def lasted(_entry: Traffic[Video], report: reader.Report) -> Lasted:
    at_s = report.connected_s
    return Lasted(int(at_s is not None), report.seconds - (at_s or 0.0))


def allowed(_entry: Traffic[Video]) -> tuple[int, ...]:
    return (0,)


def ending(_entry: Traffic[Video], report: reader.Report) -> tuple[str, str]:
    given_up = report.end == GIVEN_UP
    return (endings.GIVEN_UP if given_up else endings.COMPLETE), report.error


def connected(
    entry: Traffic[Video], report: reader.Report
) -> tuple[int | None, float | None]:
    at_s = report.connected_s
    return int(at_s is not None), None if at_s is None else entry.start_s + at_s


def samples(_entry: Traffic[Video], report: reader.Report) -> Mapping[str, np.ndarray]:
    return {CHUNK: _times(report.chunks)}


def series(entry: Traffic[Video], report: reader.Report) -> Mapping[str, Line]:
    """The buffer, and the bitrate of the chunk that is loaded."""
    times: list[float] = [entry.start_s]
    levels, qualities = [0.0], [0.0]
    for chunk, rate in zip(report.chunks, _rates(entry, report), strict=True):
        empty_s = [b for b, _ in report.stalls if chunk.asked_s < b <= chunk.end_s]
        drained = max(0.0, chunk.after_s - entry.record.chunk_s)
        steps = [(chunk.asked_s, chunk.before_s)]
        steps += [(time, 0.0) for time in empty_s]
        steps += [(chunk.end_s, drained), (chunk.end_s, chunk.after_s)]
        for time, level in steps:
            times.append(entry.start_s + time)
            levels.append(level)
            qualities.append(rate)
    return {
        BUFFER: Line(np.array(times), np.array(levels)),
        QUALITY: Line(np.array(times), np.array(qualities)),
    }


def over_time(run: Artefacts, index: int) -> tuple[str, Line] | None:
    """The goodput of all chunks, whose bytes are spread from the request to the end."""
    entry: Traffic[Video] = run.traffic[index]
    report: reader.Report = run.reports[index]
    if not report.chunks:
        return None
    bits = [rate * 1e6 * entry.record.chunk_s for rate in _rates(entry, report)]
    line = lines.spread(
        [entry.start_s + chunk.asked_s for chunk in report.chunks],
        [entry.start_s + chunk.end_s for chunk in report.chunks],
        [each / 8 for each in bits],
        STEP_S,
    )
    return entry.title, line


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
