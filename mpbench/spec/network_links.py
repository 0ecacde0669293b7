"""The links of the section `network:`, and the values of their parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import core_schema

from mpbench.spec import expressions
from mpbench.spec.expressions import Expression
from mpbench.spec.link_traits import WAYS, LinkTraits
from mpbench.spec.queue_sizes import QueueTime, queue_time
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import (
    ANY_QUANTITY,
    Faults,
    parameter_value,
)
from topologies import Parameter
from topologies.parameters import (
    DOWN,
    link_parameters,
)

Value = float | int | Expression

_KEYS = ("capacity", "delay", "queueing_delay", "queue", "loss", "jitter")

TWO_WAYS = ("capacity", "delay", "queue", "loss")
"""The keys of a link that can have a value for each direction."""

LINK_KEYS = (*_KEYS, *(f"{DOWN}{key}" for key in TWO_WAYS))
"""The parameters that a link can have."""

ONLY_DELAYS = {"delay", f"{DOWN}delay"}
"""The parameters of a link without a capacity."""


def parameters_of(link: str) -> dict[str, Parameter]:
    """The parameters of a link with a capacity, by key."""
    found = link_parameters(link, shared=True)
    return {parameter.name.rpartition(".")[2]: parameter for parameter in found}


_LINK = parameters_of("LINK")


def read_value(value: object, parameter: Parameter) -> Value:
    """A parameter's value in its canonical unit, or the expression that computes it.

    Raises ValueError with a one-line reason.
    """
    if expressions.is_expression(value):
        return expressions.parse(str(value))
    return parameter_value(value, parameter)


def value_of(parameter: Parameter) -> BeforeValidator:
    """Reads the value of a parameter; None stands for a key that is not given."""

    def read(value: object) -> object:
        return None if value is None else read_value(value, parameter)

    return BeforeValidator(read)


@dataclass(frozen=True)
class Directions:
    """The values of a parameter in both directions."""

    up: Value | QueueTime
    down: Value | QueueTime

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda given: {way: _plain(getattr(given, way)) for way in WAYS}
            ),
        )


def _plain(value: Value | QueueTime) -> float | int | str:
    return value.text if isinstance(value, Expression | QueueTime) else value


def _read_queue(value: object, parameter: Parameter) -> Value | QueueTime:
    """The size of a queue in packets, as data, or as a time."""
    longest = _LINK["queueing_delay"]
    time = queue_time(value, longest.minimum, longest.maximum)
    return read_value(value, parameter) if time is None else time


def _of_both(
    parameter: Parameter,
    read_one: Callable[[object, Parameter], Value | QueueTime] = read_value,
) -> BeforeValidator:
    """Reads a value for both directions, or a mapping with a value for each."""

    def read(value: object) -> object:
        if not isinstance(value, dict):
            return None if value is None else read_one(value, parameter)
        faults = Faults()
        for key in value:
            if key not in WAYS:
                faults.add((str(key),), f"unknown key; {nearest(str(key), WAYS)}")
        found: dict[str, Value | QueueTime] = {}
        for way in WAYS:
            try:
                if way not in value:
                    raise ValueError("missing; give both directions, up and down")
                found[way] = read_one(value[way], parameter)
            except ValueError as error:
                faults.add((way,), str(error))
        faults.raise_any()
        return Directions(found["up"], found["down"])

    return BeforeValidator(read)


_BOTH_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {
            "type": "object",
            "properties": {way: ANY_QUANTITY for way in WAYS},
            "required": [*WAYS],
            "additionalProperties": False,
        },
    ]
}


class NetworkLink(LinkTraits):
    """The parameters of a link, where they are not the default.

    A link that has nothing but a delay only delays: it has no capacity and no queue.
    """

    like: str | None = Field(
        default=None,
        description="Another link, whose parameters this link follows unless it has"
        " its own.",
    )
    capacity: Annotated[Value | Directions | None, _of_both(_LINK["capacity"])] = Field(
        default=None,
        description="Rate in each direction, or {up, down}; whole packets count.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    delay: Annotated[Value | Directions | None, _of_both(_LINK["delay"])] = Field(
        default=None,
        description="One-way delay. A link with nothing but a delay has no queue.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    queueing_delay: Annotated[Value | None, value_of(_LINK["queueing_delay"])] = Field(
        default=None,
        description="Longest wait in the queue; it gives the queue's size.",
        json_schema_extra=ANY_QUANTITY,
    )
    queue: Annotated[
        Value | Directions | QueueTime | None, _of_both(_LINK["queue"], _read_queue)
    ] = Field(
        default=None,
        description="Size of the queue in packets, as data or as a time, in place of"
        " queueing_delay.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    loss: Annotated[Value | Directions | None, _of_both(_LINK["loss"])] = Field(
        default=None,
        description="Probability of random loss.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    jitter: Annotated[Value | None, value_of(_LINK["jitter"])] = Field(
        default=None,
        description="Variation of the delay; one packet time if not said.",
        json_schema_extra=ANY_QUANTITY,
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.queue is not None and self.queueing_delay is not None:
            faults = Faults()
            reason = "without effect beside queue; take one away"
            faults.add(("queueing_delay",), reason)
            faults.raise_any()
        return self

    @property
    def given(self) -> dict[str, Value]:
        """The parameters that the file gives, by key."""
        found: dict[str, Value] = {}
        for key in _KEYS:
            value = getattr(self, key)
            both = {key: value}
            if isinstance(value, Directions):
                both = {key: value.up, f"{DOWN}{key}": value.down}
            for name, one in both.items():
                if isinstance(one, QueueTime):
                    found[f"{name.removesuffix('queue')}queueing_delay"] = one.ms
                elif one is not None:
                    found[name] = one
        return found

    @property
    def two_ways(self) -> bool:
        """Whether the link has a value of its own for the direction towards users."""
        return any(key.startswith(DOWN) for key in self.given)

    @property
    def only_delays(self) -> bool:
        """Whether the link, as far as it says itself, has a delay and no capacity."""
        only = "delay" in self.given and set(self.given) <= ONLY_DELAYS
        return only and self.like is None and not self.traits


def link_or_default(value: object) -> object:
    """`link1:` without a value is a link with the default parameters."""
    return {} if value is None else value
