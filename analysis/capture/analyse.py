"""From capture files to tables: `analyse()`, and `read()` for captures of any size."""

import contextlib
import ctypes
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from analysis.capture import library, sources
from analysis.capture.intervals import Owners, summed
from analysis.capture.thinning import Thinned

NANO = 1_000_000_000
PIECE = 1 << 18
"""Bytes read at once: few enough to be in the cache when the core looks at them."""
EVENTS = {
    "data": 1,
    "retransmission": 2,
    "reinjection": 4,
    "rtt": 8,
    "delay": 16,
    "signal": 32,
    "data_ack": 64,
    "loss": 128,
    "segment": 256,
    "ack": 512,
    "sack": 1024,
    "flight": 2048,
}
"""The number of each kind of event; a mask is a sum of them."""


def mask(kinds: Sequence[str]) -> int:
    return sum(EVENTS[name] for name in set(kinds))


@dataclass(frozen=True)
class Settings:
    """Settings of an analysis.

    interval_s : length of the intervals of the time series, 0 for no series
    idle_s : a sender counts as idle from a silence of this length between two packets
        with data
    pair_s : a packet that the second capture point does not show within this time is
        lost
    memory_bytes : bound on what the core keeps. When it is used up, the connections
        that have been silent the longest end early.
    linger_s : how long after its last packet a closed connection is kept
    events : kinds to list, names of EVENTS. The number of events that belong to single
        packets (data, rtt, delay, data_ack, segment, ack, sack, flight) grows with
        the capture.
    drawn : further kinds to list, thinned to what a picture can show
    marks : of each kind and direction of a subflow, at least so many events stay if
        there are so many
    """

    interval_s: float = 0.0
    idle_s: float = 1.0
    pair_s: float = 10.0
    memory_bytes: int = 400 << 20
    linger_s: float = 60.0
    events: Sequence[str] = ("reinjection", "signal")
    drawn: Sequence[str] = ()
    marks: int = 20_000

    def as_core(self) -> library.Settings:
        return library.Settings(
            interval_ns=round(self.interval_s * NANO),
            idle_ns=round(self.idle_s * NANO),
            pair_ns=round(self.pair_s * NANO),
            budget=self.memory_bytes,
            linger_ns=round(self.linger_s * NANO),
            events=mask(self.events) | mask(self.drawn),
            seed=int.from_bytes(os.urandom(8), "little") >> 1,
        )


@dataclass(frozen=True)
class Rows:
    """Some connections that have ended, whole: structured arrays of one row per

    connections : connection at one capture point
    data : direction of a connection
    subflows : subflow
    directions : direction of a subflow

    zero_ns : the time of the capture's first packet, ns since 1970
    """

    connections: np.ndarray
    data: np.ndarray
    subflows: np.ndarray
    directions: np.ndarray
    zero_ns: int


OF_CONNECTIONS = ("connections", "data", "subflows", "directions")


class Collector(Protocol):
    """The receiver of the rows of `read`, in the order in which connections end."""

    def add(self, rows: Rows) -> None:
        """The arrays are the core's own memory, and last as long as the call."""

    def add_series(self, rows: np.ndarray) -> None:
        """Rows of one direction and interval. Several may be of the same; `intervals`
        settles and sums them."""

    def add_events(self, rows: np.ndarray) -> None: ...


@dataclass(frozen=True)
class Read:
    """Everything that is known when all capture files have been read.

    inputs : structured array, one row per file
    names : of the files; faults : why a stream ended early, None if it is whole
    zero_ns : the time of the first packet, ns since 1970
    short_of_memory : whether something is missing because memory ran out
    retired_early : connections that ended early because memory ran out
    memory_bytes : the most that the core kept
    """

    inputs: np.ndarray
    names: tuple[str, ...]
    faults: tuple[str | None, ...]
    zero_ns: int
    short_of_memory: bool
    retired_early: int
    memory_bytes: int


@dataclass(frozen=True)
class Tables:
    """All that the core found, as structured arrays; docs/captures.md defines each
    field. Times are ns since 1970, -1 for never.

    connections : one row per connection at one capture point
    data : one row per direction of a connection
    subflows : one row per subflow
    directions : one row per direction of a subflow
    series : one row per interval and direction of a subflow that has packets in it
    events : the listed kinds; marks : those to draw, of which one in `thinned` stayed
        where there are most
    inputs : one row per file; names : of the files; faults : of their streams, None if
        whole
    """

    connections: np.ndarray
    data: np.ndarray
    subflows: np.ndarray
    directions: np.ndarray
    series: np.ndarray
    events: np.ndarray
    marks: np.ndarray
    thinned: int
    inputs: np.ndarray
    names: tuple[str, ...]
    faults: tuple[str | None, ...]
    interval_s: float
    zero_ns: int
    short_of_memory: bool
    retired_early: int
    memory_bytes: int


