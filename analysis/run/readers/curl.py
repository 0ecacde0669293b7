"""`curl --write-out %{json}` of one download (curl 7.88)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object

TIMED_OUT = 28
"""curl's exit status when --max-time is over."""


@dataclass(frozen=True)
class Report:
    """One download. Times are seconds since curl began.

    status : curl's own exit status; error : its words, or None
    http_status : 0 if no answer came
    connected_s, first_byte_s : of what did not come to pass, None
    total_s : when it ended, complete or not
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
        return self.status == TIMED_OUT


def read(path: Path) -> Report:
    """Raises ValueError if the file is missing, cut short or something else."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Report:
    try:
        return Report(
            version=str(document["curl_version"]).split()[0],
            status=int(document["exitcode"]),
            error=document["errormsg"],
            http_status=int(document["http_code"]),
            received_bytes=int(document["size_download"]),
            connections=int(document["num_connects"]),
            connected_s=float(document["time_connect"]) or None,
            first_byte_s=float(document["time_starttransfer"]) or None,
            total_s=float(document["time_total"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not a report of curl ({what})") from error
