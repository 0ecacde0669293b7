"""Queue disciplines in experiment files: `codel`, `{name: codel, target: 5 ms}`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults, OneOf
from topologies.queues import (
    CAKE,
    DROP_TAIL,
    FRAME_BYTES,
    NAMES,
    OPTIONS,
    Discipline,
    Option,
    Value,
    fault,
)

SIZE_UNITS = ("packets", "bytes", "ms")
"""Units of the size of a queue: a time is one at the link's capacity."""


NEVER_ZERO = {("pie", "alpha"), ("pie", "beta")}
"""Options that `tc` leaves as they are where 0 is asked for."""


@dataclass(frozen=True)
class Size:
    """An amount of data in a queue, as the file gives it. unit : of `SIZE_UNITS`"""

    number: float
    unit: str

    def bytes(self, capacity_mbps: float) -> int:
        """The size in bytes, rounded to whole bytes."""
        factor = {
            "packets": FRAME_BYTES,
            "bytes": 1.0,
            "ms": capacity_mbps * 1e3 / 8,
        }
        return round(self.number * factor[self.unit])


@dataclass(frozen=True)
class Given:
    """A discipline as the file gives it.

    values : pairs of an option's name and value, in alphabetical order
    """

    name: str
    values: tuple[tuple[str, Value | Size], ...] = ()

    def plain(self) -> object:
        """As text and numbers, for the hash of a file."""
        values = {
            key: f"{v.number:g} {v.unit}" if isinstance(v, Size) else v
            for key, v in self.values
        }
        return {"name": self.name, **values} if values else self.name

    def resolved(self, capacity_mbps: float) -> Discipline | None:
        """The discipline on a link; None for drop tail.

        capacity_mbps : of the direction that has the discipline

        Raises ValueError, with a one-line reason, for one that cannot be there.
        """
        if self.name == DROP_TAIL:
            return None
        given = dict(self.values)
        values: list[tuple[str, Value]] = []
        for option in OPTIONS[self.name]:
            value = given.get(option.name, _default(option))
            if isinstance(value, Size):
                value = value.bytes(capacity_mbps)
                if reason := option.fault(value):
                    raise ValueError(f"{self.name}: {option.name}: {reason}")
            values.append((option.key, value))
        found = Discipline(self.name, tuple(values))
        if reason := fault(found):
            raise ValueError(f"{self.name}: {reason}")
        return found

    @property
    def limits_itself(self) -> bool:
        """Whether the discipline does not use the size of the link's queue."""
        return self.name == CAKE


def _default(option: Option) -> Value | Size:
    default = option.default
    return Size(*default) if isinstance(default, tuple) else default


def read(value: object) -> Given:
    """A discipline of a file. Raises ValueError or ValidationError."""
    one_of = OneOf("discipline", NAMES)
    if not isinstance(value, Mapping):
        return Given(one_of.check(value))
    if "name" not in value:
        raise ValueError(f"without a name; write e.g. {{name: {NAMES[1]}}}")
    faults = Faults()
    name = ""
    try:
        name = one_of.check(value["name"])
    except ValueError as error:
        faults.add(("name",), str(error))
        faults.raise_any()
    known = {option.name: option for option in OPTIONS[name]}
    values = {}
    for key, given in value.items():
        if key == "name":
            continue
        try:
            option = _option(name, known, str(key))
            values[option.name] = _read_option(option, given)
            if (name, option.name) in NEVER_ZERO and not values[option.name]:
                limits = f"1 to {option.maximum:g}"
                raise ValueError(f"0 is out of range; {option.name} is {limits}")
        except ValueError as error:
            faults.add((str(key),), str(error))
    faults.raise_any()
    return Given(name, tuple(sorted(values.items())))


def _option(name: str, known: Mapping[str, Option], key: str) -> Option:
    if key in known:
        return known[key]
    if key == "limit":
        raise ValueError("the size of the queue has a key of the link; write 'queue:'")
    if not known:
        raise ValueError(f"{name} has no options; remove it")
    raise ValueError(f"{name} has no such option; {nearest(shortened(key), known)}")


def _read_option(option: Option, value: object) -> Value | Size:
    """The value of an option in its unit. Raises ValueError with a one-line reason."""
    if option.size:
        return read_size(value)
    found: Any = value
    if option.unit == "word":
        return OneOf(option.name, option.words).check(value)
    if option.unit and option.unit in units.KINDS:
        found = units.parse(value, option.unit)
    if value is None or (reason := option.fault(found)):
        raise ValueError("needs a value" if value is None else reason)
    if option.unit in ("", "bytes"):
        return int(found)
    return found  # type: ignore[no-any-return]


def read_size(value: object) -> Size:
    """A size in packets, bytes or time. Raises ValueError with a one-line reason."""
    reasons = []
    for unit in SIZE_UNITS:
        try:
            number = units.parse(value, unit)
        except ValueError as error:
            reasons.append(str(error))
            continue
        if number < 0:
            raise ValueError(f"{shortened(value)} is less than nothing")
        return Size(number, unit)
    wrong_kind = all("is needed" in reason for reason in reasons)
    hint = "packets, data or a time are needed, such as '25', '40 kB' or '30 ms'"
    raise ValueError(f"'{shortened(value)}': {hint}" if wrong_kind else reasons[0])


def _option_schema(option: Option) -> JsonDict:
    if option.unit == "switch":
        return {"type": "boolean"}
    if option.unit == "word":
        return {"type": "string", "enum": list(option.words)}
    return ANY_QUANTITY


def _schema(name: str) -> JsonDict:
    properties: JsonDict = {o.name: _option_schema(o) for o in OPTIONS[name]}
    return {
        "type": "object",
        "properties": {"name": {"const": name}, **properties},
        "required": ["name"],
        "additionalProperties": False,
    }


SCHEMA: JsonDict = {
    "anyOf": [{"type": "string", "enum": list(NAMES)}, *map(_schema, NAMES)]
}
"""The JSON Schema of a discipline."""
