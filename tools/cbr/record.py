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


@dataclass(frozen=True, kw_only=True)
class Cbr(Entry):
    """rate_mbps : while it is on: of whole packets, or of a connection's data
    burst_s, pause_s : mean length of a burst, and between bursts; None for always on
    over : `connection` for messages over one connection; None for datagrams
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
    transport: Annotated[Transport | None, WRITTEN] = None

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
    def message_bytes(self) -> int | None:
        if self.connection_mbps is None:
            return None
        # Guests read records, and need not import the program.
        from tools.cbr.programs.messages import message_bytes

        return message_bytes(1e6 * float(self.connection_mbps))

    @property
    def server_lasts_s(self) -> float:
        return math.inf if self.over_connection else LINGER_S


RECORD = Cbr
