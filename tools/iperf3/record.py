"""A bulk transfer by iperf3."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size

SERVER_GRACE_S = 5.0
"""Time for which guests let the server go on after the client has ended."""


@dataclass(frozen=True, kw_only=True)
class Iperf3(Entry):
    """Either a time or an amount.

    parallel : connections at a time
    nodelay : whether the sender switches Nagle's algorithm off
    interval_s : length of the intervals of the report
    read : how the receiver is woken: when `read_bytes` have arrived, or by each packet;
        with `bulk` as when coalesced, in few system calls
    """

    tool: Literal["iperf3"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: LastingSeconds | None
    bytes: Size | None
    reverse: bool
    parallel: Annotated[int, Bounds(1, 128)]
    nodelay: bool = False
    interval_s: LastingSeconds
    read: Literal["coalesced", "packet", "bulk"]
    read_bytes: Annotated[int, Bounds(1, 1 << 20)]
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("needs either duration_s or bytes")

    @property
    def bulk(self) -> bool:
        return True

    @property
    def connections_at_a_time(self) -> int:
        return self.parallel

    def with_connections(self, count: int) -> "Iperf3":
        return replace(self, parallel=count)

    @property
    def server_lasts_s(self) -> float:
        return SERVER_GRACE_S

    @property
    def reads(self) -> str:
        return self.read


RECORD = Iperf3
