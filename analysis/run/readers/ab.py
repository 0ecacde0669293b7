"""ab (ApacheBench 2.3): its report on the terminal, and its file of percentiles."""

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
    """A test of ab.

    complete : requests that ended, failed ones among them
    failed : of these, not answered as the first was; failures : by kind
    refused : answers whose HTTP status was not 2xx
    kept_alive : answers after which the connection stayed; None without -k
    body_bytes : of all answers, without their heads
    times_ms : time of a request by percentile, from 0 (the quickest) to 100 (the
        slowest); without percentiles that ab does not know
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
    """Raises ValueError if a file is missing, cut short, or of something else.

    ab writes its report at the end of a test: when it gives up before, there is
    none.
    """
    return parse(read_text(report), read_text(percentiles), report.name)


def parse(text: str, percentiles: str, name: str) -> Report:
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
            f"{name}: no report of ab, which gave up before the end"
            f" ({error.args[0]!r} is missing)"
        ) from error


def _times(text: str, complete: int, name: str) -> dict[int, float]:
    """The percentiles, without those that ab reads past its last request.

    Of n requests in order of time, ab takes for percentile i the one of index
    0.5 + n i / 100, and only for 100 makes sure that there is one.
    """
    head, *lines = text.splitlines() or [""]
    if head != _HEAD:
        raise ValueError(f"{name}: its percentiles begin with {head[:40]!r}")
    times = {}
    for line in lines:
        percent, _, milliseconds = line.partition(",")
        try:
            index = int(percent)
            if index == 100 or int(0.5 + complete * index / 100) < complete:
                times[index] = float(milliseconds)
        except ValueError as error:
            raise ValueError(f"{name}: a percentile is {line[:40]!r}") from error
    if 100 not in times:
        raise ValueError(f"{name}: its percentiles were cut short")
    return times
