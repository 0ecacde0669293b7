"""Reader of ab's report and of its file of percentiles (ApacheBench 2.3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.run.readers.files import read_text

_VALUE = re.compile(r"^(?P<key>[A-Z][\w /-]*?):\s+(?P<number>\d+(?:\.\d+)?)\b", re.M)
_BREAKDOWN = re.compile(
    r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)"
)
_SERVER = re.compile(r"^Server Software:\s*(.*)$", re.M)
_HEAD = "Percentage served,Time in ms"


@dataclass(frozen=True)
class Report:
    """One test by ab.

    server : the server's software, as its answers say
    seconds : duration of the test
    concurrency : number of requests at a time
    complete : number of requests that ended, including failed ones
    failed : number of these that were not answered like the first request
    failures : number of failures by kind
    refused : number of answers whose HTTP status was not 2xx
    kept_alive : number of answers that left the connection open; None without -k
    body_bytes : size of the bodies of all answers
    times_ms : percentile to a request's time, from 0 (the fastest request) to 100
        (the slowest); percentiles that ab does not know are left out
    """

    server: str
    seconds: float
    concurrency: int
    complete: int
    failed: int
    failures: Mapping[str, int]
    refused: int
    kept_alive: int | None
    body_bytes: int
    times_ms: Mapping[int, float]


def read(report: Path, percentiles: Path) -> Report:
    """Read both files of a test.

    Raises ValueError if a file is missing, truncated or in another format. ab writes
    its report at the end of a test, so there is none if ab gives up earlier.
    """
    return parse(read_text(report), read_text(percentiles), report.name)


def parse(text: str, percentiles: str, name: str) -> Report:
    """Parse the texts of both files. `name` is the report's name in error messages."""
    values = {m["key"]: float(m["number"]) for m in _VALUE.finditer(text)}
    try:
        complete = int(values["Complete requests"])
        kept = values.get("Keep-Alive requests")
        failures = _BREAKDOWN.search(text)
        kinds = ("connect", "receive", "length", "exceptions")
        counts = map(int, failures.groups()) if failures else (0, 0, 0, 0)
        server = _SERVER.search(text)
        return Report(
            server=server[1] if server else "",
            seconds=values["Time taken for tests"],
            concurrency=int(values["Concurrency Level"]),
            complete=complete,
            failed=int(values["Failed requests"]),
            failures=dict(zip(kinds, counts, strict=True)),
            refused=int(values.get("Non-2xx responses", 0)),
            kept_alive=None if kept is None else int(kept),
            body_bytes=int(values["HTML transferred"]),
            times_ms=_times(percentiles, complete, name),
        )
    except KeyError as error:
        raise ValueError(
            f"{name}: no report of ab: {error.args[0]!r} is missing, so ab gave up"
            " before the end"
        ) from error


def _times(text: str, complete: int, name: str) -> dict[int, float]:
    """The percentiles, without those that ab reads past the end of its table.

    With n requests sorted by time, ab takes the request of index 0.5 + n i / 100 for
    percentile i. Only for percentile 100 does it check that this request exists.
    """
    head, *lines = text.splitlines() or [""]
    if head != _HEAD:
        raise ValueError(
            f"{name}: its percentiles begin with {head[:40]!r}, not {_HEAD!r}"
        )
    times = {}
    for line in lines:
        percent, _, milliseconds = line.partition(",")
        try:
            index = int(percent)
            if index == 100 or int(0.5 + complete * index / 100) < complete:
                times[index] = float(milliseconds)
        except ValueError as error:
            raise ValueError(f"{name}: {line[:40]!r} is not a percentile") from error
    if 100 not in times:
        raise ValueError(f"{name}: its percentiles are truncated")
    return times
