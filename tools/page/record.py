"""The load of a page, as an entry in a job."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.base import Entry
from jobs.marks import WRITTEN, Bounds, Key, Length
from jobs.transport import Transport
from jobs.values import LastingSeconds, Name, Port, Seconds, Size

MOST_OBJECTS = 2_000
MOST_ORIGINS = 100
MOST_CONNECTIONS = 100
"""Per origin."""
LEAST_REQUEST_BYTES, MOST_REQUEST_BYTES = 100, 16_000

Number = Annotated[int, Bounds(0, MOST_OBJECTS - 1)]


@dataclass(frozen=True, kw_only=True)
class Object:
    """bytes : size of its body
    after : numbers of the objects that must have arrived before it is requested
    wait_s : time after that
    origin : number of its origin
    """

    bytes: Size
    after: Annotated[tuple[Number, ...], Length(0, MOST_OBJECTS)]
    wait_s: Seconds
    origin: Annotated[int, Bounds(0, MOST_ORIGINS - 1)]


@dataclass(frozen=True, kw_only=True)
class Page(Entry):
    """objects : in the order in which they are requested if several can be
    bytes : of all objects
    connections : the most per origin
    request_bytes : size of each request
    timeout_s : the time after which the client gives up
    """

    tool: Literal["page"]
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    duration_s: None
    bytes: Size
    reverse: Literal[True]
    objects: Annotated[tuple[Object, ...], Length(1, MOST_OBJECTS)]
    connections: Annotated[int, Bounds(1, MOST_CONNECTIONS)]
    request_bytes: Annotated[int, Bounds(LEAST_REQUEST_BYTES, MOST_REQUEST_BYTES)]
    timeout_s: LastingSeconds
    transport: Annotated[Transport | None, WRITTEN] = None

    def check(self) -> None:
        if self.bytes != sum(each.bytes for each in self.objects):
            raise ValueError("bytes is not the sum of all objects")
        if in_turn([each.after for each in self.objects]) is None:
            raise ValueError("objects wait for one another, or for one that is missing")

    @property
    def connections_at_a_time(self) -> int:
        return self.connections * (1 + max(each.origin for each in self.objects))

    @property
    def given_up_s(self) -> float:
        return self.timeout_s


def in_turn(after: "list[tuple[int, ...]]") -> list[int] | None:
    """The numbers of all objects in an order in which they can be loaded; None if there
    is none."""
    missing = [len(set(each)) for each in after]
    followers: list[list[int]] = [[] for _ in after]
    for number, each in enumerate(after):
        for before in set(each):
            if before >= len(after):
                return None
            followers[before].append(number)
    order = [number for number, count in enumerate(missing) if not count]
    for number in order:
        for follower in followers[number]:
            missing[follower] -= 1
            if not missing[follower]:
                order.append(follower)
    return order if len(order) == len(after) else None


RECORD = Page
