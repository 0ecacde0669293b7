"""The design: how many points, spread how, over which factors."""

from collections.abc import Sequence
from math import prod
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec import constraints
from mpbench.spec.choices import Choices
from mpbench.spec.factors import Factor, Factors, find
from mpbench.spec.suggestions import nearest
from mpbench.spec.trait_factors import Words
from mpbench.spec.values import Faults, OneOf, Part, Whole, context
from mpbench.spec.vocabulary import (
    BOUNDARIES,
    CANDIDATE_SETS,
    DESIGN_METHODS,
    DISTANCES,
)
from topologies import Parameter

MOST_POINTS = 1_000_000
STARTS = ("centre", "random")


def _constraint(text: str, info: ValidationInfo) -> str:
    """The text, checked: it parses, and it names parameters of the topology."""
    topology = context(info).topology
    try:
        names = constraints.parse(text).names
    except ValueError:
        if topology is not None:
            known = (*topology.parameters, *context(info).beside)
            _refuse_units(text, [p for p in known if p.name in text])
        raise
    if topology is not None:
        for name in sorted(names):
            try:
                find(name, topology, context(info).beside)
            except ValueError as error:
                raise ValueError(f"'{name}': {error}") from None
    return text


def _refuse_units(text: str, parameters: Sequence[Parameter]) -> None:
    """Raises ValueError with the constraint in plain numbers, if it has quantities.

    parameters : those that the text names
    """

    def number(digits: str, unit: str) -> float | None:
        for parameter in parameters:
            try:
                return units.parse(f"{digits} {unit}", parameter.unit)
            except ValueError:
                continue
        return None

    plain, replaced = constraints.with_numbers(text, number)
    if not replaced:
        return
    constraints.parse(plain)
    used = ", ".join(f"{p.name} in {p.unit}" for p in parameters)
    raise ValueError(
        f"'{replaced[0]}' has a unit, but a constraint has plain numbers ({used});"
        f" write '{plain}'"
    )


