"""Results of requests by ab (ApacheBench). `analysis.run.tools` describes each
function."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from tools.ab import reader
from tools.ab.record import Ab

PERCENTILES = (50, 90, 95, 99)
QUICKEST, SLOWEST = 0, 100
TIME_STEP_S = 1e-3
"""ab reports times in whole milliseconds."""


def read(folder: Path, index: int, _entry: Traffic[Ab]) -> reader.Report:
    return reader.read(
        folder / f"traffic-{index}-client.txt",
        folder / f"traffic-{index}-percentiles.csv",
    )


def flow(_entry: Traffic[Ab], report: reader.Report) -> Flow:
    """The bodies of all answers, and the time of the whole test."""
    return Flow(report.seconds, report.body_bytes, (report.body_bytes,))


def part(
    _entry: Traffic[Ab], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: ab does not say when it received what."""
    return None


def columns(_entry: Traffic[Ab], report: reader.Report) -> Mapping[str, Any]:
    """The number of requests, their rate and their times.

    `request_time_ms` is ab's mean: the duration of the test, times the number of
    requests at a time, over the number of requests. With few requests ab does not know
    the high percentiles; they are then the time of the slowest request.
    """
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


def wrong(entry: Traffic[Ab], report: reader.Report) -> Iterator[str]:
    """Check that every request was answered with the file, and how many there were."""
    if report.failed:
        kinds = ", ".join(f"{n} {kind}" for kind, n in report.failures.items() if n)
        yield f"{report.failed} of {report.complete} requests failed ({kinds})"
    if report.refused:
        yield f"{report.refused} of {report.complete} answers had no HTTP status 2xx"
    if report.concurrency != entry.parallel:
        yield f"{report.concurrency} requests at a time, not {entry.parallel}"
    if entry.record.requests is not None and report.complete != entry.record.requests:
        yield f"{report.complete} requests of {entry.record.requests}"
    if entry.duration_s and report.seconds < entry.duration_s - TIME_STEP_S:
        yield f"lasted {report.seconds:.3f} s of {entry.duration_s:g}"
    if not report.complete:
        yield "no request was answered"
    elif report.body_bytes < report.complete * (entry.bytes or 0) and not report.failed:
        expected = report.complete * (entry.bytes or 0)
        yield f"{report.body_bytes} bytes received of {expected}"
    if entry.record.keep_alive and (report.kept_alive or 0) < report.complete:
        yield f"{report.kept_alive or 0} of {report.complete} answers kept alive"


def lasted(entry: Traffic[Ab], report: reader.Report) -> Lasted:
    """The connections of the requests.

    With keep-alive there is one connection per simultaneous request, and it lasts for
    the whole test. Otherwise there is one per request, and it lasts at least as long
    as the fastest request. Connections still open at the end are not counted.
    """
    if entry.record.keep_alive:
        return Lasted(entry.parallel, report.seconds)
    return Lasted(report.complete, report.times_ms[QUICKEST] / 1e3)


def allowed(_entry: Traffic[Ab]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
