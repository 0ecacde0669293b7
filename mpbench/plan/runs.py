"""A plan: the runs of an experiment, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs import Job


def factor_text(value: float | str) -> str:
    """The value of a factor as text: `2.5`, `codel`."""
    return value if isinstance(value, str) else f"{value:g}"


@dataclass(frozen=True)
class Run:
    """One design point, one case, one repetition.

    id : 16 hexadecimal digits; two runs have the same id if and only if job and build
        are the same
    point : from 0
    case : name
    repetition : from 0
    factors : values of the factors by canonical key (`path1.capacity_mbps`); of
        `path1.discipline`, the discipline's name
    job : everything that determines the outcome
    """

    id: str
    point: int
    case: str
    repetition: int
    factors: Mapping[str, Any]
    job: Job


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
    design: tuple[tuple[Any, ...], ...]
    spec_hash: str
