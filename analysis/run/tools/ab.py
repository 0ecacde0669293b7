"""Requests by ab (ApacheBench)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.job import Traffic
from analysis.run.readers import ab, files
from analysis.run.tools import Flow, Lasted

PERCENTILES = (50, 90, 95, 99)
QUICKEST, SLOWEST = 0, 100
TIME_STEP_S = 1e-3
"""ab gives its times in milliseconds."""


def read(folder: Path, index: int) -> ab.Report:
    return ab.read(
        folder / f"traffic-{index}-client.txt",
        folder / f"traffic-{index}-percentiles.csv",
    )


def flow(_entry: Traffic, report: ab.Report) -> Flow:
    """The bodies of all answers, over the time of the whole test."""
    return Flow(report.seconds, report.body_bytes, (report.body_bytes,))


def part(
    _entry: Traffic, _report: ab.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """ab does not say what came when."""
    return None


def columns(_entry: Traffic, report: ab.Report) -> Mapping[str, Any]:
    """request_time_ms is the mean, as ab has it: time of the test, by requests in
    turn. A percentile that ab does not know, of few requests, is the slowest's."""
    slowest = report.times_ms[SLOWEST]
    return {
        "requests": report.complete,
        "requests_per_s": report.complete / report.seconds,
        "request_time_ms": 1e3 * report.seconds * report.concurrency / report.complete
        if report.complete
        else None,
        **{
            f"request_time_p{percent}_ms": report.times_ms.get(percent, slowest)
            for percent in PERCENTILES
        },
        "request_time_max_ms": slowest,
    }


def wrong(entry: Traffic, report: ab.Report) -> Iterator[str]:
    """Every request was answered with the file, for as long as was asked."""
    if report.failed:
        kinds = ", ".join(f"{n} {kind}" for kind, n in report.failures.items() if n)
        yield f"{report.failed} of {report.complete} requests failed ({kinds})"
    if report.refused:
        yield f"{report.refused} of {report.complete} answers were no success of HTTP"
    if report.concurrency != entry.parallel:
        yield f"{report.concurrency} requests at a time, not {entry.parallel}"
    if entry.requests is not None and report.complete != entry.requests:
        yield f"{report.complete} requests of {entry.requests}"
    if entry.duration_s and report.seconds < entry.duration_s - TIME_STEP_S:
        yield f"lasted {report.seconds:.3f} s of {entry.duration_s:g}"
    if not report.complete:
        yield "no request was answered"
    elif report.body_bytes < report.complete * (entry.bytes or 0) and not report.failed:
        wanted = report.complete * (entry.bytes or 0)
        yield f"{report.body_bytes} bytes received of {wanted}"
    if entry.keep_alive and (report.kept_alive or 0) < report.complete:
        yield f"{report.kept_alive or 0} of {report.complete} answers kept alive"


def lasted(entry: Traffic, report: ab.Report) -> Lasted:
    """Each request its own connection, or all in those that are open at a time.

    Of the former the quickest request says how long they lived at least; those that
    were under way at the end are not counted.
    """
    if entry.keep_alive:
        return Lasted(entry.parallel, report.seconds)
    return Lasted(report.complete, report.times_ms[QUICKEST] / 1e3)


def allowed(_entry: Traffic) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
