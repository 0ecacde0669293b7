"""Results of a proxy. `analysis.run.tools` describes each function."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.outcomes import endings
from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.proxy.record import Proxy

ENDED = True
MOST_WAITS = 1_000_000
COLUMNS = (
    "proxy.accepted",
    "proxy.opened",
    "proxy.failed",
    "proxy.up_bytes",
    "proxy.down_bytes",
    "proxy.most_held_bytes",
    "proxy.longest_wait_ms",
)


@dataclass(frozen=True)
class Report:
    """The report of a proxy; the keys are those of `programs/relay.py`."""

    accepted: int
    opened: int
    failed: int
    up_bytes: int
    down_bytes: int
    most_held_bytes: int
    waits_s: tuple[float, ...]
    lasted_s: tuple[float, ...]
    error: str


def read(folder: Path, index: int, _entry: Traffic[Proxy]) -> Report:
    name = f"traffic-{index}-server.json"
    return parse(files.read_object(folder / name), name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object; `name` is the file's name in error messages."""
    try:
        return Report(
            **{key: _whole(document[key]) for key in list(Report.__annotations__)[:6]},
            waits_s=_times(document["waits_s"]),
            lasted_s=_times(document["lasted_s"]),
            error=" ".join(str(document["error"]).split())[:200],
        )
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of a proxy ({reason})") from error


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError(f"{str(value)[:40]} is not a count")
    return value


def _times(values: object) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) > MOST_WAITS:
        raise ValueError("not a list of times")
    return tuple(map(_seconds, values))


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{str(value)[:40]} is not a time")
    return float(value)


def flow(_entry: Traffic[Proxy], _report: Report) -> Flow | None:
    """None: the server's tool says what arrived."""
    return None


def part(
    _entry: Traffic[Proxy], _report: Report, _start_s: float, _end_s: float
) -> Flow | None:
    return None


def columns(_entry: Traffic[Proxy], report: Report) -> Mapping[str, Any]:
    """The connections, the bytes in both directions, the most that waited in one
    connection, and the longest time from accepting a connection to opening another."""
    values = [getattr(report, name.partition(".")[2]) for name in COLUMNS[:-1]]
    longest = 1e3 * max(report.waits_s) if report.waits_s else None
    return dict(zip(COLUMNS, [*values, longest], strict=True))


def wrong(_entry: Traffic[Proxy], report: Report) -> Iterator[str]:
    """Check that connections came, and that each could go on."""
    if not report.accepted:
        yield "no connection came to the proxy"
    elif report.failed:
        failed = many(report.failed, "connection")
        yield f"the proxy could not open {failed}: {report.error}"


def lasted(_entry: Traffic[Proxy], report: Report) -> Lasted:
    """The connections that it opened, and the time for which the shortest lasted."""
    return Lasted(report.opened, min(report.lasted_s, default=0.0))


def ending(_entry: Traffic[Proxy], report: Report) -> tuple[str, str]:
    """Whether it could open a connection for each that it accepted."""
    if report.opened == report.accepted:
        return endings.COMPLETE, ""
    return endings.INCOMPLETE, report.error


def connected(entry: Traffic[Proxy], report: Report) -> tuple[int | None, float | None]:
    """The number of connections that were established."""
    return report.opened, None


def allowed(_entry: Traffic[Proxy]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
