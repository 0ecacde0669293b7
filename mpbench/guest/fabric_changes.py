"""Capacities of the fabric's links over time.

The kernel gets the whole course of a capacity when the traffic begins, so that a change
takes place at its very time. The other things that can change are not known to it.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from jobs.artefacts import CHANGES as COLUMNS
from jobs.changes import Series
from mpbench.guest.changes import NS, ChangeError, StepsInOrder
from mpbench.guest.fabric import FabricNetwork
from topologies.fabric import Way
from topologies.reshaping import OUT_MBPS

Steps = list[tuple[int, float]]
"""Nanoseconds after the start of the traffic, and Mbit/s from then on."""


class FabricChanges:
    """All changes of a run on the fabric; the counterpart of `Changes`.

    series : the job's key `changes`, of capacities only
    end_s : the latest end of the run, seconds after the start of the traffic
    folder : for `changes.csv`
    """

    def __init__(
        self,
        series: Sequence[Series],
        network: FabricNetwork,
        end_s: float,
        folder: Path,
    ) -> None:
        self._series = series
        self._network = network
        self._end_ns = round(end_s * NS)
        self._folder = folder
        self._zero_ns = 0

    def begin(self, zero_s: float) -> None:
        """Give the kernel all steps, from `zero_s` of the monotonic clock on."""
        self._zero_ns = round(zero_s * NS)
        self._network.vary(dict(self._orders()))

    def due_s(self) -> float:
        """Never: the kernel makes the changes by itself."""
        return float("inf")

    def take(self) -> None:
        """Nothing is left to do during the run."""

    def end(self) -> None:
        """Write the record of the changes, and note what the links have now.

        Raises ChangeError if the kernel has other steps than it was given.
        """
        now_ns = time.monotonic_ns() - self._zero_ns
        rows = [",".join(COLUMNS)]
        capacities: dict[int, float] = {}
        steps = StepsInOrder(self._series)
        while (due_ns := steps.due_ns) is not None and due_ns <= now_ns:
            for one, value in steps.pop():
                at = f"{due_ns / NS:.9f}"
                words = (one.link, one.direction, one.quantity, repr(value))
                rows.append(",".join((at, at, *words)))
                for number, _ in ways_of(one, self._network.table.ways):
                    capacities[number] = value or OUT_MBPS
        if not self._network.varies_as_ordered():
            raise ChangeError("the fabric has other steps than it was given")
        self._network.now_mbps = capacities
        (self._folder / "changes.csv").write_text("".join(f"{r}\n" for r in rows))

    def _orders(self) -> Iterator[tuple[int, str]]:
        """The order for each way whose capacity changes, and its number."""
        for one in self._series:
            for number, way in ways_of(one, self._network.table.ways):
                period_ns, steps = course(one, way.shape.capacity_mbps, self._end_ns)
                words = " ".join(f"{at}:{round(mbps * 1e6)}" for at, mbps in steps)
                yield number, f"rate {number} {self._zero_ns} {period_ns} {words}"


def ways_of(one: Series, ways: Sequence[Way]) -> list[tuple[int, Way]]:
    """The ways of a series, with their numbers."""
    return [
        (number, way)
        for number, way in enumerate(ways)
        if way.link == one.link
        and one.direction in ("both", way.name.rpartition("-")[2])
    ]


def course(one: Series, before_mbps: float | None, end_ns: int) -> tuple[int, Steps]:
    """The period, 0 for none, and the steps of a capacity, the first at 0.

    Where the steps of a period begin later than the period, what holds before them is
    another capacity the first time. These steps are written out until `end_ns`.
    """
    steps = [
        (round(at_s * NS), value)
        for at_s, value in zip(one.at_s, one.values, strict=True)
    ]
    period_ns = 0 if one.period_s is None else round(one.period_s * NS)
    if steps[0][0] == 0:
        return period_ns, steps
    first = [(0, before_mbps or 0.0)]
    if not period_ns:
        return 0, [*first, *steps]
    turns = range(0, end_ns, period_ns)
    return 0, [*first, *((begin + at, mbps) for begin in turns for at, mbps in steps)]
