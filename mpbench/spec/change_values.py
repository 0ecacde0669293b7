"""The values of the section `changes:`: one for both directions, or one for each.

A value is what a link has from a time on, or a range that values are drawn from. It may
be an expression, whose value is known at a point of the design.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.config import JsonDict
from pydantic_core import core_schema

from mpbench import units
from mpbench.spec import expressions
from mpbench.spec.expressions import Expression
from mpbench.spec.link_traits import WAYS
from mpbench.spec.messages import shortened
from mpbench.spec.network_links import TWO_WAYS, parameters_of
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults, parameter_value
from topologies import Parameter

T = TypeVar("T")

QUANTITIES = TWO_WAYS
"""The parameters of a link that can change: capacity, delay, queue, loss."""

ENDS = ("min", "max")
LINK = parameters_of("LINK")


@dataclass(frozen=True)
class Range:
    """The range that a value is drawn from, ends included, in the canonical unit."""

    min: float | int | Expression
    max: float | int | Expression


Value = float | int | Expression
AnyValue = Value | Range


@dataclass(frozen=True)
class Given:
    """A value or range for each direction; both are alike if the file gives one.

    up : the direction of what users send
    down : the direction towards users; None if both directions are alike
    """

    up: AnyValue
    down: AnyValue | None = None

    @property
    def expressions(self) -> Iterator[tuple[tuple[str, ...], Expression]]:
        """The expressions, each with its place below the key."""
        for way, value in self.ways.items():
            at = () if way == "both" else (way,)
            if isinstance(value, Expression):
                yield at, value
            elif isinstance(value, Range):
                for end in ENDS:
                    if isinstance(one := getattr(value, end), Expression):
                        yield (*at, end), one

    def written(self, text: Callable[[Value], str]) -> object:
        """The value in the form of an experiment file.

        text : gives the text of one number or expression
        """

        def plain(value: AnyValue) -> object:
            if isinstance(value, Range):
                return {end: text(getattr(value, end)) for end in ENDS}
            return text(value)

        ways = {way: plain(value) for way, value in self.ways.items()}
        return ways.get("both", ways)

    @property
    def ways(self) -> dict[str, AnyValue]:
        """The values by direction: `both`, or `up` and `down`."""
        if self.down is None:
            return {"both": self.up}
        return {"up": self.up, "down": self.down}

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls, serialization=core_schema.plain_serializer_function_ser_schema(_plain)
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {}  # every field of this type has a schema of its own


def _plain(value: object) -> object:
    """As text and numbers, for the hash of a file."""
    if isinstance(value, Given):
        return {"up": _plain(value.up), "down": _plain(value.down)}
    if isinstance(value, Range):
        return {end: _plain(getattr(value, end)) for end in ENDS}
    return value.text if isinstance(value, Expression) else value


def read_value(value: object, parameter: Parameter) -> Value:
    """A value in its canonical unit, or an expression. A capacity may be 0: the link
    is out.

    Raises ValueError with a one-line reason.
    """
    if expressions.is_expression(value):
        return expressions.parse(str(value))
    capacity = parameter.name.endswith(".capacity")
    if capacity and units.parse(value, parameter.unit) == 0:
        return 0.0
    try:
        return parameter_value(value, parameter)
    except ValueError as error:
        if capacity and "out of range" in str(error):
            raise ValueError(f"{error}, or 0 for an outage") from None
        raise


def read_range(value: object, parameter: Parameter) -> Range:
    """A range to draw from. Raises ValueError, or ValidationError with places."""
    if not isinstance(value, dict):
        reason = f"'{shortened(value)}' is not a range to draw from"
        raise ValueError(f"{reason}; write {{min: ..., max: ...}}")
    found = _each(value, ENDS, lambda end: _read_end(end, parameter))
    low, high = found["min"], found["max"]
    both = not isinstance(low, Expression) and not isinstance(high, Expression)
    if both and low > high:  # type: ignore[operator]
        raise ValueError(f"min {low:g} is above max {high:g}")
    return Range(low, high)


def _read_end(value: object, parameter: Parameter) -> Value:
    if expressions.is_expression(value):
        return expressions.parse(str(value))
    return parameter_value(value, parameter)


def _each(
    value: Mapping[str, object], keys: tuple[str, ...], read: Callable[[object], T]
) -> dict[str, T]:
    """Every key's value. Raises ValidationError with all faults."""
    faults = Faults()
    for key in value:
        if key not in keys:
            faults.add((str(key),), f"unknown key; {nearest(str(key), keys)}")
    found: dict[str, T] = {}
    for key in keys:
        try:
            if key not in value:
                raise ValueError(f"missing; give both, {' and '.join(keys)}")
            found[key] = read(value[key])
        except ValueError as error:
            faults.add((key,), str(error))
    faults.raise_any()
    return found


def _of_ways(
    read: Callable[[object, Parameter], AnyValue], key: str
) -> BeforeValidator:
    """Reads one value for both directions, or a mapping with `up` and `down`."""
    parameter = LINK[key]

    def of_ways(value: object) -> object:
        if value is None:
            return None
        if isinstance(value, dict) and not set(value) & set(ENDS):
            found = _each(value, WAYS, lambda one: read(one, parameter))
            return Given(found["up"], found["down"])
        return Given(read(value, parameter))

    return BeforeValidator(of_ways)


def _object(one: JsonDict, keys: tuple[str, ...]) -> JsonDict:
    return {
        "type": "object",
        "properties": {key: one for key in keys},
        "required": [*keys],
        "additionalProperties": False,
    }


VALUE_SCHEMA: JsonDict = {"anyOf": [ANY_QUANTITY, _object(ANY_QUANTITY, WAYS)]}
_RANGE_SCHEMA = _object(ANY_QUANTITY, ENDS)
RANGE_SCHEMA: JsonDict = {"anyOf": [_RANGE_SCHEMA, _object(_RANGE_SCHEMA, WAYS)]}

CapacityValue = Annotated[Given | None, _of_ways(read_value, "capacity")]
DelayValue = Annotated[Given | None, _of_ways(read_value, "delay")]
QueueValue = Annotated[Given | None, _of_ways(read_value, "queue")]
LossValue = Annotated[Given | None, _of_ways(read_value, "loss")]
CapacityRange = Annotated[Given | None, _of_ways(read_range, "capacity")]
DelayRange = Annotated[Given | None, _of_ways(read_range, "delay")]
QueueRange = Annotated[Given | None, _of_ways(read_range, "queue")]
LossRange = Annotated[Given | None, _of_ways(read_range, "loss")]


def value_field(description: str) -> Any:
    """A field for a value from a time on."""
    return Field(default=None, description=description, json_schema_extra=VALUE_SCHEMA)


def range_field(description: str) -> Any:
    """A field for a range that values are drawn from."""
    return Field(default=None, description=description, json_schema_extra=RANGE_SCHEMA)
