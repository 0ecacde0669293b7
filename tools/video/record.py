"""Adaptive video, as an entry in a job."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key, Length
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size

RULES = ("buffer", "rate")
MOST_CHUNKS = 20_000
MOST_RATES = 50
LEAST_MBPS, MOST_MBPS = 0.001, 10_000.0

Rate = Annotated[float, Bounds(LEAST_MBPS, MOST_MBPS)]


@dataclass(frozen=True, kw_only=True)
class Video(Entry):
    """chunk_s, chunks : length and number of the chunks
    rates_mbps : the bitrates that each chunk has, ascending
    buffer_s : the most video that the player keeps
    resume_s : what must be there before it plays, at first and after a stall
    rule : what chooses the bitrate
    bytes : of all chunks at the highest bitrate
    timeout_s : the longest time to wait for the connection or for a chunk
    """

    tool: Literal["video"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: None
    bytes: Size
    reverse: Literal[True]
    chunk_s: LastingSeconds
    chunks: Annotated[int, Bounds(1, MOST_CHUNKS)]
    rates_mbps: Annotated[tuple[Rate, ...], Length(1, MOST_RATES)]
    buffer_s: LastingSeconds
    resume_s: LastingSeconds
    rule: Literal["buffer", "rate"]
    timeout_s: LastingSeconds
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if any(one >= after for one, after in pairwise(self.rates_mbps)):
            raise ValueError("bitrates must ascend")
        if not self.chunk_s <= self.resume_s <= self.buffer_s:
            raise ValueError("needs chunk_s <= resume_s <= buffer_s")

    @property
    def at_a_time(self) -> int:
        return 1

    @property
    def request_count(self) -> int:
        return 1

    @property
    def between_s(self) -> float:
        """The time that the whole video plays."""
        return self.chunks * self.chunk_s

    @property
    def outlasts_s(self) -> float:
        return self.timeout_s


RECORD = Video
