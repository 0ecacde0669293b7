"""Inputs of the engine: a plan, and functions that it does not own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from jobs import Job
from mpbench.engine.limits import GIVE_UP
from mpbench.store.campaign import Entry
from mpbench.store.records import Verdict
from mpbench.store.table import Tabulate

__all__ = [
    "Experiment",
    "Measure",
    "Options",
    "Plan",
    "PlannedRun",
    "Shard",
    "Verdict",
]

KeepCaptures = Literal["none", "failed", "all"]

Measure = Callable[[Path], Mapping[str, Any]]
"""A run's folder to its metrics, ``verdict`` and ``reason`` among them."""


class Identified(Protocol):
    """A run by its identity: a planned run, or its entry in the head of the results."""

    @property
    def id(self) -> str: ...


class PlannedRun(Identified, Protocol):
    """One run of a plan (mpbench.plan.Run has these)."""

    @property
    def point(self) -> int: ...
    @property
    def case(self) -> str: ...
    @property
    def repetition(self) -> int: ...
    @property
    def factors(self) -> Mapping[str, Any]: ...
    @property
    def job(self) -> Job: ...


class Plan(Protocol):
    """All runs of an experiment (mpbench.plan.Plan has these)."""

    @property
    def runs(self) -> Sequence[PlannedRun]: ...
    @property
    def spec_hash(self) -> str: ...


@dataclass(frozen=True)
class Experiment:
    """An experiment ready to run: its name, its file as it was, its plan."""

    name: str
    text: bytes
    plan: Plan


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of a plan.

    number : from 1 to `count`
    """

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def ids(self, every_id: Iterable[str]) -> frozenset[str]:
        """The ids of the runs that belong to this part.

        The runs go to the parts in turn, in the order of their ids. An id is a hash,
        so each part gets its share of every case and point. The parts of a plan
        differ by one run at most.
        """
        ordered = sorted(set(every_id))
        return frozenset(ordered[self.number - 1 :: self.count])


@dataclass(frozen=True)
class Options:
    """Options of a run; nothing here changes its outcome.

    jobs : workers, None for one per CPU
    limit : at most so many runs are executed, None for all
    only : names of cases, empty for all
    shard : execute only this part of the plan, None for all of it
    reuse : folders of results or kept rows from which runs of the plan are taken over
    keep_captures : whose packet captures stay on disk
    retry_failed : execute failed, timed-out and interrupted runs once more
    wall_limit_s, silence_limit_s : replace the default bounds of a run
    give_up : stop when so many runs in a row failed, timed out or were interrupted;
        0 for never
    """

    jobs: int | None = None
    limit: int | None = None
    only: tuple[str, ...] = ()
    shard: Shard | None = None
    reuse: tuple[Path, ...] = ()
    keep_captures: KeepCaptures = "failed"
    retry_failed: bool = False
    wall_limit_s: float | None = None
    silence_limit_s: float | None = None
    give_up: int = GIVE_UP


@dataclass(frozen=True)
class AnalysisFunctions:
    """The functions of `analysis` that the engine calls.

    measure : a run's folder to its metrics (analysis.run.row.row)
    tabulate : rows to the table (analysis.campaign.table.build)
    """

    measure: Measure
    tabulate: Tabulate


def entry(run: PlannedRun) -> Entry:
    """A run's place in the plan, for the head of the results."""
    return Entry(run.id, run.point, run.case, run.repetition, dict(run.factors))


def label(run: PlannedRun | Entry, repeated: bool) -> str:
    """A run's name for people: ``point 3 mptcp``, and ``#2`` if runs are repeated."""
    name = f"point {run.point} {run.case}"
    return f"{name} #{run.repetition}" if repeated else name
