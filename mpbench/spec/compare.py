"""The question of an experiment: `compare`, with the baseline and what is better."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
)
from pydantic.config import JsonDict

from analysis.campaign.directions import LESS, MORE, NONE, Direction, direction
from analysis.campaign.question import EQUAL_WITHIN_PERCENT
from mpbench.spec.kernel_factor import OWN
from mpbench.spec.own_metrics import DOT, MetricName
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import OneOf, Part, Quantity, check_each, context
from mpbench.spec.vocabulary import METRICS

WAYS: tuple[Direction, ...] = (MORE, LESS)
FORM = "expected metrics, each with more or less; write {goodput: more}"
LIMITS_FORM = "expected metrics, each with a percentage; write {goodput: 1 %}"
TIMES = ("_ms", "_s")
"""The ends of columns of which less is usually better."""
TOLERATED = Quantity("%", 0, 100, usual="%")


def _baseline(name: str, info: ValidationInfo) -> str:
    cases = context(info).cases
    if cases and name not in cases:
        raise ValueError(f"there is no case '{name}'; {nearest(name, cases)}")
    return name


def _kernel(name: str, info: ValidationInfo) -> str:
    known = context(info).kernels
    if name not in known and name != OWN:
        hint = nearest(name, known) if known else "name some in 'kernels'"
        raise ValueError(f"there is no kernel '{name}'; {hint}")
    return name


def _pairs(value: object) -> Iterable[tuple[str, object]]:
    """The metrics with their directions; a name alone has none yet.

    Raises ValueError for another form.
    """
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, str):
        yield value, None
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, list):
                raise ValueError(FORM)
            yield from _pairs(each)
    else:
        raise ValueError(FORM)


def _better(value: object) -> dict[str, str]:
    """The direction of each metric, whichever form the file has.

    Raises ValueError, or ValidationError with all faults.
    """
    found: dict[str, object] = {}
    for name, way in _pairs(value):
        if name in found:
            raise ValueError(f"'{name}' comes twice; take one away")
        found[name] = way
    if not found:
        raise ValueError("empty; give at least one, such as {goodput: more}")
    return check_each(found, _way)


def _way(name: str, way: object) -> str:
    """The direction of a metric: the one that is given, or else the usual one."""
    MetricName().check(name)
    if way is not None:
        return OneOf("direction", WAYS).check(way)
    usual = direction(name.rpartition(DOT)[2], {})
    if usual == NONE:
        ways = (LESS,) if name.endswith(TIMES) else (MORE, LESS)
        answers = " or ".join(f"'{name}: {each}'" for each in ways)
        raise ValueError(f"say whether more or less is better: {answers}")
    return usual


def _limits(value: object) -> dict[str, float]:
    """The percentage of each metric. Raises ValueError, or ValidationError with all
    faults."""
    if not isinstance(value, dict) or not value:
        raise ValueError(LIMITS_FORM)
    return check_each(value, _limit)


def _limit(name: str, value: object) -> float:
    MetricName().check(name)
    return TOLERATED.check(value)


def _limits_schema(schema: JsonDict) -> None:
    schema.clear()
    schema |= {
        "type": "object",
        "propertyNames": MetricName().schema(),
        "additionalProperties": TOLERATED.schema(),
        "minProperties": 1,
    }


def _schema(schema: JsonDict) -> None:
    """In the JSON Schema: a mapping, or a list of mappings and names."""
    mapping: JsonDict = {
        "type": "object",
        "propertyNames": MetricName().schema(),
        "additionalProperties": {"type": "string", "enum": list(WAYS)},
        "minProperties": 1,
    }
    name = MetricName().schema()
    listed: JsonDict = {
        "type": "array",
        "items": {"anyOf": [mapping, name]},
        "minItems": 1,
    }
    schema.clear()
    schema["anyOf"] = [mapping, listed, name]


class Compare(Part):
    """The comparison of all other cases with the baseline, in some metrics."""

    baseline: Annotated[str, AfterValidator(_baseline)] | None = Field(
        default=None,
        description="The case that the others are compared with; the first if not"
        " said.",
    )
    kernel: Annotated[str, AfterValidator(_kernel)] | None = Field(
        default=None,
        description="The kernel that the others are compared with, under each"
        " transport; 'own' for mpbench's own.",
    )
    better: Annotated[dict[str, str], BeforeValidator(_better)] | None = Field(
        default=None,
        description="The metrics that count, each with the direction that is better:"
        " more or less.",
        json_schema_extra=_schema,
    )
    equal_within: Annotated[float, Quantity("%", 0, 100)] = Field(
        default=EQUAL_WITHIN_PERCENT,
        description="A difference that counts as none, in percent of the baseline.",
    )
    limits: Annotated[dict[str, float], BeforeValidator(_limits)] | None = Field(
        default=None,
        description="How much worse than the baseline another case may be, per metric,"
        " in the median over networks; judged by `mpbench run --tap`.",
        json_schema_extra=_limits_schema,
    )

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A key that a file does not have does not enter the hash of its content."""
        values: dict[str, Any] = handler(self)
        for key in ("kernel", "limits"):
            if getattr(self, key) is None:
                values.pop(key, None)
        return values


def with_metrics(values: object) -> object:
    """The values of a file, with the metrics of its question and limits among its
    metrics.

    A faulty question adds none; its own checks name the fault.
    """
    if not isinstance(values, dict) or not isinstance(values.get("compare"), dict):
        return values
    given = values.get("metrics", ["goodput"])
    try:
        asked = [name for name, _ in _pairs(values["compare"].get("better", []))]
    except ValueError:
        return values
    limits = values["compare"].get("limits")
    asked += limits if isinstance(limits, dict) else ()
    if not isinstance(given, list | tuple):
        return values
    wanted = [n if n in METRICS else str(n).rpartition(DOT)[2] for n in asked]
    more = [n for n in dict.fromkeys(wanted) if n in METRICS and n not in given]
    return {**values, "metrics": [*given, *more]} if more else values


def directions(better: Mapping[str, str]) -> dict[str, Direction]:
    """The directions of a question as figures and pages take them."""
    return {name: MORE if way == MORE else LESS for name, way in better.items()}
