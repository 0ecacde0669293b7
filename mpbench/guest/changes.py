"""Change links and interfaces at their times while the traffic runs.

A `tc -batch` or `ip -batch` waits in each node that changes. A line that it is given
takes effect at once, without a new process. In the virtual lab this is the very instant
of the change.
"""

import contextlib
import heapq
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jobs.artefacts import CHANGES as COLUMNS
from jobs.changes import UP, Series
from mpbench.guest import interfaces
from mpbench.guest.network import LabNetwork
from topologies import reshaping
from topologies.shaping import Shape
from topologies.wiring import Wiring

NS = 1_000_000_000
WAYS = ("up", "down")
DEADLINE_S = 10.0


class ChangeError(Exception):
    """A link could not be changed."""


class Batch:
    """A `tc -batch` or `ip -batch` in a node that waits for lines.

    log : keeps all lines; what the tool says goes beside it
    """

    def __init__(self, network: LabNetwork, node: str, tool: str, log: Path) -> None:
        self._log = log
        self._name = f"{node}: {tool} -batch"
        self._lines: list[str] = []
        self._words = log.with_name(f"{log.name}.err")
        with self._words.open("wb") as words:
            self._process = network.nodes[node].popen(
                [tool, "-batch", "-"],
                stdin=subprocess.PIPE,
                stdout=words,
                stderr=subprocess.STDOUT,
            )

    def send(self, lines: Sequence[str]) -> None:
        """Give the tool lines to carry out now. Raises ChangeError if it has ended."""
        self._lines += lines
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            self.close()

    def close(self) -> None:
        """End the tool. Raises ChangeError, with its own words, if a line failed."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        status = self._process.wait(DEADLINE_S)
        self._log.write_text("".join(f"{line}\n" for line in self._lines))
        said = " ".join(self._words.read_text(errors="replace").split())
        if status or said:
            raise ChangeError(f"{self._name}: {said or f'exit status {status}'}")
        self._words.unlink()


@dataclass
class _Way:
    """One direction of a link: the interface that shapes it, and its present lines."""

    node: str
    interface: str
    shape: Shape
    ordered: bool
    lines: list[str]


class Changes:
    """All changes of a run.

    series : the job's key `changes`
    shapes : the shape of every link at the beginning
    wiring : where the links and the hosts' interfaces are
    mptcp : the hosts whose path manager has an endpoint for every address
    folder : for `changes.csv` and the lines given to tools
    backups : numbers of the paths, from 1, that each host keeps as backups
    """

    def __init__(
        self,
        series: Sequence[Series],
        shapes: Mapping[str, Shape],
        wiring: Wiring,
        network: LabNetwork,
        mptcp: Sequence[str],
        users: Mapping[str, Sequence[str]],
        folder: Path,
        backups: Mapping[str, Collection[int]],
    ) -> None:
        self._folder = folder
        self._rows: list[str] = []
        self._zero_ns = 0
        self._queue = StepsInOrder(series)
        self._batches: dict[tuple[str, str], Batch] = {}
        self._ways = dict(_ways(series, shapes, wiring))
        self._ports = {
            link: [
                interfaces.HostInterface(
                    host,
                    interface,
                    wiring,
                    network,
                    host in mptcp,
                    backups.get(host, ()),
                )
                for host, interface in _user_ports(link, wiring, users)
            ]
            for link in {one.link for one in series if one.quantity == UP}
        }
        for way in self._ways.values():
            self._batch(network, way.node, "tc")
            self._send(way)
        for port in (port for ports in self._ports.values() for port in ports):
            self._batch(network, port.host, "ip")

    def _batch(self, network: LabNetwork, node: str, tool: str) -> None:
        if (node, tool) not in self._batches:
            log = self._folder / f"changes-{node}.{tool}"
            self._batches[node, tool] = Batch(network, node, tool, log)

    def begin(self, zero_s: float) -> None:
        """Count time from `zero_s` of the monotonic clock."""
        self._zero_ns = round(zero_s * NS)

    def due_s(self) -> float:
        """The monotonic time of the next change; infinity for none."""
        due_ns = self._queue.due_ns
        return float("inf") if due_ns is None else (self._zero_ns + due_ns) / NS

    def take(self) -> None:
        """Make all changes that are due."""
        while (due_ns := self._queue.due_ns) is not None:
            now_ns = time.monotonic_ns() - self._zero_ns
            if now_ns < due_ns:
                return
            self._apply(self._queue.pop(), now_ns, due_ns)

    def _apply(
        self, steps: list[tuple[Series, float]], now_ns: int, due_ns: int
    ) -> None:
        touched: dict[tuple[str, str], _Way] = {}
        for one, value in steps:
            link, quantity = one.link, one.quantity
            times = f"{now_ns / NS:.9f},{due_ns / NS:.9f}"
            self._rows.append(f"{times},{link},{one.direction},{quantity},{value!r}")
            if quantity == UP:
                for port in self._ports[link]:
                    lines = port.switch(value != 0)
                    self._batches[port.host, "ip"].send(lines)
                continue
            for key in _directions(one):
                way = self._ways[key]
                way.shape = _with(way.shape, quantity, value)
                touched[key] = way
        for way in touched.values():
            self._send(way)

    def _send(self, way: _Way) -> None:
        lines = reshaping.lines(way.shape, way.interface, way.ordered)
        if more := reshaping.changed(way.lines, lines):
            self._batches[way.node, "tc"].send(more)
        way.lines = lines

    def end(self) -> None:
        """Complete the record of the changes. Raises ChangeError if one failed."""
        rows = [",".join(COLUMNS), *self._rows]
        (self._folder / "changes.csv").write_text("".join(f"{r}\n" for r in rows))
        for batch in self._batches.values():
            batch.close()


class StepsInOrder:
    """The steps of all series by time; those of one time in the order of the job."""

    def __init__(self, series: Sequence[Series]) -> None:
        self._series = series
        self._iterators = [_times(one) for one in series]
        self._heap: list[tuple[int, int, float]] = []
        for number in range(len(series)):
            self._advance(number)

    def _advance(self, number: int) -> None:
        step = next(self._iterators[number], None)
        if step is not None:
            heapq.heappush(self._heap, (step[0], number, step[1]))

    @property
    def due_ns(self) -> int | None:
        """The time of the next steps; None if there are no more."""
        return self._heap[0][0] if self._heap else None

    def pop(self) -> list[tuple[Series, float]]:
        """The steps of the next time, each a series and its value from then on."""
        due_ns, found = self.due_ns, []
        while self._heap and self._heap[0][0] == due_ns:
            _, number, value = heapq.heappop(self._heap)
            found.append((self._series[number], value))
            self._advance(number)
        return found


def _times(one: Series) -> Iterator[tuple[int, float]]:
    """The steps of a series: nanoseconds after the start of the traffic, and values."""
    period_ns = None if one.period_s is None else round(one.period_s * NS)
    begin_ns = 0
    while True:
        for at_s, value in zip(one.at_s, one.values, strict=True):
            yield begin_ns + round(at_s * NS), value
        if period_ns is None:
            return
        begin_ns += period_ns


def _directions(one: Series) -> list[tuple[str, str]]:
    ways = WAYS if one.direction == "both" else (one.direction,)
    return [(one.link, way) for way in ways]


def _ways(
    series: Sequence[Series], shapes: Mapping[str, Shape], wiring: Wiring
) -> Iterator[tuple[tuple[str, str], _Way]]:
    """The directions of links whose shape changes, by link and direction."""
    places = {place.link: place for place in wiring.links}
    shaping = [one for one in series if one.quantity != UP]
    delayed = {
        key for one in shaping if one.quantity == "delay_ms" for key in _directions(one)
    }
    for key in dict.fromkeys(key for one in shaping for key in _directions(one)):
        link, way = key
        node, interface = getattr(
            places[link], "forward" if way == "up" else "backward"
        )
        both = shapes[link]
        shape = replace(both if way == "up" or both.down is None else both.down)
        shape = replace(shape, down=None)
        ordered = key in delayed
        yield key, _Way(node, interface, shape, ordered, shape.tc_commands(interface))


def _user_ports(
    link: str, wiring: Wiring, users: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """The host and the interface of each path that begins with a link.

    users : the first link of each path, by host
    """
    for host, firsts in users.items():
        for first, port in zip(firsts, wiring.ports[host], strict=True):
            if first == link:
                yield host, port.interface


_FIELDS: Mapping[str, Callable[[Shape, float], Shape]] = {
    "capacity_mbps": lambda shape, value: replace(
        shape, capacity_mbps=value or reshaping.OUT_MBPS
    ),
    "delay_ms": lambda shape, value: replace(shape, delay_ms=value),
    "queue_packets": lambda shape, value: replace(shape, queue_packets=int(value)),
    "loss_percent": lambda shape, value: replace(shape, loss_percent=value),
}


def _with(shape: Shape, quantity: str, value: float) -> Shape:
    return _FIELDS[quantity](shape, value)
