"""Capture files in, tables out: the door of this package."""

import contextlib
import ctypes
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from analysis.capture import library, sources
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
}
"""Kinds of events, by name; a mask is their sum."""


def mask(kinds: Sequence[str]) -> int:
    return sum(EVENTS[name] for name in set(kinds))


@dataclass(frozen=True)
class Settings:
    """How to analyse.

    interval_s : length of the intervals of the time series, 0 for no series
    idle_s : a silence between two packets with data from which a sender counts as
        idle
    pair_s : of packets seen at two points, how late one may come by at the second;
        it is lost after that
    memory_bytes : bound on what the core keeps; what does not fit is told
    events : kinds to list, names of EVENTS. Those of single packets (data, rtt,
        delay, data_ack) grow with the capture.
    drawn : kinds to list apart from these, thinned to what a picture can show
    marks : at least so many of a subflow's direction and kind stay, if there are
    """

    interval_s: float = 0.0
    idle_s: float = 1.0
    pair_s: float = 10.0
    memory_bytes: int = 400 << 20
    events: Sequence[str] = ("reinjection", "signal")
    drawn: Sequence[str] = ()
    marks: int = 20_000

    def as_core(self) -> library.Settings:
        return library.Settings(
            interval_ns=round(self.interval_s * NANO),
            idle_ns=round(self.idle_s * NANO),
            pair_ns=round(self.pair_s * NANO),
            budget=self.memory_bytes,
            events=mask(self.events) | mask(self.drawn),
            seed=int.from_bytes(os.urandom(8), "little") >> 1,
        )


@dataclass(frozen=True)
class Tables:
    """What the core saw: structured arrays, one row each; docs/captures.md says what
    each field is. Times are ns since 1970, -1 for never.

    connections : a connection at one capture point
    data : what one end of a connection sent
    subflows : a subflow; directions : what one end sent on it
    series : a direction of a subflow in one interval, those with packets only
    events : of the kinds asked for; marks : of those to draw, one of `thinned` where
        they are most
    inputs : a file; names : of the files; faults : of their streams, None if whole
    short_of_memory : whether something was left out for want of memory
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
    short_of_memory: bool


@dataclass
class _Taken:
    """Rows that came out while the capture was read."""

    listed: int
    drawn: int
    thinned: Thinned
    series: list[np.ndarray] = field(default_factory=list)
    events: list[np.ndarray] = field(default_factory=list)

    def take(self, core: ctypes.CDLL, handle: int) -> None:
        for name in ("series", "events"):
            found = library.rows(core, handle, name)
            if name == "events":
                self.thinned.add(found[(found["kind"] & self.drawn) != 0])
                found = found[(found["kind"] & self.listed) != 0]
            if len(found):
                getattr(self, name).append(found)
            core.analyser_clear(handle, library.TABLES.index(name))

    def whole(self, name: str) -> np.ndarray:
        parts = getattr(self, name)
        return np.concatenate(parts) if parts else np.empty(0, library.row_type(name))


def analyse(
    near: Sequence[str | Path],
    far: Sequence[str | Path] = (),
    settings: Settings | None = None,
) -> Tables:
    """Read captures once, as streams, and tell what is in them.

    near : files of one capture point, such as all interfaces of one host; packets
        are taken in the order of their times
    far : files of a second point that sees the same traffic; with them come one-way
        delay and loss

    What can be read of a damaged file counts; its row in `inputs` tells the fault.
    Raises OSError if a file cannot be opened, and ValueError if there are too many.
    """
    chosen = settings or Settings()
    core = library.load()
    with contextlib.ExitStack() as undo:
        handle = core.analyser_new(ctypes.byref(chosen.as_core()))
        if not handle:
            raise MemoryError("no memory for the analyser")
        undo.callback(core.analyser_free, handle)
        streams = []
        for point, names in enumerate((near, far)):
            for name in names:
                streams.append(undo.enter_context(sources.opened(name)))
                if core.analyser_add(handle, point) < 0:
                    raise ValueError(
                        f"{len(near) + len(far)} captures at once; up to 64, and "
                        "2 MiB of memory for each"
                    )
        taken = _Taken(mask(chosen.events), mask(chosen.drawn), Thinned(chosen.marks))
        for _ in _run(core, handle, streams):
            taken.take(core, handle)
        taken.take(core, handle)
        final = {
            name: library.rows(core, handle, name)
            for name in library.TABLES
            if name not in ("series", "events")
        }
        subflows = final["subflows"]
        return Tables(
            **final,
            series=_summed(_settled(taken.whole("series"), subflows)),
            events=_settled(taken.whole("events"), subflows),
            marks=_settled(taken.thinned.rows(library.row_type("events")), subflows),
            thinned=taken.thinned.stride,
            names=tuple(stream.name for stream in streams),
            faults=tuple(stream.fault for stream in streams),
            interval_s=chosen.interval_s,
            short_of_memory=core.analyser_memory(handle) < 0,
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
        room = (ctypes.c_char * size.value).from_address(where)
        count = streams[wanted].readinto(memoryview(room).cast("B")[:PIECE])
        if count:
            core.analyser_fed(handle, wanted, count)
        else:
            core.analyser_end(handle, wanted)


def _settled(rows: np.ndarray, subflows: np.ndarray) -> np.ndarray:
    """Rows that came out early name the end (0: a, 1: b) whose direction, and the
    subflow whose connection, may have become known later."""
    rows = rows[rows["subflow"] < len(subflows)]
    mine = subflows[rows["subflow"]]
    rows["direction"] ^= mine["direction_of_a"]
    if "connection" in (rows.dtype.names or ()):
        rows["connection"] = mine["connection"]
    return rows


_LEAST = ("rtt_min_ns", "delay_min_ns")
_KEY = ("interval", "subflow", "direction")


def _summed(series: np.ndarray) -> np.ndarray:
    """One row for each interval of each direction, sorted.

    A direction that met packets out of order has several rows of one interval.
    """
    if not len(series):
        return series
    series = series[np.lexsort([series[name] for name in reversed(_KEY)])]
    new = np.ones(len(series), bool)
    new[1:] = np.any([series[name][1:] != series[name][:-1] for name in _KEY], axis=0)
    starts = np.flatnonzero(new)
    summed = series[starts].copy()
    for name in series.dtype.names or ():
        if name in _KEY:
            continue
        column = series[name]
        if name in _LEAST:
            count = series[
                name.split("_")[0]
                .replace("rtt", "rtt_samples")
                .replace("delay", "matched")
            ]
            column = np.where(count > 0, column, np.iinfo(np.int64).max)
            least = np.minimum.reduceat(column, starts)
            summed[name] = np.where(least == np.iinfo(np.int64).max, -1, least)
        elif "_max_" in name:
            summed[name] = np.maximum.reduceat(column, starts)
        else:
            summed[name] = np.add.reduceat(column, starts)
    return summed
