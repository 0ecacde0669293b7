"""Results of a user's own tool, which read its numbers in the guest.
`analysis.run.tools` describes each function."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.run.artefacts import Artefacts
from analysis.run.number_columns import column
from analysis.run.readers import files, outcome, plugin_lists, plugin_numbers
from analysis.run.readers.plugin_lists import Lists
from analysis.run.series import Line
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.plugin.record import PERCENTILES, Plugin

ENDED = True
ENDPOINT = "endpoint"
"""The name under which jobs have the program of a case of QUIC."""
INTERVAL_S = 0.1
"""Length of the intervals of its goodput over time."""


class Arrived(NamedTuple):
    """Bytes that arrived in an interval, in seconds after the client began."""

    start_s: float
    end_s: float
    bytes: float


@dataclass(frozen=True)
class Report:
    """The numbers and lists of a tool.

    began_s, lasted_s : when its client began, in seconds after the beginning of the
        traffic, and how long it ran; 0 where no list needs them
    """

    own: plugin_numbers.Report
    lists: Lists
    began_s: float = 0.0
    lasted_s: float = 0.0


def read(folder: Path, index: int, entry: Traffic[Plugin]) -> Report:
    own = entry.record
    name = f"numbers-traffic-{index}.json"
    try:
        numbers = plugin_numbers.read(folder / name, own.plugin, own.numbers)
    except ValueError as error:
        if not endpoint(entry):
            raise
        reason = "received.csv or paths.csv is not as programs of QUIC write them"
        raise ValueError(f"{reason}: {error}") from error
    if not own.lists:
        return Report(numbers, Lists())
    file = folder / f"lists-traffic-{index}.json"
    lists = plugin_lists.read(file, own.received, own.samples, own.series)
    return Report(numbers, lists, *_client(folder, f"traffic-{index}-client"))


def endpoint(entry: Traffic[Plugin]) -> bool:
    """Whether the entry is the program of a case of QUIC, and no tool of a user's."""
    return entry.transport.is_quic and entry.record.plugin == ENDPOINT


def larger_files(entry: Traffic[Plugin]) -> str:
    if not endpoint(entry):
        return "`file_limit` of its entry raises it"
    more = "" if entry.transport.qlog else ", or give its case `qlog: true`"
    return f"let the program write less{more}"


def _client(folder: Path, name: str) -> tuple[float, float]:
    for each in outcome.read(folder / "outcome.json").processes:
        if each.name == name and each.start_s is not None and each.last_s is not None:
            return each.start_s, each.last_s - each.start_s
    raise ValueError(f"{name}: its times are missing")


def silent(entry: Traffic[Plugin]) -> bool:
    return not entry.record.received


def flow(entry: Traffic[Plugin], report: Report) -> Flow | None:
    """Bytes that arrived while the client ran, and at most for its duration. Bytes of a
    given size count until the last has arrived."""
    seconds, arrived = _lasted_s(entry, report), report.lists.received
    if entry.record.bytes is not None and arrived is not None and len(arrived.times_s):
        seconds = float(arrived.times_s[-1] - report.began_s)
    return part(entry, report, 0.0, seconds)


def _lasted_s(entry: Traffic[Plugin], report: Report) -> float:
    return min(entry.record.duration_s or math.inf, report.lasted_s)


def part(
    entry: Traffic[Plugin], report: Report, start_s: float, end_s: float
) -> Flow | None:
    """Bytes of a part of the time; each pair counts as a whole at its time.

    A tool is one stream, because its connections are not known.
    """
    arrived = report.lists.received
    if arrived is None:
        return None
    end_s = min(end_s, _lasted_s(entry, report))
    start_s = max(start_s, 0.0)
    if end_s <= start_s:
        return None
    times = arrived.times_s - report.began_s
    inside = (times <= end_s) & ((times > start_s) | (start_s == 0.0))
    count = float(arrived.values[inside].sum())
    return Flow(end_s - start_s, count, (count,))


def columns(_entry: Traffic[Plugin], report: Report) -> Mapping[str, Any]:
    """The numbers, and of each list of samples the percentiles and the greatest."""
    own = report.own
    found = {
        column(name, own.units[name], own.plugin): number
        for name, number in own.numbers.items()
    }
    units = _entry.record.samples
    for name, values in report.lists.samples.items():
        for word, share in PERCENTILES.items():
            value = float(np.percentile(values, share)) if len(values) else None
            found[column(f"{name}_{word}", units[name], own.plugin)] = value
    return found


def wrong(entry: Traffic[Plugin], report: Report) -> Iterator[str]:
    """Check that every number is there, and that something arrived."""
    plugin = report.own.plugin
    for name, number in report.own.numbers.items():
        if number is None:
            yield f"{plugin} gives no '{name}'"
    for name, values in report.lists.samples.items():
        if not len(values):
            yield f"{plugin} gives no '{name}'"
    arrived = flow(entry, report)
    if arrived is not None and not arrived.bytes:
        yield "nothing was received"
    asked = entry.record.bytes
    if arrived is not None and asked is not None and arrived.bytes != asked:
        yield f"{many(round(arrived.bytes), 'byte')} received of {asked}"


def lasted(_entry: Traffic[Plugin], _report: Report) -> Lasted:
    """The number of connections that the tool opened is not known."""
    return Lasted(0, 0.0)


def allowed(_entry: Traffic[Plugin]) -> tuple[int, ...]:
    return (0,)


def intervals(
    entry: Traffic[Plugin], report: Report, slack_s: float
) -> Sequence[Arrived]:
    """Arrivals in whole intervals of equal length, from when the client began."""
    length_s, arrived = entry.record.interval_s, report.lists.received
    if length_s is None or arrived is None:
        return ()
    lasted_s = min(entry.record.duration_s or math.inf, report.lasted_s + slack_s)
    count = round(lasted_s / length_s)
    edges = length_s * np.arange(count + 1)
    times_s = arrived.times_s - report.began_s
    moved, _ = np.histogram(times_s, edges, weights=arrived.values)
    return [
        Arrived(float(start_s), float(end_s), float(each))
        for start_s, end_s, each in zip(edges[:-1], edges[1:], moved, strict=True)
    ]


def over_time(run: Artefacts, index: int) -> tuple[str, Line] | None:
    """Goodput in intervals of equal length, from when the client began."""
    entry, report = run.traffic[index], run.reports[index]
    arrived = report.lists.received
    if arrived is None:
        return None
    count = int(_lasted_s(entry, report) / INTERVAL_S)
    edges = INTERVAL_S * np.arange(count + 1)
    moved, _ = np.histogram(
        arrived.times_s - report.began_s, edges, weights=arrived.values
    )
    middles = report.began_s + (edges[:-1] + edges[1:]) / 2
    return entry.title, Line(middles, 8e-6 * moved / INTERVAL_S)


def series(entry: Traffic[Plugin], report: Report) -> Mapping[str, Line]:
    own = entry.record
    return {
        column(name, own.series[name], own.plugin): Line(each.times_s, each.values)
        for name, each in report.lists.series.items()
    }


def samples(entry: Traffic[Plugin], report: Report) -> Mapping[str, np.ndarray]:
    own = entry.record
    return {
        column(name, own.samples[name], own.plugin): values
        for name, values in report.lists.samples.items()
    }


def explain(folder: Path, name: str) -> str:
    return files.last_words(folder, name)
