"""Results of requests and answers in turn. `analysis.run.tools` describes each
function."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.run.outcomes import endings
from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.pingpong import reader
from tools.pingpong.columns import EXCHANGES, MEAN, MOST, PERCENTILES, TIMES
from tools.pingpong.programs.pingpong import COMPLETE, GIVEN_UP
from tools.pingpong.record import MOST_EXCHANGES, PingPong

ENDED = True


def read(folder: Path, index: int, _entry: Traffic[PingPong]) -> reader.Report:
    return reader.read(folder / f"traffic-{index}-client.json")


def flow(_entry: Traffic[PingPong], _report: reader.Report) -> Flow | None:
    """None: small messages in both directions have no goodput to compare."""
    return None


def part(
    _entry: Traffic[PingPong], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    return None


def columns(_entry: Traffic[PingPong], report: reader.Report) -> Mapping[str, Any]:
    """The number of exchanges and the distribution of their times; None without any."""
    return _of_times(report.times_ms)


def part_columns(
    entry: Traffic[PingPong], report: reader.Report, start_s: float, end_s: float
) -> Mapping[str, Any]:
    """The same of the exchanges that began in a part of the time.

    One begins `think` after the one before has ended.
    """
    if report.connected_s is None:
        return {}
    began_s, inside = report.connected_s, []
    for time_ms in report.times_ms:
        if start_s <= began_s < end_s:
            inside.append(time_ms)
        began_s += time_ms / 1e3 + entry.record.think_s
    return _of_times(inside)


def _of_times(times_ms: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(times_ms)
    found: dict[str, Any] = {EXCHANGES: len(ordered), **dict.fromkeys(TIMES)}
    if ordered:
        found[MEAN] = sum(ordered) / len(ordered)
        found[MOST] = ordered[-1]
        for name, percent in PERCENTILES.items():
            found[name] = reader.percentile(ordered, percent)
    return found


def wrong(entry: Traffic[PingPong], report: reader.Report) -> Iterator[str]:
    """Check that there were exchanges, as many as asked for, and until the end."""
    done, number = len(report.times_ms), entry.record.number
    if report.end != COMPLETE:
        where = f"after {many(done, 'exchange')}"
        yield f"{report.end} {where}{f': {report.error}' if report.error else ''}"
    elif number is not None and done != number:
        yield f"{many(done, 'exchange')}, not {number}"
    elif number is None and done >= MOST_EXCHANGES:
        yield f"ended at {done} exchanges, before its duration; let it think"
    elif not done:
        yield "no request was answered"


def lasted(_entry: Traffic[PingPong], report: reader.Report) -> Lasted:
    """The connection, until the end of its last exchange."""
    return Lasted(int(report.connected_s is not None), report.seconds)


def allowed(_entry: Traffic[PingPong]) -> tuple[int, ...]:
    return (0,)


def ending(_entry: Traffic[PingPong], report: reader.Report) -> tuple[str, str]:
    given_up = report.end == GIVEN_UP
    return (endings.GIVEN_UP if given_up else endings.COMPLETE), report.error


def connected(
    entry: Traffic[PingPong], report: reader.Report
) -> tuple[int | None, float | None]:
    at_s = report.connected_s
    return int(at_s is not None), None if at_s is None else entry.start_s + at_s


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
