"""Reader of what `curl --write-out %{json}` prints after a download (curl 7.88)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object

TIMED_OUT = 28
"""curl's exit status if the time of --max-time has passed."""


@dataclass(frozen=True)
class Report:
    """One download. Times are in seconds since the start of curl.

    status : curl's exit status
    error : curl's error message; None if there is none
    http_status : HTTP status of the answer; 0 if no answer came
    received_bytes : size of the received body
    connections : number of connections that curl opened
    connected_s : when the connection was established; None if it never was
    first_byte_s : when the first byte arrived; None if none did
    total_s : when the download ended, complete or not
    """

    version: str
    status: int
    error: str | None
    http_status: int
    received_bytes: int
    connections: int
    connected_s: float | None
    first_byte_s: float | None
    total_s: float

    @property
    def timed_out(self) -> bool:
        """Whether curl gave up because its time was over."""
        return self.status == TIMED_OUT


def read(path: Path) -> Report:
    """Read a report. Raises ValueError if the file is missing, truncated or not
    curl's."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        return Report(
            version=str(document["curl_version"]).split()[0],
            status=values.whole(document["exitcode"]),
            error=values.text_or_none(document["errormsg"]),
            http_status=values.count(document["http_code"]),
            received_bytes=values.count(document["size_download"]),
            connections=values.count(document["num_connects"]),
            connected_s=values.time(document["time_connect"]) or None,
            first_byte_s=values.time(document["time_starttransfer"]) or None,
            total_s=values.time(document["time_total"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of curl ({reason})") from error
