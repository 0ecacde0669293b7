"""The interface of a traffic entry, whichever its tool."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.sockets import Sockets
from jobs.transport import Transport

Pair = tuple[str, str]
"""The hosts that open and accept a connection."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One traffic entry. The record of each tool derives from this class, and has the
    entry's keys as its fields, in the order in which JSON has them.

    tool : name of the traffic tool
    source : the host of the tool's client, which opens the connections
    destination : the host of the tool's server
    start_s : when the client starts, seconds after the beginning of the traffic
    port : of the server
    duration_s, bytes : the limit of the transfer, where it has one
    reverse : whether data flows from `destination` to `source`
    transport : the entry's own; None for the one of the case
    sockets : the protocols of its programs, where the entry says them
    """

    sockets: Sockets | None = None

    if TYPE_CHECKING:

        @property
        def tool(self) -> str: ...
        @property
        def source(self) -> str: ...
        @property
        def destination(self) -> str: ...
        @property
        def start_s(self) -> float: ...
        @property
        def port(self) -> int: ...
        @property
        def duration_s(self) -> float | None: ...
        @property
        def bytes(self) -> int | None: ...
        @property
        def reverse(self) -> bool: ...
        @property
        def transport(self) -> Transport | None: ...

    @property
    def between(self) -> tuple[Pair, ...]:
        """The pairs (source, destination) of hosts between which the traffic flows."""
        return ((self.source, self.destination),)

    @property
    def served(self) -> int | None:
        """The number of the entry whose data it passes on as a proxy; None for no
        proxy."""
        return None

    @property
    def inlet(self) -> int | None:
        """The port at which a proxy accepts connections; None for no proxy."""
        return None

    @property
    def taken(self) -> str | None:
        """Protocol with which a proxy listens, `mptcp` or `tcp`; None for no proxy."""
        return None

    @property
    def opened(self) -> str | None:
        """Protocol with which a proxy connects; None for no proxy."""
        return None

    @property
    def sources(self) -> tuple[str, ...]:
        """The hosts that open connections, each once."""
        return tuple(dict.fromkeys(here for here, _ in self.between))

    @property
    def destinations(self) -> tuple[str, ...]:
        """The hosts that accept connections, each once."""
        return tuple(dict.fromkeys(there for _, there in self.between))

    @property
    def connected(self) -> tuple[Pair, ...]:
        """Those of `between` that have a connection: of many users, some draw none."""
        return self.between

    @property
    def between_many(self) -> bool:
        """Whether it lists the pairs of its hosts, even if it is a single pair."""
        return False

    @property
    def forward(self) -> bool:
        """Whether data flows from `source` to `destination`."""
        return not self.reverse

    @property
    def bulk(self) -> bool:
        """Whether its connections are to use all their paths: they send as fast as
        they can until they are told to end, or a given number of bytes."""
        return False

    @property
    def datagrams(self) -> bool:
        """Whether it sends datagrams, and not over a connection."""
        return False

    @property
    def most_file_bytes(self) -> int | None:
        """The largest file that its programs can write; None where that is not
        bounded."""
        return None

    @property
    def own_keepalive(self) -> bool:
        """Whether its program says when the kernel probes silent connections, so that
        sysctls about that have no effect."""
        return False

    @property
    def own_protocol(self) -> bool:
        """Whether its program may send by another protocol than that of its
        transport."""
        return False

    @property
    def own_program(self) -> bool:
        """Whether its programs are the user's, which may speak any protocol."""
        return self.own_protocol

    @property
    def connections_at_a_time(self) -> int:
        """Connections that its client has at a time."""
        return 1

    @property
    def drawn_flows(self) -> int | None:
        """Connections whose times and sizes are drawn; None where nothing is."""
        return None

    @property
    def drawn_bytes(self) -> int | None:
        """Sum of the drawn sizes; None where connections have no such size."""
        return None

    @property
    def own_paths(self) -> frozenset[int]:
        """Numbers of the paths that its connections name; empty if they name none."""
        return frozenset()

    @property
    def highest_path(self) -> int | None:
        """The highest number of a path that the entry itself names; None for none."""
        return None

    @property
    def several_users(self) -> bool:
        """Whether it is of several users of a network, each with its own server."""
        return False

    @property
    def own_control(self) -> bool:
        """Whether its sockets set their protocol and congestion control themselves, so
        that those of the host do not count."""
        return False

    @property
    def server_lasts_s(self) -> float:
        """Time for which its server goes on after the client has ended, in seconds."""
        return math.inf

    @property
    def best_start_s(self) -> float:
        """The time after the guest's boot from which its programs do what they do on
        any machine, in seconds."""
        return 0.0

    @property
    def given_up_s(self) -> float | None:
        """The time after which a transfer of a given size is broken off; None for
        never."""
        return None

    @property
    def outlasts_s(self) -> float:
        """Time for which its last connection may go on after its duration, in
        seconds."""
        return 0.0

    @property
    def at_a_time(self) -> int:
        """Requests for answers of `bytes` that are open at a time; 0 where the tool
        makes no requests."""
        return 0

    @property
    def request_count(self) -> int | None:
        """Number of requests that it makes; None where that is not given."""
        return None

    @property
    def between_s(self) -> float:
        """Time between an answer and the next request, in seconds."""
        return 0.0

    @property
    def connection_mbps(self) -> float | None:
        """Rate at which it writes into a connection, in 10^6 bit/s; None where it
        writes as fast as it can, or where it has no connection."""
        return None

    @property
    def offered_mbps(self) -> float | None:
        """Rate at which it sends while it is on, in 10^6 bit/s; None where it sends as
        fast as it can, or on request."""
        return self.connection_mbps

    @property
    def message_bytes(self) -> int | None:
        """Size of each message that it writes into a connection; None for a stream."""
        return None

    @property
    def patterns(self) -> "tuple[tuple[str, Collection[str]], ...]":
        """Each pattern by which numbers are read from its output, and the names of the
        groups that it must have."""
        return ()

    def with_connections(self, count: int) -> "Entry":
        """The entry with so many connections, of one that can have several."""
        return self

    @property
    def reads(self) -> str:
        """The way in which its receiver reads; `packet` where there is no choice."""
        return "packet"
