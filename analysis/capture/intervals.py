"""Rows of intervals and events that left the core before their subflow had ended."""

from dataclasses import dataclass, field

import numpy as np

_MINIMA = {"rtt_min_ns": "rtt_samples", "delay_min_ns": "matched"}
"""The column that counts what a minimum is taken over."""
_KEY = ("interval", "subflow", "direction")


@dataclass
class Owners:
    """The connection of each subflow, and which end opened it, as far as known."""

    parts: list[np.ndarray] = field(default_factory=list)

    def add(self, subflows: np.ndarray) -> None:
        """subflows : rows of subflows that have ended, shape (n,)"""
        self.parts.append(subflows[["subflow", "connection", "direction_of_a"]].copy())

    def _column(self, name: str) -> np.ndarray:
        count = max((int(p["subflow"].max()) for p in self.parts if len(p)), default=-1)
        values = np.full(count + 1, -1)
        for part in self.parts:
            values[part["subflow"]] = part[name]
        return values

    def connections(self) -> np.ndarray:
        """By the subflow's number; -1 where its rows are missing."""
        return self._column("connection")

    def settled(self, rows: np.ndarray) -> np.ndarray:
        """Rows of series or events with their direction and connection.

        In the core's rows `direction` is the end, 0 for a and 1 for b, because it may
        become known later which end opened the subflow. Rows of a subflow whose own
        row is missing because memory ran out are left out.
        """
        connections, of_a = self.connections(), self._column("direction_of_a")
        rows = rows[rows["subflow"] < len(connections)]
        rows = rows[connections[rows["subflow"]] >= 0]
        rows["direction"] ^= of_a[rows["subflow"]]
        if "connection" in (rows.dtype.names or ()):
            rows["connection"] = connections[rows["subflow"]]
        return rows


def summed(series: np.ndarray) -> np.ndarray:
    """One row per interval and direction of a subflow, sorted.

    A direction that has packets out of order has several rows of one interval.
    """
    if not len(series):
        return series
    series = series[np.lexsort([series[name] for name in reversed(_KEY)])]
    new = np.ones(len(series), bool)
    new[1:] = np.any([series[name][1:] != series[name][:-1] for name in _KEY], axis=0)
    starts = np.flatnonzero(new)
    total = series[starts].copy()
    for name in series.dtype.names or ():
        if name in _KEY:
            continue
        column = series[name]
        if name in _MINIMA:
            greatest = np.iinfo(np.int64).max
            column = np.where(series[_MINIMA[name]] > 0, column, greatest)
            minima = np.minimum.reduceat(column, starts)
            total[name] = np.where(minima == greatest, -1, minima)
        elif "_max_" in name:
            total[name] = np.maximum.reduceat(column, starts)
        else:
            total[name] = np.add.reduceat(column, starts)
    return total
