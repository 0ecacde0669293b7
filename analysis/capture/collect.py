"""The results that one pass over captures of any size keeps: the largest connections
and counts, while the rows of all connections go on to writers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pandas as pd

from analysis.capture import library
from analysis.capture.analyse import OF_CONNECTIONS, Rows
from analysis.capture.frames import KINDS, Losses, clocks_differ, of_connections
from analysis.capture.intervals import Owners
from analysis.capture.spool import Spool


class Writer(Protocol):
    """Takes frames in pieces; `analysis.capture.export` has the kinds."""

    def add(self, table: str, frame: pd.DataFrame) -> None: ...


@dataclass
class Totals:
    """Counts over all connections.

    kinds : connections by capture point and kind
    last_ns : time of the last packet
    clocks_differ : subflows of which each capture point showed one direction first
    resegmented : directions whose packets differ at the two capture points
    """

    kinds: Counter[tuple[int, str]] = field(default_factory=Counter)
    last_ns: int = -1
    clocks_differ: int = 0
    resegmented: int = 0

    def add(self, rows: Rows) -> None:
        connections = rows.connections
        numbers = connections["point"] * len(KINDS) + connections["kind"]
        for number, count in enumerate(np.bincount(numbers).tolist()):
            if count:
                point, kind = divmod(number, len(KINDS))
                self.kinds[point, KINDS[kind]] += count
        self.last_ns = max(self.last_ns, int(connections["last_ns"].max(initial=-1)))
        if rows.directions["matched"].any():
            self.clocks_differ += int(clocks_differ(rows.directions).sum()) // 2
        self.resegmented += int((rows.directions["resegmented"] > 0).sum())


class Largest:
    """The connections with the most data, and the one that was asked for.

    most : how many; wanted : the number of a connection to keep in any case
    """

    def __init__(self, most: int, wanted: int | None = None) -> None:
        self.most, self.wanted = most, wanted
        self.zero_ns = 0
        self._rows: Rows | None = None
        self._least = -1

    def add(self, rows: Rows) -> None:
        sizes = _sizes(rows)
        numbers = rows.connections["connection"]
        wanted = numbers == (-1 if self.wanted is None else self.wanted)
        if not ((sizes > self._least) | wanted).any():
            return
        if self._rows is not None:
            rows = _joined(self._rows, rows)
            sizes, numbers = _sizes(rows), rows.connections["connection"]
        order = np.lexsort((numbers, -sizes))
        kept = numbers[order[: self.most]]
        if self.wanted is not None and self.wanted in numbers:
            kept = np.union1d(kept, [self.wanted])
        if len(order) >= self.most:
            self._least = int(sizes[order[self.most - 1]])
        self._rows = _chosen(rows, kept)

    def rows(self) -> Rows:
        """Each table in the order of its connections and subflows."""
        if self._rows is None:
            empty = {n: np.empty(0, library.row_type(n)) for n in OF_CONNECTIONS}
            return Rows(**empty, zero_ns=0)
        tables = {}
        for name in OF_CONNECTIONS:
            table = getattr(self._rows, name)
            key = "connection" if name in ("connections", "data") else "subflow"
            tables[name] = table[np.argsort(table[key], kind="stable")]
        return Rows(**tables, zero_ns=self._rows.zero_ns)


def _sizes(rows: Rows) -> np.ndarray:
    """Bytes of data of each connection, both directions.

    The two rows of `data` of a connection follow each other, in the order of the
    connections. A connection has data but no row if memory ran out in between.
    """
    owners = rows.data["connection"]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    sizes = np.add.reduceat(rows.data["bytes"], starts)
    numbers = rows.connections["connection"]
    return (
        sizes if len(sizes) == len(numbers) else sizes[np.isin(owners[starts], numbers)]
    )


def _joined(first: Rows, second: Rows) -> Rows:
    return Rows(
        **{
            name: np.concatenate((getattr(first, name), getattr(second, name)))
            for name in OF_CONNECTIONS
        },
        zero_ns=second.zero_ns,
    )


def _chosen(rows: Rows, connections: np.ndarray) -> Rows:
    """The rows of some connections."""
    of_subflow = rows.subflows[np.isin(rows.subflows["connection"], connections)]
    subflows = of_subflow["subflow"]
    chosen = np.isin(rows.connections["connection"], connections)
    return Rows(
        connections=rows.connections[chosen],
        data=rows.data[np.isin(rows.data["connection"], connections)],
        subflows=of_subflow,
        directions=rows.directions[np.isin(rows.directions["subflow"], subflows)],
        zero_ns=rows.zero_ns,
    )


PIECE = 500
"""Connections that are made frames of at once."""


class Collected:
    """A collector of `analysis.capture.analyse.read`.

    Its memory does not grow with the capture, apart from some bytes per subflow.

    writers : take the frames of all connections
    most, wanted : as of Largest
    series, events : take the rows that wait until their connections are known
    """

    def __init__(
        self,
        writers: Sequence[Writer],
        most: int,
        wanted: int | None,
        series: Spool,
        events: Spool,
    ) -> None:
        self.writers = writers
        self.totals = Totals()
        self.largest = Largest(most, wanted)
        self.series, self.events = series, events
        self.owners = Owners()
        self.losses = Losses(np.zeros((0, 2), bool), np.zeros((0, 2), bool))
        self.needs_owners = True

    def add(self, rows: Rows) -> None:
        self.totals.add(rows)
        self.largest.add(rows)
        if self.needs_owners:
            self.owners.add(rows.subflows)
        if not self.writers:
            return
        numbers = rows.connections["connection"]
        for first in range(0, len(numbers), PIECE):
            part = _chosen(rows, numbers[first : first + PIECE])
            connections, data, subflows = of_connections(part)
            self.losses.add(subflows)
            for writer in self.writers:
                writer.add("connections", connections)
                writer.add("data", data)
                writer.add("subflows", subflows)

    def add_series(self, rows: np.ndarray) -> None:
        self.series.add(rows)

    def add_events(self, rows: np.ndarray) -> None:
        self.events.add(rows)
