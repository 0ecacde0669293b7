"""A plan: the runs of an experiment, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Run:
    """One design point, one case, one repetition.

    id : 16 hexadecimal digits; two runs have the same id if and only if job and build
        are the same
    point : from 0
    case : name
    repetition : from 0
    factors : values of the factors by canonical key (`path1.capacity_mbps`)
    job : everything that determines the outcome, as JSON
    """

    id: str
    point: int
    case: str
    repetition: int
    factors: Mapping[str, float | int]
    job: Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """All runs, points slowest, then repetitions, then cases.

    The cases of a point stand together, so that a campaign that is cut short
    leaves whole points.

    factor_keys : canonical keys of the factors, the columns of `design`
    design : one row of values per point, shape (points, factors)
    spec_hash : SHA-256 of the experiment, see Spec.digest
    """

    runs: tuple[Run, ...]
    factor_keys: tuple[str, ...]
    design: tuple[tuple[float | int, ...], ...]
    spec_hash: str