@dataclass
class _InMemory:
    """Collects everything."""

    parts: list[Rows] = field(default_factory=list)
    series: list[np.ndarray] = field(default_factory=list)
    events: list[np.ndarray] = field(default_factory=list)
    owners: Owners = field(default_factory=Owners)

    def add(self, rows: Rows) -> None:
        copies = {name: getattr(rows, name).copy() for name in OF_CONNECTIONS}
        self.parts.append(Rows(**copies, zero_ns=rows.zero_ns))
        self.owners.add(rows.subflows)

    def add_series(self, rows: np.ndarray) -> None:
        self.series.append(rows)

    def add_events(self, rows: np.ndarray) -> None:
        self.events.append(rows)

    def table(self, name: str) -> np.ndarray:
        """The rows of a table in the order of their connections or subflows."""
        rows = _joined([getattr(part, name) for part in self.parts], name)
        key = "connection" if name in ("connections", "data") else "subflow"
        return rows[np.argsort(rows[key], kind="stable")]


def _joined(parts: Sequence[np.ndarray], table: str) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, library.row_type(table))


def analyse(
    near: Sequence[str | Path],
    far: Sequence[str | Path] = (),
    settings: Settings | None = None,
) -> Tables:
    """Read captures once, as streams, and keep all rows in memory.

    near : the files of one capture point, such as all interfaces of one host; packets
        are taken in the order of their times
    far : the files of a second capture point that sees the same traffic, for one-way
        delay and loss

    What can be read of a damaged file counts; its row in `inputs` has the fault.
    Raises OSError if a file cannot be opened, and ValueError if there are too many.
    """
    chosen = settings or Settings()
    collected, thinned = _InMemory(), Thinned(chosen.marks)
    ended = read(near, far, chosen, collected, thinned)
    marks = thinned.rows(library.row_type("events"))
    return Tables(
        **{name: collected.table(name) for name in OF_CONNECTIONS},
        series=summed(collected.owners.settled(_joined(collected.series, "series"))),
        events=collected.owners.settled(_joined(collected.events, "events")),
        marks=collected.owners.settled(marks),
        thinned=thinned.stride,
        inputs=ended.inputs,
        names=ended.names,
        faults=ended.faults,
        interval_s=chosen.interval_s,
        zero_ns=ended.zero_ns,
        short_of_memory=ended.short_of_memory,
        retired_early=ended.retired_early,
        memory_bytes=ended.memory_bytes,
    )


def read(
    near: Sequence[str | Path],
    far: Sequence[str | Path],
    settings: Settings,
    collector: Collector,
    thinned: Thinned,
) -> Read:
    """Read captures once and hand the rows over as connections end.

    near, far : as of `analyse`, which raises the same errors
    thinned : takes the events to draw
    """
    core = library.load()
    with contextlib.ExitStack() as undo:
        handle = core.analyser_new(ctypes.byref(settings.as_core()))
        if not handle:
            raise MemoryError("no memory for the analyser")
        undo.callback(core.analyser_free, handle)
        streams = []
        for point, names in enumerate((near, far)):
            for name in names:
                streams.append(undo.enter_context(sources.opened(name)))
                if core.analyser_add(handle, point) < 0:
                    raise ValueError(
                        f"{len(near) + len(far)} capture files at once; there may be "
                        "64, and each needs 2 MiB of the memory"
                    )
        for _ in _run(core, handle, streams):
            _hand_over(core, handle, settings, collector, thinned)
        _hand_over(core, handle, settings, collector, thinned)
        return Read(
            inputs=library.rows(core, handle, "inputs"),
            names=tuple(stream.name for stream in streams),
            faults=tuple(stream.fault for stream in streams),
            zero_ns=core.analyser_zero(handle),
            short_of_memory=bool(core.analyser_short_of_memory(handle)),
            memory_bytes=core.analyser_memory(handle),
            retired_early=core.analyser_retired_early(handle),
        )


def _run(
    core: ctypes.CDLL, handle: int, streams: Sequence[sources.Stream]
) -> Iterator[None]:
    """Feed the core until it is done; yields when rows are to be taken out."""
    while (wanted := core.analyser_run(handle)) != library.DONE:
        if wanted == library.FULL:
            yield
            continue
        size = ctypes.c_size_t()
        where = core.analyser_buffer(handle, wanted, ctypes.byref(size))
        buffer = (ctypes.c_char * size.value).from_address(where)
        count = streams[wanted].readinto(memoryview(buffer).cast("B")[:PIECE])
        if count:
            core.analyser_fed(handle, wanted, count)
        else:
            core.analyser_end(handle, wanted)


def _hand_over(
    core: ctypes.CDLL,
    handle: int,
    settings: Settings,
    collector: Collector,
    thinned: Thinned,
) -> None:
    """Take the rows out of the core."""
    series = library.rows(core, handle, "series")
    if len(series):
        collector.add_series(series)
    events = library.rows(core, handle, "events")
    if len(events):
        thinned.add(events[(events["kind"] & mask(settings.drawn)) != 0])
        listed = events[(events["kind"] & mask(settings.events)) != 0]
        if len(listed):
            collector.add_events(listed)
    tables = {
        name: library.rows(core, handle, name, copied=False) for name in OF_CONNECTIONS
    }
    if len(tables["connections"]):
        collector.add(Rows(**tables, zero_ns=core.analyser_zero(handle)))
    for name in ("series", "events", *OF_CONNECTIONS):
        core.analyser_clear(handle, library.TABLES.index(name))
