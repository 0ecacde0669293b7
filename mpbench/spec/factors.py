"""Factors: parameters of the topology that an experiment varies."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Annotated, Self

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec import choices, trait_factors, variables
from mpbench.spec.builtin import describe, names
from mpbench.spec.choices import Choices
from mpbench.spec.factor_units import with_unit
from mpbench.spec.link_traits import DISCIPLINE_SCHEMA, VARIED
from mpbench.spec.messages import MOST_FAULTS, shortened
from mpbench.spec.network_links import LINK_KEYS, Value, read_value
from mpbench.spec.suggestions import nearest
from mpbench.spec.trait_factors import TraitKey, Words
from mpbench.spec.values import (
    ANY_QUANTITY,
    Context,
    Faults,
    Part,
    Switch,
    check_each,
    context,
    parameter_value,
)
from mpbench.spec.vocabulary import DESIGN_KEYS
from topologies import Description, Parameter

UNKNOWN_UNIT = float("nan")
"""Stands for a value whose unit has a fault of its own, which is reported there."""

LEAST_STEP = 1e-6
"""In the canonical unit; values are rounded to this (`plan.points`)."""

MOST_VALUES = 10_000
"""Values of a list."""

ROUND_TRIP = re.compile(r"\.rtt", re.IGNORECASE)
TRAFFIC_PATTERN = r"^traffic[0-9]*\.[a-z_]+$"
_LIST: JsonDict = {"type": "array", "minItems": 1, "items": ANY_QUANTITY}


class Factor(Part):
    """Variation of one parameter, in the parameter's canonical unit.

    Either a range (`minimum` and `maximum` are set), which the design spreads
    points over, or a list (`values` is set), which is crossed with them.
    """

    unit: str | None = Field(
        default=None, description="Unit of the numbers in this factor that have none."
    )
    minimum: float | None = Field(
        default=None,
        alias="min",
        description="Least value of a range.",
        json_schema_extra=ANY_QUANTITY,
    )
    maximum: float | None = Field(
        default=None,
        alias="max",
        description="Greatest value of a range.",
        json_schema_extra=ANY_QUANTITY,
    )
    step: float | None = Field(
        default=None,
        description="Only min, min + step, min + 2 step ... are used.",
        json_schema_extra=ANY_QUANTITY,
    )
    integer: Switch = Field(
        default=False, description="Only whole numbers of the canonical unit are used."
    )
    values: tuple[float, ...] | None = Field(
        default=None,
        description="A list of values instead of a range.",
        json_schema_extra={"anyOf": [_LIST]},
    )

    @property
    def crossed(self) -> bool:
        """Whether the factor is a list."""
        return self.values is not None

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends of a range; TypeError for a list."""
        if self.minimum is None or self.maximum is None:
            raise TypeError("a list of values has no ends")
        return self.minimum, self.maximum

    @property
    def largest(self) -> float:
        """The largest of the factor's values."""
        return max(self.values) if self.values is not None else self.ends[1]

    @property
    def levels(self) -> int | None:
        """Number of values that the factor can take; None for all values of its
        range."""
        if self.values is not None:
            return len(self.values)
        step = self.step or (1.0 if self.integer else None)
        if step is None or self.minimum is None or self.maximum is None:
            return None
        return int((self.maximum - self.minimum) / step + 1e-9) + 1

    @field_validator("unit")
    @classmethod
    def _unit_fits(cls, value: str | None, info: ValidationInfo) -> str | None:
        parameter = context(info).parameter
        if value is not None and parameter is not None:
            units.check_unit(value, parameter.unit)
        return value

    @field_validator("minimum", "maximum", mode="before")
    @classmethod
    def _end(cls, value: object, info: ValidationInfo) -> object:
        return None if value is None else _canonical(value, info)

    @field_validator("step", mode="before")
    @classmethod
    def _step(cls, value: object, info: ValidationInfo) -> object:
        parameter = context(info).parameter
        if value is None or parameter is None or "unit" not in info.data:
            return value
        step = units.parse(value, parameter.unit, info.data["unit"])
        if step < LEAST_STEP:
            reason = f"{step:g} {parameter.unit} is below {LEAST_STEP:g}"
            raise ValueError(f"{reason}, which values are rounded to; give more")
        return step

    @field_validator("values", mode="before")
    @classmethod
    def _values(cls, value: object, info: ValidationInfo) -> object:
        if value is None:
            return None
        if not isinstance(value, list):
            raise ValueError("expected a list, such as [1 ms, 10 ms]")
        if not value:
            raise ValueError("an empty list; give at least one value")
        if len(value) > MOST_VALUES:
            reason = f"{len(value)} values; a list has at most {MOST_VALUES}"
            raise ValueError(f"{reason}; give a range with a step")
        faults = Faults()
        numbers: dict[float, None] = {}
        for index, raw in enumerate(value):
            if len(faults.found) > MOST_FAULTS:  # no more would be shown
                break
            try:
                number = _canonical(raw, info)
            except ValueError as error:
                faults.add((index,), str(error))
                continue
            if number in numbers and not isnan(number):
                faults.add((index,), f"'{shortened(raw)}' is in the list already")
            numbers[number] = None
        faults.raise_any()
        return tuple(numbers)

    @model_validator(mode="after")
    def _range_or_list(self, info: ValidationInfo) -> Self:
        faults = Faults()
        if self.values is not None:
            for name, key in (("minimum", "min"), ("maximum", "max"), ("step", "step")):
                if getattr(self, name) is not None:
                    faults.add((key,), "a list of values has none; take it away")
        elif self.minimum is None or self.maximum is None:
            faults.add((), "neither a range nor a list; write {min: ..., max: ...}")
        else:
            self._check_range(self.minimum, self.maximum, context(info), faults)
        faults.raise_any()
        return self

    def _check_range(
        self, low: float, high: float, at: Context, faults: Faults
    ) -> None:
        unit = at.parameter.unit if at.parameter else ""
        if low > high:
            ends = f"min {low:g} {unit}".rstrip(), f"max {high:g} {unit}".rstrip()
            reason = f"{ends[0]} is above {ends[1]}; exchange them"
            faults.add(("min",), reason)
        elif low == high:
            both = f"min and max are both {low:g} {unit}".rstrip()
            reason = f"{both}; set it under 'parameters'"
            faults.add(("min",), reason)
        elif self.step is not None and self.step > high - low:
            reason = f"{self.step:g} {unit} is more than from min to max"
            faults.add(("step",), reason)
        elif self.integer:
            whole = (("min", low), ("max", high), ("step", self.step or 1.0))
            for key, number in whole:
                if number != int(number):
                    reason = f"{number:g} {unit} is not whole, but the factor is"
                    faults.add((key,), reason)


