"""Traits of a link beside its numbers: a queue discipline, and impairments.

Each can differ between the directions of a link: `{up: ..., down: ...}`. A direction
that is not named has drop tail and no impairment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    create_model,
    model_serializer,
)
from pydantic.config import JsonDict
from pydantic_core import core_schema

from mpbench import units
from mpbench.spec import impairments, queues
from mpbench.spec.impairments import BURST_LOSS, REORDERING, Settings
from mpbench.spec.messages import shortened
from mpbench.spec.queue_sizes import full_packets
from mpbench.spec.values import ANY_QUANTITY, Faults, Part, context
from mpbench.spec.worded_traits import WORDED, Tunnel, Worded
from topologies.impairments import Impairments
from topologies.parameters import Trait, traits
from topologies.queues import FRAME_BYTES
from topologies.shaping import Shape

T = TypeVar("T")

UP, DOWN = "up", "down"
WAYS = (UP, DOWN)
"""The direction of what users send, and the direction towards them."""


@dataclass(frozen=True)
class Both(Generic[T]):
    """Trait of each direction of a link; None for nothing."""

    up: T | None
    down: T | None

    def way(self, down: bool) -> T | None:
        return self.down if down else self.up

    @property
    def alike(self) -> bool:
        return self.up == self.down

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda both: {way: _plain(getattr(both, way)) for way in WAYS}
            ),
        )


def _plain(value: object) -> object:
    if isinstance(value, Settings):
        return dict(value.values) if value.missing else value.made
    return value.plain() if isinstance(value, queues.Given | Tunnel) else value


def _reader(read: Callable[[object], Any]) -> Callable[[object], Both[Any] | None]:
    """Reads what both directions have, or a mapping with what each has."""

    def read_both(value: object) -> Both[Any] | None:
        if value is None:
            return None
        if not isinstance(value, Mapping) or not set(value) & set(WAYS):
            found = read(value)
            return Both(found, found)
        faults = Faults()
        for key in value:
            if key not in WAYS:
                faults.add((str(key),), "stands beside directions; use up and down")
        ways: dict[str, Any] = dict.fromkeys(WAYS)
        for way in WAYS:
            if value.get(way) is None:
                continue
            try:
                ways[way] = read(value[way])
            except ValidationError as error:
                faults.add_all((way,), error)
            except ValueError as error:
                faults.add((way,), str(error))
        faults.raise_any()
        return Both(ways[UP], ways[DOWN])

    return read_both


def _alike(read: Callable[[object], Any]) -> Callable[[object], Both[Any] | None]:
    """Reads what both directions have, in a mapping too."""

    def read_alike(value: object) -> Both[Any] | None:
        if value is None:
            return None
        found = read(value)
        return Both(found, found)

    return read_alike


def _of_both(read: Callable[[object], Any]) -> BeforeValidator:
    return BeforeValidator(_reader(read))


def _completed(trait: str, read: Callable[[object, bool], Settings]) -> BeforeValidator:
    """Reads a trait whose keys may stand in the design, as factors of some link."""

    def read_both(value: object, info: ValidationInfo) -> Both[Settings] | None:
        partly = any(f".{trait}." in name for name in context(info).factors)
        return _reader(lambda one: read(one, partly))(value)

    return BeforeValidator(read_both)


def _schema(one: Any) -> JsonDict:
    """The JSON Schema of what `_of_both` reads."""
    ways: JsonDict = {
        "type": "object",
        "properties": {way: one for way in WAYS},
        "minProperties": 1,
        "additionalProperties": False,
    }
    return {"anyOf": [*one["anyOf"], ways]}


read_disciplines = _reader(queues.read)
"""A discipline of each direction. Raises ValueError or ValidationError."""
DISCIPLINE_SCHEMA = _schema(queues.SCHEMA)


NUMBERS: Mapping[str, Trait] = {
    each.key: each for of in (Impairments, Shape) for each in traits(of).values()
}
"""The traits that are a number, by their keys."""


def _reads_number(trait: Trait) -> BeforeValidator:
    """Reads a trait that is a number."""

    def read(value: object) -> float:
        if trait.unit == "%":
            return impairments.share(value)
        stated = trait.unit if trait.whole else None
        number = (
            full_packets(value, "give more")
            if trait.data
            else units.parse(value, trait.unit, stated)
        )
        fits = trait.low <= number <= trait.high
        if fits and not trait.whole:
            return number
        if fits and number == int(number):
            return int(number)
        unit = f"full packets of {FRAME_BYTES} bytes" if trait.data else trait.unit
        reason = f"{shortened(value)} is not within {trait.low:g} to {trait.high:g}"
        raise ValueError(f"{reason} {unit}; write e.g. {trait.key}: {trait.example}")

    def read_alike(value: object) -> Both[Any] | None:
        if isinstance(value, Mapping):
            reason = "both directions have the same; write e.g."
            raise ValueError(f"{reason} {trait.key}: {trait.example}")
        return _reader(read)(value)

    return BeforeValidator(read_alike if trait.alike else _reader(read))


def _number_schema(trait: Trait) -> JsonDict:
    one: JsonDict = ANY_QUANTITY
    if trait.whole:
        number: JsonDict = {
            "type": "integer",
            "minimum": trait.low,
            "maximum": trait.high,
        }
        one = {"anyOf": [number, {"type": "string"}]}
    return one if trait.alike else _schema(one)


VARIED: Mapping[str, Trait] = {
    **NUMBERS,
    **{key: of.number for key, of in WORDED.items() if of.number is not None},
}
"""The traits that a design varies as a whole, by their keys."""


class _Traits(Part):
    """The traits that are more than a number."""

    discipline: Annotated[Both[queues.Given] | None, _of_both(queues.read)] = Field(
        default=None,
        description="How the queue is managed: a name, or {name, ...}; or {up, down}.",
        json_schema_extra=DISCIPLINE_SCHEMA,
    )
    burst_loss: Annotated[
        Both[Settings] | None, _completed(BURST_LOSS, impairments.burst_loss)
    ] = Field(
        default=None,
        description="Loss in bursts, by the model of Gilbert and Elliott.",
        json_schema_extra=_schema(impairments.BURST_LOSS_SCHEMA),
    )
    reordering: Annotated[
        Both[Settings] | None, _completed(REORDERING, impairments.reordering)
    ] = Field(
        default=None,
        description="Packets that overtake others: their share, or {share, ...}.",
        json_schema_extra=_schema(impairments.REORDERING_SCHEMA),
    )

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keys that a file does not have do not enter the hash of its content."""
        values: dict[str, Any] = handler(self)
        absent = [key for key in TRAITS if getattr(self, key) is None]
        return {key: v for key, v in values.items() if key not in absent}

    @property
    def traits(self) -> dict[str, Both[Any]]:
        """Traits that the file gives, by key."""
        given = {key: getattr(self, key) for key in TRAITS}
        return {key: both for key, both in given.items() if both is not None}


def _field(trait: Trait) -> tuple[Any, Any]:
    """The annotation and the field of a trait that is a number."""
    schema = _number_schema(trait)
    more = Field(default=None, description=trait.doc, json_schema_extra=schema)
    return Annotated[Both[float] | None, _reads_number(trait)], more


def _worded_field(trait: Worded) -> tuple[Any, Any]:
    """The annotation and the field of a trait with words of its own."""
    schema = trait.schema if trait.alike else _schema(trait.schema)
    more = Field(default=None, description=trait.doc, json_schema_extra=schema)
    reads = BeforeValidator(_alike(trait.read)) if trait.alike else _of_both(trait.read)
    return Annotated[Both[Any] | None, reads], more


if TYPE_CHECKING:
    LinkTraits = _Traits
else:
    LinkTraits = create_model(
        "LinkTraits",
        __base__=_Traits,
        __doc__="The queue discipline of a link, and what the link does to packets.",
        **{key: _worded_field(trait) for key, trait in WORDED.items()},
        **{key: _field(trait) for key, trait in NUMBERS.items()},
    )
TRAITS = tuple(LinkTraits.model_fields)


def without_value(value: object) -> object:
    """`link1:` without a value is a link with the default parameters."""
    return {} if value is None else value
