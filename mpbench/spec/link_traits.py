"""Traits of a link beside its numbers: a queue discipline, and impairments.

Each can differ between the directions of a link: `{up: ..., down: ...}`. A direction
that is not named has drop tail and no impairment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeGuard, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
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
from topologies.queues import FRAME_BYTES
from topologies.shaping import LEAST_MTU_BYTES, MOST_BURST_PACKETS, MOST_MTU_BYTES

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
    return value.plain() if isinstance(value, queues.Given) else value


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


def _mtu(value: object) -> Both[int] | None:
    """The mtu of a link, which is the same in both directions."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        raise ValueError("both directions have the same; write e.g. mtu: 1400")
    number = value if _is_whole(value) else units.parse(value, "bytes")
    if not LEAST_MTU_BYTES <= number <= MOST_MTU_BYTES or number != int(number):
        reason = f"{shortened(value)} is not within {LEAST_MTU_BYTES} to"
        raise ValueError(f"{reason} {MOST_MTU_BYTES} bytes; write e.g. mtu: 1400")
    return Both(int(number), int(number))


def _bucket(value: object) -> int:
    """The depth of a token bucket in full packets, from packets or data."""
    packets = full_packets(value, "give more")
    if not 1 <= packets <= MOST_BURST_PACKETS or packets != int(packets):
        reason = f"{shortened(value)} is not 1 to {MOST_BURST_PACKETS} full packets"
        raise ValueError(f"{reason} of {FRAME_BYTES} bytes; write e.g. bucket: 10")
    return int(packets)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


_MTU_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "integer", "minimum": LEAST_MTU_BYTES, "maximum": MOST_MTU_BYTES},
        {"type": "string"},
    ]
}


class LinkTraits(Part):
    """The queue discipline of a link, and what the link does to packets."""

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
    duplication: Annotated[Both[float] | None, _of_both(impairments.share)] = Field(
        default=None,
        description="Share of packets that arrive twice.",
        json_schema_extra=_schema(ANY_QUANTITY),
    )
    corruption: Annotated[Both[float] | None, _of_both(impairments.share)] = Field(
        default=None,
        description="Share of packets of which one bit is changed.",
        json_schema_extra=_schema(ANY_QUANTITY),
    )

    mtu: Annotated[Both[int] | None, BeforeValidator(_mtu)] = Field(
        default=None,
        description="Largest IP packet in bytes, 576 to 9216; 1500 if not said.",
        json_schema_extra=_MTU_SCHEMA,
    )

    bucket: Annotated[Both[int] | None, _of_both(_bucket)] = Field(
        default=None,
        description="Depth of the token bucket, in full packets or as data; 2 if not"
        " said.",
        json_schema_extra=_schema(ANY_QUANTITY),
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


TRAITS = tuple(LinkTraits.model_fields)


def without_value(value: object) -> object:
    """`link1:` without a value is a link with the default parameters."""
    return {} if value is None else value
