"""Parts of a link's discipline and impairments as factors: `path1.burst_loss.length`.

A name is the place in the file: the link, the key, a direction (`up` or `down`) if the
factor is of one alone, and the key below it. A number is a factor as any parameter. An
option with words, such as `path1.discipline.ecn`, has a list of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor, isnan
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from mpbench import units
from mpbench.spec.choices import KEY as DISCIPLINE
from mpbench.spec.choices import MININET
from mpbench.spec.factor_units import SUFFIXES, unit_of
from mpbench.spec.impairments import BURST_LOSS, MOST_MS, MOST_PACKETS, REORDERING
from mpbench.spec.link_traits import VARIED, WAYS
from mpbench.spec.messages import shortened
from mpbench.spec.queues import NEVER_ZERO, SIZE_UNITS
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Part
from topologies import Description, Parameter
from topologies.parameters import Trait
from topologies.queues import FRAME_BYTES, OPTIONS, Option

SWITCH = ("false", "true")
PATTERN = (
    rf"^\w+\.(burst_loss|reordering|{DISCIPLINE})\.((up|down)\.)?[a-z_]+$"
    rf"|^\w+\.({'|'.join(VARIED)})(\.(up|down))?$"
)
"""Of the names, for editors."""
MOST_SIZE_MS = 100_000.0
"""Of an option of a queue that is a time at the link's capacity."""


@dataclass(frozen=True)
class Number:
    """The values of a key that is a number, in the canonical unit `unit`.

    positive : whether 0 cannot be; below : whether `high` itself cannot be
    """

    unit: str
    low: float
    high: float
    positive: bool = False
    below: bool = False
    whole: bool = False
    doc: str = ""

    @classmethod
    def of(cls, trait: Trait) -> "Number":
        """The values of a factor that is a whole trait; a share may be 0, for none."""
        return cls(
            trait.unit,
            trait.low,
            trait.high,
            below=trait.unit == "%",
            whole=trait.whole,
            doc=trait.doc,
        )


_SHARE = Number("%", 0, 100, below=True, doc="share of packets; 0 for none")
_PERCENT = Number("%", 0, 100, doc="probability")
NUMBERS: Mapping[str, Mapping[str, Number]] = {
    BURST_LOSS: {
        "share": _SHARE,
        "length": Number("packets", 1, MOST_PACKETS, doc="mean length of a burst"),
        "enter": _SHARE,
        "leave": replace(_PERCENT, positive=True),
        "bad": _PERCENT,
        "good": _PERCENT,
    },
    REORDERING: {
        "share": _SHARE,
        "correlation": _PERCENT,
        "by": Number("ms", 0, MOST_MS, positive=True, doc="how much earlier"),
    },
    **{key: {"": Number.of(trait)} for key, trait in VARIED.items()},
}
"""The keys of every trait but the discipline; an empty key is the trait itself."""


@cache
def _options() -> Mapping[str, Option]:
    """The options of all disciplines. Those of one name have the same values."""
    return {o.name: o for options in OPTIONS.values() for o in options}


@dataclass(frozen=True)
class TraitKey:
    """The part of a link that a factor varies.

    trait : `discipline`, `burst_loss` and so on
    way : the direction; None for both
    key : below the trait; empty for a trait that is a number
    """

    link: str
    trait: str
    way: str | None
    key: str

    @property
    def option(self) -> Option | None:
        """The option of a discipline; None for a key of an impairment."""
        return _options()[self.key] if self.trait == DISCIPLINE else None

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the factor can have; none for numbers."""
        if self.option is None:
            return ()
        return SWITCH if self.option.unit == "switch" else self.option.words

    def parameter(self, name: str, unit: str | None = None) -> Parameter:
        """The factor as a parameter.

        unit : as the factor spells it, which matters for sizes of queues
        """
        number = self._number(unit)
        return Parameter(
            name,
            number.unit,
            f"{name}{SUFFIXES.get(number.unit, '')}",
            None,
            number.low,
            number.high,
            number.whole,
            number.doc,
        )

    def _number(self, unit: str | None) -> Number:
        option = self.option
        if option is None:
            return NUMBERS[self.trait][self.key]
        if self.words:
            return Number("", 0, 0, doc=option.doc)
        if option.size:
            return _size(option, size_unit(unit))
        never_zero = any(key == option.name for _, key in NEVER_ZERO)
        low = 1.0 if never_zero else option.minimum
        whole = option.unit in ("", "bytes")
        return Number(option.unit, low, option.maximum, whole=whole, doc=option.doc)

    def fault(self, name: str, number: float, ranged: bool) -> str:
        """Reason why a number within the parameter's bounds cannot be; empty if it can.

        ranged : whether it is an end of a range
        """
        option = self.option
        if option is None:
            wanted = NUMBERS[self.trait][self.key]
            if number == 0 and wanted.positive:
                return f"0 {wanted.unit} is out of range; {name} is above 0"
            if number == wanted.high and wanted.below:
                limit = f"{wanted.high:g} {wanted.unit}"
                return f"{limit} is out of range; {name} is below {limit}"
            return ""
        if option.size:
            return ""
        if option.power and ranged:
            return "a power of two is needed; write a list, such as [4, 8, 16]"
        return option.fault(number)


def _size(option: Option, unit: str) -> Number:
    """The size of a queue in one of its units."""
    if unit == "ms":
        return Number(unit, 0, MOST_SIZE_MS, positive=True, doc=option.doc)
    if unit == "packets":
        low = ceil(option.minimum / FRAME_BYTES)
        high = floor(option.maximum / FRAME_BYTES)
        return Number(unit, low, high, whole=True, doc=option.doc)
    return Number(unit, option.minimum, option.maximum, whole=True, doc=option.doc)


def size_unit(spelled: str | None) -> str:
    """The canonical unit of a queue's size, from the unit as a factor spells it."""
    for unit in SIZE_UNITS:
        try:
            units.check_unit(spelled or SIZE_UNITS[0], unit)
        except ValueError:
            continue
        return unit
    return SIZE_UNITS[0]


