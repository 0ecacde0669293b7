"""Results of downloads by curl. `analysis.run.tools` describes each function."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP
from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from analysis.words import many
from tools.curl import reader
from tools.curl.record import Curl

HTTP_OK = 200


def read(folder: Path, index: int, _entry: Traffic[Curl]) -> reader.Report:
    return reader.read(folder / f"traffic-{index}-client.json")


def flow(_entry: Traffic[Curl], report: reader.Report) -> Flow:
    """All received bytes, and the time since the start of curl.

    The time includes connecting and requesting, for which a user waits too.
    """
    return Flow(report.total_s, report.received_bytes, (report.received_bytes,))


def part(
    _entry: Traffic[Curl], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    """None: curl does not say when it received what."""
    return None


def columns(entry: Traffic[Curl], report: reader.Report) -> Mapping[str, Any]:
    """The times of the download. `completion_time_s` is None after a timeout.

    `connect_time_s` is None over QUIC, where curl connects to a relay beside it.
    """
    return {
        "completion_time_s": None if report.timed_out else report.total_s,
        "connect_time_s": None if entry.transport.is_quic else report.connected_s,
        "first_byte_time_s": report.first_byte_s,
        "timed_out": report.timed_out,
    }


def wrong(entry: Traffic[Curl], report: reader.Report) -> Iterator[str]:
    """Check that the whole file arrived, or a part of it before the timeout."""
    if report.http_status == 0:
        yield f"no answer from the server within {report.total_s:.3f} s"
        return
    if report.http_status != HTTP_OK:
        yield f"HTTP status {report.http_status}, not {HTTP_OK}"
    if report.timed_out and not report.received_bytes:
        yield "nothing was received"
    if not report.timed_out and report.received_bytes != entry.bytes:
        yield f"{many(report.received_bytes, 'byte')} received of {entry.bytes}"
    if report.connections != 1:
        yield f"{many(report.connections, 'connection')}, not 1"


def lasted(_entry: Traffic[Curl], report: reader.Report) -> Lasted:
    """The only connection, for the whole download."""
    return Lasted(1, report.total_s)


def ending(_entry: Traffic[Curl], report: reader.Report) -> tuple[str, str]:
    word = GIVEN_UP if report.timed_out else COMPLETE
    return word, report.error or ""


def connected(
    entry: Traffic[Curl], report: reader.Report
) -> tuple[int | None, float | None]:
    at_s = report.connected_s
    return int(at_s is not None), None if at_s is None else entry.start_s + at_s


def allowed(entry: Traffic[Curl]) -> tuple[int, ...]:
    return (0,) if entry.record.timeout_s is None else (0, reader.TIMED_OUT)


def explain(folder: Path, name: str) -> str:
    return files.tail(folder / f"{name}.err")
