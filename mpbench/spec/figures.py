"""Figures: the requests of an experiment file, checked against the experiment."""

from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict

from analysis.campaign import figure_request
from analysis.campaign.figure_request import SIGNED, FigureRequest
from analysis.figures.registry import KINDS
from analysis.run.mark_kinds import KINDS as MARKS
from mpbench.spec import choices
from mpbench.spec.factors import find
from mpbench.spec.own_metrics import MetricName
from mpbench.spec.own_series import OWN_COLUMN, QuantityName
from mpbench.spec.phases import Phase, range_schema, read_range
from mpbench.spec.suggestions import nearest
from mpbench.spec.theory import AnyTheory, Theory
from mpbench.spec.values import (
    Faults,
    Name,
    OneOf,
    Part,
    Quantity,
    Whole,
    context,
)
from mpbench.spec.vocabulary import DIFFERENCES, MEASURED_CRITERIA, WORD_CRITERIA


class Criterion(Part):
    """The criterion that sorts results into batches (thesis 3.2).

    With a difference, `factor` is the name without its path: `capacity` stands
    for path1.capacity - path2.capacity. Without one, it is a parameter's name, or
    one of MEASURED_CRITERIA.
    """

    factor: str = Field(
        description="`capacity`, or `path1.capacity` without difference; or, without"
        f" difference, what was measured: {', '.join(MEASURED_CRITERIA)}."
    )
    difference: Annotated[str, OneOf("difference", DIFFERENCES)] = Field(
        default="absolute",
        description="Of path 1 and path 2: absolute, signed, or none.",
    )

    @property
    def record(self) -> figure_request.Criterion:
        """The criterion as figures take it."""
        return figure_request.Criterion(**dict(self))

    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that it is computed from."""
        if self.factor in MEASURED_CRITERIA:
            return ()
        if self.difference == "none":
            return (self.factor,)
        return (f"path1.{self.factor}", f"path2.{self.factor}")

    @model_validator(mode="after")
    def _is_parameter(self, info: ValidationInfo) -> Self:
        topology = context(info).topology
        if topology is None:
            return self
        here = context(info)
        known = [p.name for p in topology.parameters]
        known += [p.name for p in here.beside if p.name in here.factors]
        if self.difference != "none":
            known = sorted({name.partition(".")[2] for name in known})
        else:
            known += MEASURED_CRITERIA
        if self.factor not in known:
            faults = Faults()
            reason = f"no such parameter '{self.factor}' of {topology.name}"
            if self.difference != "none" and topology.parameter(self.factor):
                reason += f" with difference: {self.difference}"
            faults.add(("factor",), f"{reason}; {nearest(self.factor, known)}")
            faults.raise_any()
        return self


def _parameter(name: str, info: ValidationInfo) -> str:
    here = context(info)
    if name in here.factors or here.topology is None:
        return name
    if not choices.link_of(name, here.topology):
        try:
            find(name, here.topology, here.beside)
        except ValueError as error:
            raise ValueError(f"'{name}': {error}") from None
    return name


def _case(name: str, info: ValidationInfo) -> str:
    cases = context(info).cases
    if cases and name not in cases:
        raise ValueError(f"there is no case '{name}'; {nearest(name, cases)}")
    return name


class Span(Phase):
    """The time that a figure shows."""

    @property
    def record(self) -> figure_request.Span:
        """The time as figures take it."""
        return figure_request.Span(self.start, self.end)


TimeSpan = Annotated[
    Span, BeforeValidator(read_range), Field(json_schema_extra=range_schema)
]


PRINTABLE_TEXT = r"^[^\x00-\x1f\x7f-\x9f]*$"
PART_OF_RUN = r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,2}$"
PartName = Annotated[str, Field(pattern=PART_OF_RUN, max_length=100)]
Text = Annotated[str, Field(min_length=1, max_length=200, pattern=PRINTABLE_TEXT)]


class Labels(Part):
    """Labels of the axes of a figure."""

    x: Text | None = Field(default=None, description="At the horizontal axis.")
    y: Text | None = Field(default=None, description="At the vertical axis.")

    @property
    def record(self) -> figure_request.Labels:
        """The labels as figures take them."""
        return figure_request.Labels(self.x, self.y)


def _describe_kinds(schema: JsonDict) -> None:
    """In the JSON Schema: the kinds. Other files load those alone that they have."""
    kinds = "; ".join(f"{k.kind}: {k.summary}" for k in KINDS.values())
    schema["description"] = f"{kinds}."


class Figure(Part):
    """One figure, or one table, of the report: a request, checked as it is read."""

    # The keys of all kinds stand side by side, because a file may have any of them, and
    # a message names those that the figure's kind does not have.

    kind: Annotated[str, OneOf("kind of figure", tuple(KINDS))] = Field(
        json_schema_extra=lambda schema: _describe_kinds(schema)
    )
    factors: tuple[Annotated[str, AfterValidator(_parameter)], ...] | None = Field(
        default=None, description="Factors of the histograms; all if not said."
    )
    metric: Annotated[str, MetricName()] | None = Field(
        default=None, description="The metric of the boxes, curves or cells."
    )
    against: Annotated[str, MetricName()] | None = Field(
        default=None, description="Of trade_off: the metric at the horizontal axis."
    )
    part: PartName | None = Field(
        default=None,
        description="The part of a run whose metric is shown: a phase, the name of a"
        " traffic entry, or both, as in `steady.single2`.",
    )
    parts: Annotated[tuple[PartName, ...], Field(min_length=1)] | None = Field(
        default=None, description="Of cases: several such parts, side by side."
    )
    theory: Annotated[tuple[AnyTheory, ...], Field(min_length=1)] | None = Field(
        default=None, description="Models that are shown beside the metric."
    )
    over: Annotated[str, AfterValidator(_case)] | None = Field(
        default=None,
        description="Of ratios and trade_off: the case that the others are divided by."
        " Of heat_map: the case that is taken from the others.",
    )
    criterion: Criterion | None = Field(
        default=None,
        description="What sorts the runs into batches, or whose sign splits a CDF.",
    )
    batches: Whole = Field(
        default=5, ge=1, le=1000, description="Number of batches, or of bars."
    )
    by: Annotated[str, AfterValidator(_parameter)] | None = Field(
        default=None,
        description="The factor whose values are groups, columns or panels.",
    )
    versus: Annotated[str, AfterValidator(_parameter)] | None = Field(
        default=None, description="Of heat_map: the factor at the vertical axis."
    )
    panels: Annotated[str, AfterValidator(_parameter)] | None = Field(
        default=None,
        description="Of line, scatter and trade_off: another factor, with a panel for"
        " each of its values.",
    )
    case: Annotated[str, AfterValidator(_case)] | None = Field(
        default=None, description="The case that is shown; all if not said."
    )
    quantities: (
        Annotated[
            tuple[Annotated[str, QuantityName()], ...],
            Field(min_length=1),
        ]
        | None
    ) = Field(
        default=None, description="What is drawn over time, each in its own panel."
    )
    users: tuple[Name, ...] | None = Field(
        default=None, description="Hosts whose data are shown; all if not said."
    )
    samples: Annotated[str, Field(pattern=OWN_COLUMN, max_length=100)] | None = Field(
        default=None,
        description="Of completion_times: samples of one's own tool in place of the"
        " times of flows, as `TOOL.NAME_UNIT`.",
    )
    span: TimeSpan | None = Field(
        default=None, description="The time that is shown; all if not said."
    )
    average: Annotated[float, Quantity("s", 0.001, 3600)] | None = Field(
        default=None,
        description="The length of the stretches whose means are shown; single values"
        " if not said.",
    )
    events: tuple[Annotated[str, OneOf("event", tuple(MARKS))], ...] | None = Field(
        default=None,
        description="Events that are marked: some of these, or [] for none; all if not"
        " said.",
    )
    point: Whole = Field(default=0, ge=0, description="Number of the design point.")
    repetition: Whole = Field(default=0, ge=0, description="Number of the repetition.")

    log: Annotated[str, OneOf("axis", ("x", "y", "both", "none"))] | None = Field(
        default=None,
        description="The axes with a logarithmic scale; the values decide if not said.",
    )
    labels: Labels | None = Field(
        default=None, description="Words for the axes, with units."
    )
    title: Text | None = Field(default=None, description="In place of the usual title.")
    after: str | None = Field(
        default=None, description="The published figure that it follows."
    )

    @property
    def request(self) -> FigureRequest:
        """The record of the figure's kind, as figures are drawn from it."""
        record = KINDS[self.kind]
        keys = (*record.needs(), *record.may_have())
        values: dict[str, Any] = {key: _record(getattr(self, key)) for key in keys}
        return record(**values)

    @model_validator(mode="before")
    @classmethod
    def _keys_of_kind(cls, value: Any) -> Any:
        """The mapping, if its kind has all of its keys.

        A key of another kind is told as such, not for its value.
        """
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            return value
        faults, own = Faults(), (*KINDS[kind].needs(), *KINDS[kind].may_have())
        for key in sorted({*cls.model_fields} - {*own, "kind", "after"}):
            if value.get(key) is not None:
                reason = f"a figure of kind {kind} has none"
                faults.add((key,), f"{reason}; it has: {', '.join(own)}")
        faults.raise_any()
        return value

    @model_validator(mode="after")
    def _fits_kind(self) -> Self:
        faults = Faults()
        kind = KINDS[self.kind]
        for key in kind.needs():
            if getattr(self, key) is None:
                faults.add((key,), f"missing; a figure of kind {self.kind} needs it")
        self._check_theory(faults)
        if self.kind == "ranks" and self.metric not in (None, *figure_request.RANKED):
            known = " and ".join(figure_request.RANKED)
            faults.add(("metric",), f"no ranks of {self.metric}; there are {known}")
        if self.kind == "groups" and self.by is None and self.criterion is None:
            faults.add(("by",), "missing; groups are of a factor or of a criterion")
        if self.kind == "scatter" and (self.by is None) == (self.criterion is None):
            faults.add(("by",), "give either a factor (by) or a criterion")
        if (
            self.kind != "groups"
            and self.criterion
            and self.criterion.factor in WORD_CRITERIA
        ):
            reason = f"'{self.criterion.factor}' has words, and {self.kind} shows"
            faults.add(("criterion", "factor"), f"{reason} numbers; take kind: groups")
        if (
            self.kind == "cdf"
            and self.criterion
            and self.criterion.difference != SIGNED
        ):
            reason = f"a cdf is split by a sign; say difference: {SIGNED}"
            faults.add(("criterion", "difference"), reason)
        faults.raise_any()
        return self

    def _check_theory(self, faults: Faults) -> None:
        """Whether the models give the metric, or one of the quantities over time."""
        if self.quantities is None:
            if self.theory and self.metric not in figure_request.THEORY_METRICS:
                known = ", ".join(figure_request.THEORY_METRICS)
                reason = f"no model gives {self.metric}; they give {known}"
                faults.add(("theory",), reason)
            return
        for number, theory in enumerate(self.theory or ()):
            given = [
                q
                for q, of in figure_request.THEORY_QUANTITIES.items()
                if theory.model in of
            ]
            if not set(given) & set(self.quantities):
                reason = f"{theory.model} gives {' and '.join(given)} over time, not"
                shown = ", ".join(self.quantities)
                hint = f"write quantities: [{given[0]}]"
                faults.add(("theory", number), f"{reason} {shown}; {hint}")


def _record(value: object) -> object:
    """The value of a key, in the form of a figure's record."""
    if isinstance(value, tuple):
        return tuple(map(_record, value))
    if isinstance(value, Criterion | Labels | Span | Theory):
        return value.record
    return value
