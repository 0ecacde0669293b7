"""Queue disciplines as factors: `path1.discipline: [drop_tail, codel]`.

The values are words, so a design crosses them and cannot spread points between them.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from mpbench.spec import queues
from mpbench.spec.link_traits import (
    DISCIPLINE_SCHEMA,
    DOWN,
    UP,
    Both,
    read_disciplines,
)
from mpbench.spec.messages import MOST_FAULTS, shortened
from mpbench.spec.values import Faults, Part
from topologies import Description, Parameter
from topologies.queues import DROP_TAIL, OPTIONS

KEY = "discipline"
SUFFIX = f".{KEY}"
MOST_CHOICES = 16
"""Disciplines of a list; a figure shows as many groups."""
EXAMPLE = "[drop_tail, codel, fq_codel]"
MININET = "minitopo"
"""The topology whose links are Mininet's."""

Disciplines = Both[queues.Given]


class Choices(Part):
    """Queue disciplines of a link that a design crosses with all else."""

    values: Annotated[tuple[Disciplines, ...], BeforeValidator(lambda v: _read(v))] = (
        Field(
            description="The disciplines, each as a link's key `discipline` has it.",
            json_schema_extra={
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_CHOICES,
                "items": DISCIPLINE_SCHEMA,
            },
        )
    )

    @property
    def by_label(self) -> dict[str, Disciplines]:
        """The disciplines by their names in the table of runs."""
        return {label(value): value for value in self.values}


def _read(value: object) -> tuple[Disciplines, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"expected a list of queue disciplines, such as {EXAMPLE}")
    if len(value) > MOST_CHOICES:
        raise ValueError(
            f"{len(value)} disciplines; give up to {MOST_CHOICES}, or several files"
        )
    faults = Faults()
    found: dict[str, Disciplines] = {}
    for index, raw in enumerate(value):
        if len(faults.found) > MOST_FAULTS:  # no more would be shown
            break
        try:
            given = read_disciplines(raw)
        except ValueError as error:
            _add(faults, index, error)
            continue
        if given is None:
            faults.add((index,), f"needs a name; write {DROP_TAIL} for a plain queue")
        elif label(given) in found:
            faults.add((index,), f"'{shortened(raw)}' is in the list already")
        else:
            found[label(given)] = given
    faults.raise_any()
    return tuple(found.values())


def _add(faults: Faults, index: int, error: ValueError) -> None:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        faults.add_all((index,), error)
    else:
        faults.add((index,), str(error))


def read(name: str, raw: object, topology: Description) -> Choices:
    """The factor of that name. Raises ValueError or ValidationError."""
    if topology.name == MININET:
        raise ValueError("links of Mininet's have drop tail only; take two_path")
    if isinstance(raw, Mapping) and {"min", "max"} & set(raw):
        raise ValueError(f"disciplines have no range; write a list, such as {EXAMPLE}")
    if not isinstance(raw, Mapping):
        raw = {"values": raw}
    return Choices.model_validate(raw)


def link_of(name: str, topology: Description | None) -> str | None:
    """The link whose discipline a name stands for; None for any other name."""
    link = name.removesuffix(SUFFIX)
    known = topology is not None and link in topology.links
    return link if known and link != name else None


def names(topology: Description) -> list[str]:
    """Names that can be a factor beside the parameters."""
    if topology.name == MININET:
        return []
    return [link + SUFFIX for link in topology.links]


def parameter(name: str) -> Parameter:
    """The factor as a parameter, which has no default and no number."""
    return Parameter(name, "", name, None, 0, 0, False, "how the queue is managed")


def label(both: Disciplines) -> str:
    """A discipline in the table of runs: `codel`, or `codel (target 5 ms)`."""
    up, down = _words(both.up), _words(both.down)
    return up if up == down else f"{UP} {up}, {DOWN} {down}"


def _words(given: queues.Given | None) -> str:
    if given is None:
        return DROP_TAIL
    units = {option.name: option.unit for option in OPTIONS[given.name]}
    options = [f"{name} {_value(v, units[name])}" for name, v in given.values]
    return f"{given.name} ({', '.join(options)})" if options else given.name


def _value(value: Any, unit: str) -> str:
    if isinstance(value, queues.Size):
        return f"{value.number:g} {value.unit}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if unit in ("", "word"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return f"{value:g} {unit}"
