"""Record how much waits in the queues of links while traffic runs.

In a network of namespaces, queues are looked at about every `every_s` seconds:
`queue-samples.csv` has the bytes that waited. The fabric adds up waiting times by
itself: `queue-waits.csv` has its sums at the given times and at the end.
"""

import math
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jobs.queues import Queues
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.network import LabNetwork
from mpbench.guest.sampling import Trace
from topologies.shaping import Shape
from topologies.wiring import LinkPlace

SAMPLES, WAITS = "queue-samples.csv", "queue-waits.csv"
TIME = "time_s"
PART_OF_INTERVAL = 0.6180339887498949
"""The offset of a sample in its interval grows by this part from one to the next. So
samples of periodic traffic are spread evenly over its period."""
QUEUE_HANDLE = 0x0010_0000
"""The handle `10:` of a bottleneck (topologies/shaping.py)."""
RTM_GETQDISC, NLM_F_REQUEST, NLM_F_ECHO = 38, 1, 8
NLMSG_ERROR = 2
TCA_STATS = 3
ANSWER_BYTES = 1 << 14
_HEADER = struct.Struct("=IHHII")
_TCMSG = struct.Struct("=BxxxiIII")
_ATTRIBUTE = struct.Struct("=HH")
_BACKLOG = struct.Struct("=32xI")
"""The last field of struct tc_stats: the bytes that a discipline holds."""


class QueueError(Exception):
    """The kernel does not say how much waits in a queue."""


def make(
    asked: Queues | None,
    places: Sequence[LinkPlace],
    shapes: Mapping[str, Shape],
    network: LabNetwork | FabricNetwork,
    folder: Path,
) -> Trace | None:
    """A record of the kind that the network can have; None if none is asked for.

    asked : the job's key `queues`
    shapes : the shape of every link
    folder : of the file
    """
    if not asked:
        return None
    if isinstance(network, FabricNetwork):
        return FabricWaits(network, asked.at_s or (), folder / WAITS)
    limited = [p for p in places if shapes[p.link].capacity_mbps is not None]
    ways = [way for place in limited for way in (place.forward, place.backward)]
    return QueueSamples(network, ways, asked.every_s or math.inf, folder / SAMPLES)


class QueueSamples:
    """Looks at the queues of links, once in every interval.

    ways : the (node, interface) of each queue
    """

    def __init__(
        self,
        network: LabNetwork,
        ways: Sequence[tuple[str, str]],
        every_s: float,
        file: Path,
    ) -> None:
        self._every_s = every_s
        self._file = file
        self._zero_s = 0.0
        self._rows: list[tuple[float, list[int]]] = []
        self._answer = bytearray(ANSWER_BYTES)
        self._asked: list[tuple[socket.socket, bytes, int]] = []
        by_node: dict[str, list[str]] = {}
        for node, interface in ways:
            by_node.setdefault(node, []).append(interface)
        self._names = [f"{n}:{name}" for n, names in by_node.items() for name in names]
        for node, names in by_node.items():
            with network.nodes[node].namespace.entered():
                link = socket.socket(
                    socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE
                )
                numbers = [socket.if_nametoindex(name) for name in names]
            self._asked.append((link, b"".join(map(_request, numbers)), len(names)))

    def begin(self, zero_s: float) -> None:
        self._zero_s = zero_s

    def due_s(self) -> float:
        count = len(self._rows)
        offset = (count + 1) * PART_OF_INTERVAL % 1.0
        return self._zero_s + (count + offset) * self._every_s

    def take(self) -> None:
        now_s = time.monotonic() - self._zero_s
        self._rows.append((now_s, list(self._backlogs())))

    def _backlogs(self) -> Iterator[int]:
        for link, requests, count in self._asked:
            link.send(requests)
            for _ in range(count):
                yield _backlog(self._answer, link.recv_into(self._answer))

    def end(self) -> None:
        _write(self._file, self._names, self._rows)
        for link, _, _ in self._asked:
            link.close()


class FabricWaits:
    """Reads the sums of waiting times at given times and at the end.

    at_s : seconds after the start of the traffic, ascending
    """

    def __init__(
        self, network: FabricNetwork, at_s: Sequence[float], file: Path
    ) -> None:
        self._network = network
        self._at_s = at_s
        self._file = file
        self._zero_s = 0.0
        self._rows: list[tuple[float, list[float]]] = []

    def begin(self, zero_s: float) -> None:
        self._zero_s = zero_s

    def due_s(self) -> float:
        done = len(self._rows)
        if done == len(self._at_s):
            return float("inf")
        return self._zero_s + self._at_s[done]

    def take(self) -> None:
        now_s = time.monotonic() - self._zero_s
        self._rows.append((now_s, self._network.byte_seconds()))

    def end(self) -> None:
        self.take()
        places = (way.place for way in self._network.table.ways)
        names = [f"{node}:{interface}" for node, interface in places]
        _write(self._file, names, self._rows)


def _write(
    file: Path, names: Sequence[str], rows: Sequence[tuple[float, Sequence[float]]]
) -> None:
    with file.open("w") as text:
        text.write(",".join((TIME, *names)) + "\n")
        for time_s, values in rows:
            text.write(",".join((f"{time_s:.6f}", *map(str, values))) + "\n")


def _request(interface: int) -> bytes:
    """Ask for the bottleneck's discipline at an interface. interface : its number"""
    body = _TCMSG.pack(socket.AF_UNSPEC, interface, QUEUE_HANDLE, 0, 0)
    flags = NLM_F_REQUEST | NLM_F_ECHO
    head = _HEADER.pack(_HEADER.size + len(body), RTM_GETQDISC, flags, 0, 0)
    return head + body


def _backlog(answer: bytearray, end: int) -> int:
    """The bytes that wait, from the kernel's answer. Raises QueueError if it has none.

    end : the length of the answer
    """
    _, kind, *_ = _HEADER.unpack_from(answer)
    at = _HEADER.size + _TCMSG.size
    while kind == RTM_GETQDISC - 2 and at + _ATTRIBUTE.size <= end:
        length, name = _ATTRIBUTE.unpack_from(answer, at)
        if name == TCA_STATS:
            backlog: int = _BACKLOG.unpack_from(answer, at + _ATTRIBUTE.size)[0]
            return backlog
        at += max((length + 3) & ~3, _ATTRIBUTE.size)
    reason = "an error" if kind == NLMSG_ERROR else "no counters"
    raise QueueError(f"the kernel's answer about a queue has {reason}")
