"""The connections that a proxy opens, because it ends those of another entry.

`via` of a traffic entry makes one such entry per proxy (`mpbench.plan.proxies`). It is
the last of the job's entries, so that the others keep their numbers.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Among, Bounds, Key
from jobs.transport import Transport
from jobs.values import MOST_ENTRIES, Name, Port, Seconds

MPTCP, TCP = "mptcp", "tcp"
PROTOCOLS = (MPTCP, TCP)
Protocol = Annotated[str, Among(PROTOCOLS)]


@dataclass(frozen=True, kw_only=True)
class Proxy(Entry):
    """source : the host of the proxy
    destination : the next proxy, or the server
    port : of the destination
    serves : number of the entry whose data it passes on, from 0
    listens : the proxy's own port
    accepts, opens : what it listens with and connects with, `mptcp` or `tcp`
    fills : whether the connections are to use all their paths, as those of the entry
        that it serves
    """

    tool: Literal["proxy"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: None
    bytes: None
    reverse: bool
    serves: Annotated[int, Bounds(0, MOST_ENTRIES)]
    listens: Port
    accepts: Protocol
    opens: Protocol
    fills: bool
    transport: Annotated[Transport | None, WRITTEN] = None

    @property
    def served(self) -> int:
        return self.serves

    @property
    def inlet(self) -> int:
        return self.listens

    @property
    def taken(self) -> str:
        return self.accepts

    @property
    def opened(self) -> str:
        return self.opens

    @property
    def bulk(self) -> bool:
        return self.fills


RECORD = Proxy
