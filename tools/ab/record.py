"""Requests for the same file again and again, by ab (ApacheBench)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size


@dataclass(frozen=True, kw_only=True)
class Ab(Entry):
    """Either a time or a number of requests.

    bytes : size of each answer
    concurrency : requests at a time
    keep_alive : whether requests share connections
    timeout_s : longest silence of the server before ab fails
    """

    tool: Literal["ab"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: LastingSeconds | None
    requests: Annotated[int, Bounds(1, 1_000_000)] | None
    bytes: Size
    reverse: Literal[True]
    concurrency: Annotated[int, Bounds(1, 1000)]
    keep_alive: bool
    timeout_s: LastingSeconds
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if (self.duration_s is None) == (self.requests is None):
            raise ValueError("needs either duration_s or requests")

    @property
    def connections_at_a_time(self) -> int:
        return self.concurrency

    @property
    def at_a_time(self) -> int:
        return self.concurrency

    @property
    def request_count(self) -> int | None:
        return self.requests


RECORD = Ab