def parse(name: str) -> TraitKey | None:
    """The part of a link that a name stands for; None for any other name."""
    parts = name.split(".")
    for place, trait in enumerate(parts[1:], start=1):
        if trait != DISCIPLINE and trait not in NUMBERS:
            continue
        rest = parts[place + 1 :]
        alike = trait in VARIED and VARIED[trait].alike
        way = rest.pop(0) if rest and rest[0] in WAYS and not alike else None
        key = rest.pop(0) if rest else ""
        known = _options() if trait == DISCIPLINE else NUMBERS[trait]
        if not rest and key in known:
            return TraitKey(".".join(parts[:place]), trait, way, key)
    return None


def of_name(name: str, topology: Description | None) -> TraitKey | None:
    """The part of a topology's link that a name stands for; None for others."""
    found = parse(name)
    known = found is not None and topology is not None and found.link in topology.links
    return found if known else None


def names(link: str) -> list[str]:
    """The names that can be factors of a link's discipline and impairments."""
    of_numbers = [(t, key) for t, keys in NUMBERS.items() for key in keys]
    found = [*of_numbers, *((DISCIPLINE, key) for key in _options())]
    return [f"{link}.{trait}.{key}".rstrip(".") for trait, key in found]


def given(
    raw_factors: Mapping[Any, object], topology: Description
) -> dict[str, Parameter]:
    """The factors of a design that are parts of links and numbers, by name.

    raw_factors : as the file has them
    """
    found = {}
    for name, raw in raw_factors.items():
        at = of_name(str(name), topology)
        if at is not None and not at.words:
            found[str(name)] = at.parameter(str(name), unit_of(raw))
    return found


class Words(Part):
    """Words of an option that a design crosses with all else."""

    values: Annotated[tuple[str, ...], BeforeValidator(lambda v: _texts(v))] = Field(
        description="The words; true and false for a switch.",
        json_schema_extra={
            "type": "array",
            "minItems": 1,
            "items": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        },
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def read_words(raw: object, at: TraitKey) -> Words:
    """The factor of an option with words. Raises ValueError or ValidationError."""
    if isinstance(raw, dict) and set(raw) == {"values"}:
        raw = raw["values"]
    example = f"[{', '.join(at.words[:2])}]"
    if not isinstance(raw, list) or not raw:
        raise ValueError(f"expected a list of words, such as {example}")
    faults = Faults()
    found: dict[str, None] = {}
    switch = at.words == SWITCH
    for index, value in enumerate(raw[: 2 * len(at.words)]):
        word = str(value).lower() if isinstance(value, bool) and switch else value
        if (
            not isinstance(word, str)
            or word not in at.words
            or switch != (isinstance(value, bool))
        ):
            hint = nearest(shortened(value), at.words)
            if switch:
                hint = "expected true or false"
            faults.add((index,), f"'{shortened(value)}': {hint}")
        elif word in found:
            faults.add((index,), f"'{word}' is in the list already")
        else:
            found[word] = None
    faults.raise_any()
    return Words(values=tuple(found))


def refusal(name: str, topology: Description) -> str:
    """Reason why a name of a link's part is no parameter; empty for other names."""
    at = of_name(name, topology)
    if at is None:
        return ""
    if at.words:
        return "a word, and a number is needed here; take another factor"
    return "no number that varies; vary it as a factor, or set it under 'links'"


def hint(name: str, topology: Description) -> str:
    """Names like a name that begins with a link's; empty for other names."""
    link, _, rest = name.partition(".")
    if link not in topology.links or topology.name == MININET:
        return ""
    trait = rest.partition(".")[0]
    whole = f"{link}.{trait}"
    near = [n for n in names(link) if n == whole or n.startswith(f"{whole}.")]
    return nearest(name, near) if near else ""


def check(at: TraitKey, name: str, factor: Any) -> None:
    """Raises ValidationError for a number of a factor that its key cannot have."""
    faults = Faults()
    if factor.values is not None:
        for index, number in enumerate(factor.values):
            if not isnan(number) and (reason := at.fault(name, number, False)):
                faults.add((index,), reason)
    else:
        for key, number in zip(("min", "max"), factor.ends, strict=True):
            if reason := at.fault(name, number, True):
                faults.add((key,), reason)
                break
        step = at.option.step if at.option else 0.0
        if step and factor.step and factor.step % step:
            faults.add(("step",), f"not a multiple of {step:g} ms")
    faults.raise_any()
