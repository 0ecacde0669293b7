"""The progress of a campaign: counts, virtual seconds per wall second, ETA."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from mpbench.engine.pool import Task


@dataclass
class Flight:
    """A run in flight.

    slot, place : the slot that it has, and what a display calls it
    since_s : when it began, on the clock of the progress
    virtual_s : virtual seconds that have passed
    """

    task: Task
    slot: int
    place: str
    since_s: float
    virtual_s: float = 0.0


class Progress:
    """Takes in events, and is read by displays; it prints nothing.

    total : the number of tasks
    expected_s : virtual seconds that all tasks will probably take together
    clock : seconds of the host's clock; tests pass another one
    """

    def __init__(
        self,
        total: int,
        expected_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.expected_s = expected_s
        self.verdicts: Counter[str] = Counter()
        self.flights: dict[str, Flight] = {}
        self._clock = clock
        self._begun_s = clock()
        self._done_expected_s = 0.0
        self._done_virtual_s = 0.0

    def started(self, task: Task, slot: int, place: str) -> None:
        self.flights[task.id] = Flight(task, slot, place, self._clock())

    def advanced(self, task: Task, virtual_s: float) -> None:
        if flight := self.flights.get(task.id):
            flight.virtual_s = max(flight.virtual_s, virtual_s)

    def ended(self, task: Task, verdict: str, virtual_s: float) -> None:
        self.flights.pop(task.id, None)
        self.verdicts[verdict] += 1
        self._done_expected_s += task.expected_s
        self._done_virtual_s += virtual_s

    def cancelled(self, task: Task) -> None:
        self.flights.pop(task.id, None)

    @property
    def done(self) -> int:
        return self.verdicts.total()

    @property
    def elapsed_s(self) -> float:
        return self._clock() - self._begun_s

    @property
    def rate(self) -> float:
        """Virtual seconds per wall second, all workers together."""
        flying = sum(flight.virtual_s for flight in self.flights.values())
        return (self._done_virtual_s + flying) / max(self.elapsed_s, 1e-9)

    @property
    def fraction(self) -> float:
        """Share of the expected virtual time that has passed, 0 to 1."""
        if not self.expected_s:
            return 1.0 if self.done >= self.total else 0.0
        flying = sum(
            min(flight.virtual_s, flight.task.expected_s)
            for flight in self.flights.values()
        )
        return min(1.0, (self._done_expected_s + flying) / self.expected_s)

    @property
    def eta_s(self) -> float | None:
        """Wall seconds to go at the pace so far; None while it is unknown."""
        fraction = self.fraction
        if fraction < 0.001:
            return None
        return self.elapsed_s * (1.0 - fraction) / fraction

    def wall_s(self, flight: Flight) -> float:
        """Wall seconds since a run in flight began."""
        return self._clock() - flight.since_s


@dataclass(frozen=True)
class Finished:
    """The end of one task, as a display shows it."""

    task: Task
    verdict: str
    reason: str
    virtual_s: float
    wall_s: float
    tail: tuple[str, ...] = ()


def counts(verdicts: Counter[str]) -> str:
    """``12 ok, 1 failed``; ``none`` when empty."""
    order = ("ok", "same", "invalid", "differs", "failed", "timeout", "interrupted")
    named = [f"{verdicts[name]} {name}" for name in order if verdicts[name]]
    return ", ".join(named) or "none"
