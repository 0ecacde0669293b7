"""Traits of a link beside its numbers: a queue discipline, and impairments.

Each can differ between the directions of a link: `{up: ..., down: ...}`. A direction
that is not named has drop tail and no impairment.
"""

import re
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
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults, Part, context
from topologies.impairments import Impairments
from topologies.parameters import Trait, traits
from topologies.queues import FRAME_BYTES
from topologies.shaping import MOST_OVERHEAD_BYTES, Shape

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


TUNNELS: Mapping[str, int] = {
    "pppoe": 8,
    "ipip": 20,
    "gre": 24,
    "gtp": 36,
    "vxlan": 50,
    "wireguard": 60,
}
"""Bytes that tunnels over IPv4 add to each IP packet: PPPoE and PPP; an IP header; that
and GRE's; IP, UDP and GTP-U; IP, UDP, VXLAN and an Ethernet header; IP, UDP, and
WireGuard's header and tag."""
TUNNEL = "tunnel"
ROUTER, HOST, SENDER = "router", "host", "sender"
_TUNNEL_EXAMPLE = "tunnel: wireguard, or tunnel: {overhead: 60}"


@dataclass(frozen=True)
class Tunnel:
    """A tunnel over a link.

    overhead_bytes : what it adds to each packet
    at_host : whether it begins on the users' hosts, and not in a router
    """

    overhead_bytes: int
    at_host: bool = False

    def plain(self) -> dict[str, Any]:
        at = HOST if self.at_host else ROUTER
        return {"overhead": self.overhead_bytes, "at": at}


def _tunnel(value: object) -> Both[Tunnel] | None:
    """The tunnel of a link, which is the same in both directions."""
    if value is None:
        return None
    given = value if isinstance(value, Mapping) else {"overhead": value}
    faults = Faults()
    for key in given:
        if key not in ("overhead", "at"):
            hint = nearest(str(key), ("overhead", "at"))
            faults.add((str(key),), f"unknown key; {hint}")
    faults.raise_any()
    if "overhead" not in given:
        raise ValueError(f"needs 'overhead'; write e.g. {_TUNNEL_EXAMPLE}")
    at = given.get("at", ROUTER)
    if at not in (ROUTER, HOST):
        raise ValueError(f"at: {shortened(at)} is neither {ROUTER} nor {HOST}")
    found = Tunnel(_overhead(given["overhead"]), at == HOST)
    return Both(found, found)


def _overhead(value: object) -> int:
    """The bytes that a tunnel adds, from its name or their number."""
    if isinstance(value, str) and re.fullmatch(r"[a-z]\w*", value):
        if value not in TUNNELS:
            hint = f"{nearest(value, TUNNELS)}, or give its bytes: {{overhead: 60}}"
            raise ValueError(f"no tunnel '{shortened(value)}' is known; {hint}")
        return TUNNELS[value]
    number = units.parse(value, "bytes", "bytes")
    if not 0 <= number <= MOST_OVERHEAD_BYTES or number != int(number):
        reason = f"{shortened(value)} is not 0 to {MOST_OVERHEAD_BYTES} whole bytes"
        raise ValueError(f"{reason}; write e.g. {_TUNNEL_EXAMPLE}")
    return int(number)


def _shaper(value: object) -> str:
    """Who shapes a direction of a link: its router, or the host that sends."""
    if value not in (ROUTER, SENDER):
        raise ValueError(f"{shortened(value)} is neither {ROUTER} nor {SENDER}")
    return str(value)


_TUNNEL_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": MOST_OVERHEAD_BYTES},
        {"type": "string"},
        {
            "type": "object",
            "properties": {"overhead": ANY_QUANTITY, "at": {"enum": [ROUTER, HOST]}},
            "required": ["overhead"],
            "additionalProperties": False,
        },
    ]
}


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

    tunnel: Annotated[Both[Tunnel] | None, BeforeValidator(_tunnel)] = Field(
        default=None,
        description="A tunnel over the link: its name, its bytes per packet, or"
        " {overhead, at}.",
        json_schema_extra=_TUNNEL_SCHEMA,
    )

    shaper: Annotated[Both[str] | None, _of_both(_shaper)] = Field(
        default=None,
        description="Where packets wait and are delayed: 'router', or 'sender' for the"
        " interface of the host that sends; or {up, down}.",
        json_schema_extra=_schema({"anyOf": [{"enum": [ROUTER, SENDER]}]}),
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


if TYPE_CHECKING:
    LinkTraits = _Traits
else:
    LinkTraits = create_model(
        "LinkTraits",
        __base__=_Traits,
        __doc__="The queue discipline of a link, and what the link does to packets.",
        **{key: _field(trait) for key, trait in NUMBERS.items()},
    )
TRAITS = tuple(LinkTraits.model_fields)


def without_value(value: object) -> object:
    """`link1:` without a value is a link with the default parameters."""
    return {} if value is None else value
