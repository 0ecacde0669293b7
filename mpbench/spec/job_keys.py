"""Keys of the top level of a file whose values stand in the job as they are.

    settle: Annotated[float, Quantity("s", 0, 60), ToJob("settle_s", varied=True)]

Such a key is marked where the file's keys stand, in `mpbench.spec.sections`. The plan
gives its value to the field of the job, and with `varied` the key is a factor too.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mpbench.spec.values import Faults, Part, Quantity
from topologies import Parameter


@dataclass(frozen=True)
class ToJob:
    """Marks a key of the top level.

    field : of `jobs.Job`, which takes the value
    varied : whether a design can vary it; the key is a `Quantity` then
    """

    field: str
    varied: bool = False


def marked(keys: type[Part]) -> Iterator[tuple[str, ToJob]]:
    """The marked keys of a model, each with its mark."""
    for name, field in keys.model_fields.items():
        yield from ((name, one) for one in field.metadata if isinstance(one, ToJob))


def parameters(keys: type[Part], factors: Collection[str]) -> dict[str, Parameter]:
    """The factors that are marked keys, by name. factors : the names of all factors"""
    found = {}
    for name, mark in marked(keys):
        if not mark.varied or name not in factors:
            continue
        field = keys.model_fields[name]
        (within,) = (one for one in field.metadata if isinstance(one, Quantity))
        found[name] = Parameter(
            name,
            within.unit,
            mark.field,
            field.default,
            within.low,
            within.high,
            False,
            field.description or "",
        )
    return found


def check(values: Part, factors: Collection[str], faults: Faults) -> None:
    """Adds the faults of marked keys that the file gives and varies too."""
    for name in parameters(type(values), factors):
        if name in values.model_fields_set:
            faults.add((name,), "a factor of the design too; take one away")


def of_job(values: Part, point: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a job that marked keys give.

    point : name of a factor to its value
    """
    found = {}
    for name, mark in marked(type(values)):
        given = getattr(values, name)
        found[mark.field] = point.get(name, given) if mark.varied else given
    return found