def _start(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("expected centre, random or the number of a candidate")
    if isinstance(value, str) and value not in STARTS:
        hint = nearest(value, STARTS)
        raise ValueError(f"unknown start '{value}'; {hint}; or a candidate's number")
    if isinstance(value, int) and value < 0:
        raise ValueError(f"{value} is below 0, the number of the first candidate")
    return value


def _in_parts(schema: JsonDict) -> None:
    """In the JSON Schema: an included part may bring what this one leaves out."""
    schema.pop("required", None)


class Design(Part):
    """Points spread over the ranges, crossed with the lists."""

    model_config = ConfigDict(json_schema_extra=_in_parts)

    method: Annotated[str, OneOf("design method", DESIGN_METHODS)] = Field(
        default="wsp", description="How points are spread; grid spreads none."
    )
    points: Whole | None = Field(
        default=None, ge=1, le=MOST_POINTS, description="How many points to spread."
    )
    grown_from: Whole | None = Field(
        default=None,
        ge=1,
        description="Points of a smaller WSP design that stay, the others being added.",
    )
    thinned_to: Whole | None = Field(
        default=None,
        ge=1,
        le=MOST_POINTS,
        description="Execute every k-th point of the ranges alone, with the least k"
        " that leaves no more points than this.",
    )
    seed: Whole | None = Field(
        default=None,
        ge=0,
        description="Of what the design draws; the experiment's if not said.",
    )
    candidates: Whole = Field(
        default=10_000,
        ge=1,
        le=10_000_000,
        description="How many candidates WSP selects from.",
    )
    candidate_set: Annotated[str, OneOf("candidate set", CANDIDATE_SETS)] = Field(
        default="sobol", description="How WSP's candidates are drawn."
    )
    distance: Annotated[str, OneOf("distance", DISTANCES)] = Field(
        default="euclidean", description="WSP's distance, in the unit cube."
    )
    boundary: Annotated[str, OneOf("boundary", BOUNDARIES)] = Field(
        default="cube",
        description="Where WSP measures distances: torus joins the ends of each range.",
    )
    start: Annotated[int | str, BeforeValidator(_start)] = Field(
        default="centre",
        description="WSP's first point: centre, random, or a candidate's number.",
    )
    factors: Factors = Field(description="The parameters that vary.")
    constraints: tuple[Annotated[str, AfterValidator(_constraint)], ...] = Field(
        default=(), description="Comparisons that every point meets."
    )

    @property
    def spread(self) -> dict[str, Factor]:
        """The factors that have a range."""
        return {
            n: f
            for n, f in self.factors.items()
            if isinstance(f, Factor) and not f.crossed
        }

    @property
    def crossed(self) -> dict[str, Factor | Choices | Words]:
        """The factors that are lists."""
        return {n: f for n, f in self.factors.items() if n not in self.spread}

    @property
    def choices(self) -> dict[str, Choices]:
        """The factors that are lists of queue disciplines."""
        return {n: f for n, f in self.factors.items() if isinstance(f, Choices)}

    @property
    def words(self) -> dict[str, Choices | Words]:
        """The factors whose values are words."""
        return {n: f for n, f in self.factors.items() if not isinstance(f, Factor)}

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        faults = Faults()
        if not self.factors and context(info).topology is not None:
            faults.add(("factors",), "empty; a design varies at least one parameter")
        elif self.method == "grid":
            self._check_grid(faults)
        elif not self.spread and self.factors:
            hint = "every factor is a list; write 'method: grid'"
            faults.add(("method",) if "method" in self.model_fields_set else (), hint)
        elif self.points is None:
            faults.add(("points",), "missing; how many points to spread, e.g. 98")
        else:
            self._check_points(self.points, faults)
        self._check_total(faults)
        self._check_boundary(faults)
        if self.grown_from is not None:
            self._check_growth(self.grown_from, faults)
        faults.raise_any()
        return self

    def _check_grid(self, faults: Faults) -> None:
        for name in self.spread:
            reason = "a range, but a grid crosses lists only; write [1, 2, ...]"
            faults.add(("factors", name), reason)
        if self.points is not None:
            faults.add(("points",), "a grid takes all combinations; take it away")

    def _check_points(self, points: int, faults: Faults) -> None:
        if self.method == "wsp" and points > self.candidates:
            reason = f"{points} is more than the {self.candidates} candidates allow"
            hint = "ask for fewer, or for more candidates"
            faults.add(("points",), f"{reason}; {hint}")
        levels = [factor.levels for factor in self.spread.values()]
        if levels and all(levels):
            distinct = prod(level or 1 for level in levels)
            if points > distinct:
                reason = f"{points} is more than the {distinct} points that steps allow"
                hint = "ask for fewer, or for finer steps"
                faults.add(("points",), f"{reason}; {hint}")
        if isinstance(self.start, int) and self.start >= self.candidates:
            reason = f"there are only {self.candidates} candidates, numbered from 0"
            faults.add(("start",), reason)

    def _check_growth(self, smaller: int, faults: Faults) -> None:
        at = ("grown_from",)
        if self.method != "wsp":
            faults.add(at, f"only wsp's designs grow, not {self.method}; take it away")
        elif self.points is not None and smaller >= self.points:
            reason = f"{smaller} is no fewer than the {self.points} points in the end"
            faults.add(at, f"{reason}; give the points that there were before")

    def _check_boundary(self, faults: Faults) -> None:
        if self.boundary != "cube" and self.method != "wsp":
            reason = f"{self.boundary} is for wsp only, not for {self.method}"
            faults.add(("boundary",), f"{reason}; take it away")

    def _check_total(self, faults: Faults) -> None:
        if self.most_points > MOST_POINTS:
            at = "factors" if self.method == "grid" else "points"
            reason = f"{self.most_points} points, with every list crossed"
            faults.add((at,), f"{reason}; at most {MOST_POINTS} work")

    @property
    def most_points(self) -> int:
        """The number of points, before constraints on lists drop any."""
        spread = 1 if self.method == "grid" else self.points or 1
        return spread * prod(len(f.values or ()) for f in self.crossed.values())

    def wsp_options(self) -> dict[str, Any]:
        """The keyword arguments of `wsp.make_design` that the file gives."""
        return {
            "method": self.method,
            "candidates": self.candidates,
            "candidate_set": self.candidate_set,
            "metric": self.distance,
            "start": self.start,
            "grown_from": self.grown_from,
            "boundary": self.boundary,
        }
