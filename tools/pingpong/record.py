"""Requests and their answers over one connection, one after the other."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size

MOST_EXCHANGES = 1_000_000
"""The client keeps the time of each exchange, and ends at this number."""
MOST_WRITES = 100
MOST_KEEPALIVE_S = 32_767
"""The kernel's own limit."""

Times = Annotated[int, Bounds(1, MOST_EXCHANGES)]


@dataclass(frozen=True, kw_only=True)
class PingPong(Entry):
    """Either a time or a number of exchanges.

    duration_s : time after which no request begins
    number : requests in all
    bytes : of a request and its answer together
    request_bytes, answer_bytes : of each
    think_s : time between an answer and the next request
    writes : calls of send(2) that a request is written with
    nodelay : whether both ends switch Nagle's algorithm off
    timeout_s : the longest time to wait for the connection, or for an answer
    keepalive_s : silence after which the client's kernel probes, and the time between
        probes; None for no probes
    """

    tool: Literal["pingpong"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: LastingSeconds | None
    number: Times | None
    bytes: Size
    reverse: Literal[False]
    request_bytes: Size
    answer_bytes: Size
    think_s: Seconds
    writes: Annotated[int, Bounds(1, MOST_WRITES)]
    nodelay: bool
    timeout_s: LastingSeconds
    keepalive_s: Annotated[int, Bounds(1, MOST_KEEPALIVE_S)] | None
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if (self.duration_s is None) == (self.number is None):
            raise ValueError("needs either duration_s or number")
        if self.bytes != self.request_bytes + self.answer_bytes:
            raise ValueError("bytes is not the sum of request and answer")
        if self.writes > self.request_bytes:
            raise ValueError("has more writes than bytes in a request")

    @property
    def at_a_time(self) -> int:
        return 1

    @property
    def request_count(self) -> int | None:
        return self.number

    @property
    def between_s(self) -> float:
        return self.think_s

    @property
    def outlasts_s(self) -> float:
        return self.timeout_s

    @property
    def own_keepalive(self) -> bool:
        return self.keepalive_s is not None


RECORD = PingPong