def _canonical(value: object, info: ValidationInfo) -> float:
    parameter = context(info).parameter
    if parameter is None or "unit" not in info.data:
        return UNKNOWN_UNIT
    return parameter_value(value, parameter, info.data["unit"])


def read_factors(value: object, info: ValidationInfo) -> object:
    """Each factor, checked against the parameter of its name."""
    here = context(info)
    if not isinstance(value, dict) or here.topology is None:
        return {} if isinstance(value, dict) else value
    topology = here.topology

    def check(name: str, raw: object) -> Factor | Choices | Words:
        if name in DESIGN_KEYS:
            raise ValueError("a key of the design, not a parameter; indent it less")
        if choices.link_of(name, topology):
            return choices.read(name, raw, topology)
        part = trait_factors.of_name(name, topology)
        if part and topology.name == choices.MININET:
            raise ValueError("links of Mininet's have drop tail only; take two_path")
        if part and part.words:
            return trait_factors.read_words(raw, part)
        own = next((p for p in here.variables if p.name == name), None)
        if own and (reason := variables.fault(name)):
            raise ValueError(reason)
        parameter = own or _known(name, topology, here.beside)
        if isinstance(raw, list):
            raw = {"values": raw}
        if not isinstance(raw, dict):
            raise ValueError("expected {min: ..., max: ...} or a list of values")
        if parameter.integer and raw.get("integer") is not False:
            raw = {**raw, "integer": True}
        there = replace(here, parameter=parameter)
        if own:
            raw = with_unit(raw)
        if part is None:
            return Factor.model_validate(raw, context=there)
        factor = Factor.model_validate(_with_units(raw, part), context=there)
        trait_factors.check(part, name, factor)
        return factor

    return check_each(value, check)


