"""Many connections, of drawn sizes and at drawn times.

The plan draws the connections of every entry whose record derives from `DrawnFlows`.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.entries.arrivals import Arrivals, AtOnce
from jobs.entries.base import Entry
from jobs.entries.base import Pair as Hosts
from jobs.entries.flow_sizes import MOST_BYTES, Sizes
from jobs.marks import WRITTEN, Bounds, Key, Length, Matching, Tagged
from jobs.transport import Transport
from jobs.values import MOST_ENTRIES, LastingSeconds, Name, Port, Seconds

MOST_CONNECTIONS = 20_000
"""Connections of a host to another: each needs a port of its own."""
MOST_USERS = 128
"""Users of a host."""

Connections = Annotated[int, Bounds(1, MOST_CONNECTIONS)]
Pair = tuple[Name, Name]
PathNumber = Annotated[int, Bounds(1, 100)]
Range = tuple[Seconds, Seconds]
Digest = Annotated[
    str, Matching(re.compile("[0-9a-f]{64}"), "a SHA-256 in hexadecimal")
]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The result of drawing the connections.

    flows : their number
    bytes : the sum of their sizes
    sha256 : hash of all connections
    pairs : of an entry of several users, the number of connections of each host
    """

    flows: Connections
    bytes: Annotated[int, Bounds(0, int(MOST_BYTES) * MOST_CONNECTIONS)]
    sha256: Digest
    pairs: tuple[Annotated[int, Bounds(0, MOST_CONNECTIONS)], ...] | None = None


UNDRAWN = {
    "duration_s": 0.0,
    "drawn": Drawn(flows=1, bytes=0, sha256="0" * 64),
}
"""The fields of an entry that follow from drawing, before it is done."""


@dataclass(frozen=True, kw_only=True)
class DrawnFlows(Entry):
    """Connections between two hosts, between many, or of several users of a network.

    connections : of each user; with arrivals, at most so many; None for no limit
    size : of each transfer; None if each sends until the user's duration is over
    arrivals : when each user opens its connections
    starts_s, lasts_s : the range from which each user draws its start, and how long it
        opens connections; None for no such limit
    timeout_s : when a transfer that is not complete is given up, after its start
    interval_s : length of the intervals whose bytes are recorded
    read, read_bytes : as in iperf3's entries
    pairs : hosts that open and accept connections; None for `source` and `destination`
    counts : of several users of a network, how many each host of `pairs` stands for
    assign : how connections are assigned to users; None if each user has its own
    users : the number of all users
    stream : number of the entry in the experiment file, from 0
    drawn : the result of drawing
    paths : of shortest paths, the path of each user, from 1
    """

    tool: str
    source: Annotated[Name, Key("from")]
    destination: Annotated[Name, Key("to")]
    start_s: Seconds
    port: Port
    bytes: None
    reverse: bool
    connections: Connections | None
    size: Annotated[Sizes, Tagged("kind")] | None
    arrivals: Annotated[Arrivals, Tagged("kind")]
    starts_s: Range
    lasts_s: Range | None
    timeout_s: LastingSeconds | None
    interval_s: Annotated[float, Bounds(0.01, 60)]
    read: Literal["coalesced", "packet"]
    read_bytes: Annotated[int, Bounds(1, 1 << 20)]
    transport: Annotated[Transport | None, WRITTEN] = None
    pairs: Annotated[tuple[Pair, ...], Length(1, MOST_CONNECTIONS)] | None = None
    counts: tuple[Annotated[int, Bounds(1, MOST_USERS)], ...] | None = None
    assign: Literal["random", "in_turn"] | None = None
    users: Connections
    stream: Annotated[int, Bounds(0, below=MOST_ENTRIES)]
    duration_s: Seconds
    drawn: Drawn
    paths: Annotated[tuple[PathNumber, ...], Length(0, MOST_CONNECTIONS)] | None = None

    @property
    def between(self) -> tuple[Hosts, ...]:
        return super().between if self.pairs is None else self.pairs

    @property
    def connected(self) -> tuple[Hosts, ...]:
        counts = self.drawn.pairs or [1] * len(self.between)
        pairs = zip(self.between, counts, strict=True)
        return tuple(pair for pair, count in pairs if count)

    @property
    def between_many(self) -> bool:
        return self.pairs is not None

    @property
    def bulk(self) -> bool:
        return self.size is None

    @property
    def drawn_flows(self) -> int | None:
        return self.drawn.flows

    @property
    def drawn_bytes(self) -> int | None:
        return None if self.size is None else self.drawn.bytes

    @property
    def own_paths(self) -> frozenset[int]:
        return frozenset(self.paths or ())

    @property
    def highest_path(self) -> int | None:
        return max(self.paths) if self.paths else None

    @property
    def several_users(self) -> bool:
        return self.counts is not None

    @property
    def own_control(self) -> bool:
        return True

    def check(self) -> None:
        self._check_pairs()
        self._check_counts()
        if self.paths is not None and len(self.paths) != self.users:
            raise ValueError("paths: needs one path per user")
        self._check_end()

    def _check_pairs(self) -> None:
        if self.pairs is None:
            if self.users > MOST_USERS:
                raise ValueError(f"users: at most {MOST_USERS} on a host")
        elif self.counts is None and len(self.pairs) != self.users:
            raise ValueError("pairs: needs one pair per user")
        elif self.pairs[0] != (self.source, self.destination):
            raise ValueError("pairs: the first is not that of from and to")

    def _check_counts(self) -> None:
        if self.counts is None:
            if self.assign or self.drawn.pairs is not None:
                raise ValueError("counts: missing; assign and drawn.pairs need it")
            return
        if self.pairs is None or len(self.pairs) != len(self.counts):
            raise ValueError("counts: needs one number per pair")
        if len({here for here, _ in self.pairs}) < len(self.pairs):
            raise ValueError("counts: a host is in two pairs")
        if sum(self.counts) != self.users:
            raise ValueError("counts: their sum is not the number of users")
        drawn = self.drawn.pairs or ()
        if len(drawn) != len(self.pairs) or sum(drawn) != self.drawn.flows:
            raise ValueError("drawn.pairs: not the connections of each pair")

    def _check_end(self) -> None:
        if (self.size is None) != (self.timeout_s is None):
            raise ValueError("timeout_s is of transfers with a size, which need it")
        if self.size is None and self.lasts_s is None:
            raise ValueError("needs either size or lasts_s")
        if isinstance(self.arrivals, AtOnce):
            if self.connections is None:
                raise ValueError("connections at once need their number")
        elif self.connections is None and self.lasts_s is None:
            raise ValueError("arrivals need either connections or lasts_s")

    @property
    def outlasts_s(self) -> float:
        return self.timeout_s or 0.0

    @property
    def reads(self) -> str:
        return self.read
