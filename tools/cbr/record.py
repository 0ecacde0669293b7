"""Traffic at a constant bit rate: datagrams, or messages over a connection."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds

LINGER_S = 1.0
"""Time for which the receiver of datagrams goes on after the sender, as its program
says."""
LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES = 8, 10**6
"""A message begins with the time at which it was due."""
MOST_DATAGRAM_BYTES = 1472
MOST_PER_S = 100_000
"""Messages or datagrams per second, because each costs the guest CPU time."""
DATAGRAM_HEAD_BYTES = 42
"""Of Ethernet, IP and UDP."""


@dataclass(frozen=True, kw_only=True)
class Cbr(Entry):
    """rate_mbps : while it is on: of whole packets, or of a connection's data
    burst_s, pause_s : mean length of a burst, and between bursts; None for always on
    over : `connection` for messages over one connection; None for datagrams
    size_bytes : payload of each datagram or message; None for full datagrams, and for
        messages of the size that the rate asks for
    """

    tool: Literal["cbr"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: LastingSeconds
    bytes: None
    reverse: Literal[False]
    rate_mbps: Annotated[float, Bounds(above=0, most=10_000)]
    burst_s: LastingSeconds | None
    pause_s: LastingSeconds | None
    over: Literal["connection"] | None = None
    size_bytes: Annotated[int, Bounds(1, MOST_MESSAGE_BYTES)] | None = None
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if self.size_bytes is None:
            return
        low, high = limits(self.over_connection)
        if not low <= self.size_bytes <= high:
            raise ValueError(f"size_bytes is not within {low} to {high}")
        if per_s(self.size_bytes, self.rate_mbps, self.over_connection) > MOST_PER_S:
            raise ValueError(f"size_bytes: more than {MOST_PER_S} per second")

    @property
    def over_connection(self) -> bool:
        return self.over == "connection"

    @property
    def datagrams(self) -> bool:
        return not self.over_connection

    @property
    def connection_mbps(self) -> float | None:
        return self.rate_mbps if self.over_connection else None

    @property
    def offered_mbps(self) -> float:
        return self.rate_mbps

    @property
    def message_bytes(self) -> int | None:
        if self.connection_mbps is None:
            return None
        if self.size_bytes is not None:
            return self.size_bytes
        # Guests read records, and need not import the program.
        from tools.cbr.programs.messages import message_bytes

        return message_bytes(1e6 * float(self.connection_mbps))

    @property
    def server_lasts_s(self) -> float:
        return math.inf if self.over_connection else LINGER_S


def limits(over_connection: bool) -> tuple[int, int]:
    """The least and the largest size, in bytes."""
    if over_connection:
        return LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES
    return 1, MOST_DATAGRAM_BYTES


def per_s(size_bytes: float, rate_mbps: float, over_connection: bool) -> float:
    """Messages or datagrams per second; the rate counts the heads of datagrams."""
    head_bytes = 0 if over_connection else DATAGRAM_HEAD_BYTES
    return 1e6 * rate_mbps / (8 * (size_bytes + head_bytes))


RECORD = Cbr
