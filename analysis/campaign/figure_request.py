"""The figure that an experiment asks for: one frozen record per kind of figure.

The record of a kind stands in `analysis/figures/kinds/NAME/request.py` and has the keys
of that kind alone. Here stand the base of all records, the values that several of them
have, and the protocols by which a page asks any figure for what only some have.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import ClassVar, Protocol, runtime_checkable

MODELS = {
    "max_min": "max-min fair",
    "probing": "optimum with probing cost",
    "fluid": "equilibrium",
}
"""The models of networks that a figure can show, in words."""
FLUID_CONTROLLERS = (
    "tcp",
    "ewtcp",
    "ewtcp_fair",
    "coupled",
    "coupled_balia",
    "semicoupled",
    "semicoupled_balia",
    "max",
    "lia",
    "olia",
    "balia",
)
"""The names of analysis.models.controllers.CONTROLLERS, known without numpy."""
THEORY_METRICS = ("goodput", "jain", "max_min_distance", "traffic_split")
"""The metrics that they give."""
THEORY_QUANTITIES: Mapping[str, tuple[str, ...]] = {
    "goodput": tuple(MODELS),
    "throughput": ("fluid",),
    "cwnd": ("fluid",),
}
"""The quantities over time that they give, each with the models that give it."""
RANKED = ("flow_goodput", "loss_probability")
"""The metrics whose single values a figure of kind `ranks` can show."""
SIGNED = "signed"
"""The difference of a criterion that keeps its sign, and splits a CDF."""


@dataclass(frozen=True)
class Criterion:
    """The criterion that sorts runs into batches (thesis, sec. 3.2).

    With a difference, `factor` is a parameter's name without its path: `capacity`
    stands for path1.capacity less path2.capacity. With the difference `none` it is a
    whole parameter's name, or a measured criterion.
    """

    factor: str
    difference: str = "absolute"

    @property
    def signed(self) -> bool:
        """Whether it is a difference with its sign."""
        return self.difference == SIGNED


@dataclass(frozen=True)
class Span:
    """A stretch of time, in seconds after the beginning of the traffic."""

    start: float
    end: float


@dataclass(frozen=True)
class Labels:
    """Labels of the axes in place of the usual words."""

    x: str | None = None
    y: str | None = None


@dataclass(frozen=True)
class Theory:
    """A model that a figure shows beside measurement.

    model : a name of MODELS
    controller : of users with several paths, in place of their own; one of
        FLUID_CONTROLLERS
    rtt : round-trip time of all paths, in seconds; None for the delays of each path
    queueing : what queues add to every round-trip time, in seconds
    label : in place of the model's usual name
    """

    model: str
    controller: str | None = None
    rtt: float | None = None
    queueing: float = 0.0
    label: str | None = None

    @property
    def words(self) -> str:
        """The model's name in the legend."""
        controller = f" of {self.controller}" if self.controller else ""
        return f"{self.label or MODELS[self.model] + controller} (theory)"


@dataclass(frozen=True, kw_only=True)
class FigureRequest(ABC):
    """One figure, or one table, as an experiment file asks for it.

    A field of a record is the key of the same name in a file, and a field without a
    default is a key that the kind needs. docs/keys.md describes the keys,
    and `mpbench.spec.figures` reads and checks them.

    kind : the name of the kind in experiment files
    summary : what a figure of the kind shows, for documentation
    formats : the file formats that its pictures can have; None for every format of
        the page, () for a table that is text alone
    after : the published figure that it follows
    """

    kind: ClassVar[str]
    summary: ClassVar[str]
    formats: ClassVar[tuple[str, ...] | None] = None
    after: str | None = None

    @property
    @abstractmethod
    def words(self) -> str:
        """The usual title, known before the figure is drawn."""

    @property
    @abstractmethod
    def name_parts(self) -> tuple[str | None, ...]:
        """Parts of the name of the figure's files; empty ones and None are left out."""

    @classmethod
    def needs(cls) -> tuple[str, ...]:
        """The keys that a figure of the kind needs."""
        return tuple(each.name for each in fields(cls) if each.default is MISSING)

    @classmethod
    def may_have(cls) -> tuple[str, ...]:
        """The keys that a figure of the kind may have, beside those it needs."""
        return tuple(each.name for each in fields(cls) if each.default is not MISSING)


@runtime_checkable
class OfCase(Protocol):
    """A figure that can show one case alone; None for all cases."""

    @property
    def case(self) -> str | None: ...


@runtime_checkable
class OfMetric(Protocol):
    """A figure of a metric."""

    @property
    def metric(self) -> str: ...


@runtime_checkable
class OfPart(Protocol):
    """A figure of a part of each run, `steady.single2`; None for whole runs."""

    @property
    def part(self) -> str | None: ...


@runtime_checkable
class OfParts(Protocol):
    """A figure of several parts of each run; None for whole runs."""

    @property
    def parts(self) -> tuple[str, ...] | None: ...


@runtime_checkable
class ByCriterion(Protocol):
    """A figure whose runs a criterion sorts or splits."""

    @property
    def criterion(self) -> Criterion | None: ...


@runtime_checkable
class WithTheory(Protocol):
    """A figure that can show models beside measurement."""

    @property
    def theory(self) -> tuple[Theory, ...] | None: ...


@runtime_checkable
class OverTime(Protocol):
    """A figure of quantities over time, of the run of one design point."""

    @property
    def quantities(self) -> tuple[str, ...]: ...

    @property
    def point(self) -> int: ...


@runtime_checkable
class Titled(Protocol):
    """A figure that can have a title in place of the usual one."""

    @property
    def title(self) -> str | None: ...


def case_of(request: FigureRequest) -> str | None:
    """The one case that a figure shows; None for all."""
    return request.case if isinstance(request, OfCase) else None


def part_of(request: FigureRequest) -> str | None:
    """The one part of a run that a figure shows; None for the whole, or for several."""
    return request.part if isinstance(request, OfPart) else None


def parts_of(request: FigureRequest) -> tuple[str | None, ...]:
    """The parts of a run that a figure shows; None stands for the whole run."""
    several = request.parts if isinstance(request, OfParts) else None
    return several or (part_of(request),)
