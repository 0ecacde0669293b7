"""A download of one file over HTTP, by curl."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Key
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size


@dataclass(frozen=True, kw_only=True)
class Curl(Entry):
    """bytes : size of the file
    timeout_s : when curl gives up, seconds after its start; None for never
    """

    tool: Literal["curl"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: None
    bytes: Size
    reverse: Literal[True]
    timeout_s: LastingSeconds | None
    transport: Annotated[Transport | None, WRITTEN] = None

    @property
    def own_keepalive(self) -> bool:
        return True  # curl asks for probes after 60 s

    @property
    def given_up_s(self) -> float | None:
        return self.timeout_s


RECORD = Curl