def _known(name: str, topology: Description, others: Sequence[Parameter]) -> Parameter:
    """As `find`, with advice for a name without a dot."""
    try:
        return find(name, topology, others)
    except ValueError as error:
        if hint := variables.hint(name):
            end = "" if str(error).endswith("?") else "."
            raise ValueError(f"{error}{end} {hint}") from None
        raise


def _with_units(raw: dict[str, object], part: TraitKey) -> dict[str, object]:
    """A factor of a link's part with the unit of its values, and the step of its
    option."""
    option = part.option
    if option and option.size:
        raw = with_unit(raw)
    number = VARIED.get(part.trait)
    if number and number.whole:  # without a unit, as under 'links'
        raw = {"unit": number.unit, **raw}
    if option and option.step and "min" in raw and "step" not in raw:
        raw = {**raw, "step": f"{option.step:g} {option.unit}"}
    return raw


def read_parameters(value: object, info: ValidationInfo) -> object:
    """Each fixed parameter in its canonical unit."""
    topology = context(info).topology
    if not isinstance(value, dict) or topology is None:
        return {} if isinstance(value, dict) else value

    def check(name: str, raw: object) -> Value:
        return read_value(raw, find(name, topology))

    return check_each(value, check)


def find(
    name: str, topology: Description, others: Sequence[Parameter] = ()
) -> Parameter:
    """The parameter of that name, of the topology or of others, mostly the traffic's.

    Raises ValueError with the nearest name if there is none.
    """
    known = {p.name: p for p in (*topology.parameters, *others)}
    if choices.link_of(name, topology):
        reason = "a queue discipline is a word, and a number is needed here"
        raise ValueError(f"{reason}; set it under 'links', or vary it as a factor")
    if name not in known:
        if reason := trait_factors.refusal(name, topology):
            raise ValueError(reason)
        beside = " and the traffic have" if others else " has"
        host, _, key = name.rpartition(".")
        if topology.described and key == "users" and host in topology.initiators:
            reason = f"the network does not say how many users {host} stands for"
            hint = f"write '{host}: {{paths: [...], users: 1}}' under network.users"
            raise ValueError(f"{reason}; {hint}")
        hint = trait_factors.hint(name, topology)
        hint = hint or nearest(name, [*known, *choices.names(topology)])
        if ROUND_TRIP.search(name) and ".delay'" in hint:
            hint += " It is the delay in one direction, half of a round trip."
        raise ValueError(f"{topology.name}{beside} no such parameter; {hint}")
    return known[name]


def _names() -> JsonDict:
    """The parameters of all topologies, for completion in editors, and whatever a
    network that the file describes can have."""
    known = {p.name for name in names() for p in describe(name).parameters}
    own: JsonDict = {"pattern": rf"^\w+\.({'|'.join((*LINK_KEYS, 'users'))})$"}
    return {"anyOf": [{"enum": [*sorted(known)]}, own]}


def _factors_schema(schema: JsonDict) -> None:
    traffic: JsonDict = {"pattern": TRAFFIC_PATTERN}
    disciplines: JsonDict = {"pattern": rf"^\w+\.{choices.KEY}$"}
    parts: JsonDict = {"pattern": trait_factors.PATTERN}
    own: JsonDict = {"pattern": variables.PATTERN}
    schema["propertyNames"] = {"anyOf": [_names(), traffic, disciplines, parts, own]}
    labels: JsonDict = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    schema["properties"] = {"kernel": labels}
    one = schema.get("additionalProperties", {})
    words: JsonDict = {"type": "array", "minItems": 1, "items": DISCIPLINE_SCHEMA}
    switches: JsonDict = {"type": "array", "items": {"type": "boolean"}}
    schema["additionalProperties"] = {"anyOf": [one, _LIST, words, switches]}


def _parameters_schema(schema: JsonDict) -> None:
    schema["propertyNames"] = _names()
    schema["additionalProperties"] = ANY_QUANTITY


Factors = Annotated[
    dict[str, Factor | Choices | Words],
    BeforeValidator(read_factors),
    Field(json_schema_extra=_factors_schema),
]
Parameters = Annotated[
    dict[str, Value],
    BeforeValidator(read_parameters),
    Field(json_schema_extra=_parameters_schema),
]
