"""A sync of files, as an entry in a job."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key, Length
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size

MOST_FILES = 10_000
MOST_GROUPS = 1_000
MOST_CONNECTIONS = 100
MOST_AHEAD = 1_000
ORDERS = ("given", "smallest", "largest", "mixed")


@dataclass(frozen=True, kw_only=True)
class Files:
    """Files of one size. bytes : of each"""

    count: Annotated[int, Bounds(1, MOST_FILES)]
    bytes: Size


@dataclass(frozen=True, kw_only=True)
class Sync(Entry):
    """bytes : of all files
    reverse : whether the client gets the files; otherwise it sends them
    files : in groups of one size
    order : in which they are begun
    connections : over which they go
    ahead : the most files that a connection has begun and not yet done
    timeout_s : the time after which the client gives up
    """

    tool: Literal["sync"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: None
    bytes: Size
    reverse: bool
    files: Annotated[tuple[Files, ...], Length(1, MOST_GROUPS)]
    order: Literal["given", "smallest", "largest", "mixed"]
    connections: Annotated[int, Bounds(1, MOST_CONNECTIONS)]
    ahead: Annotated[int, Bounds(1, MOST_AHEAD)]
    timeout_s: LastingSeconds
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if self.count > MOST_FILES:
            raise ValueError(f"{self.count} files; at most {MOST_FILES} work")
        if self.bytes != sum(each.count * each.bytes for each in self.files):
            raise ValueError("bytes is not the sum of all files")

    @property
    def count(self) -> int:
        """The number of all files."""
        return sum(each.count for each in self.files)

    @property
    def sizes(self) -> list[int]:
        """The size of each file, in the order in which they are begun."""
        return ordered([(each.count, each.bytes) for each in self.files], self.order)

    @property
    def connections_at_a_time(self) -> int:
        return min(self.connections, self.count)

    @property
    def given_up_s(self) -> float:
        return self.timeout_s


def ordered(groups: list[tuple[int, int]], order: str) -> list[int]:
    """The sizes of all files of `groups` (count and size), in this order.

    `mixed` spreads each group evenly over the whole.
    """
    if order == "mixed":
        places = [
            ((number + 0.5) / count, group, size)
            for group, (count, size) in enumerate(groups)
            for number in range(count)
        ]
        return [size for _, _, size in sorted(places)]
    sizes = [size for count, size in groups for _ in range(count)]
    return sizes if order == "given" else sorted(sizes, reverse=order == "largest")


RECORD = Sync
