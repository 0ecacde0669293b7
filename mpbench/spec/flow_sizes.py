"""Sizes of the transfers of the tool `flows`."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator
from pydantic.config import JsonDict

from jobs.entries.flow_sizes import cdf_fault
from mpbench.spec.traffic import Json
from mpbench.spec.values import ANY_QUANTITY, Faults, Part, Quantity

MOST_BYTES = 1e12
MOST_POINTS = 1000
"""Points of a distribution, and sizes of a list."""
DECIMALS = 9

Size = Annotated[float, Quantity("bytes", 1, MOST_BYTES)]


class Pareto(Part):
    """A Pareto distribution: P(S > s) = (least / s)^shape for s above `least`."""

    mean: Size = Field(description="Mean size.")
    shape: Annotated[float, Field(gt=1, le=100)] = Field(
        description="Exponent of the tail; the mean needs more than 1."
    )


class Exponential(Part):
    """An exponential distribution."""

    mean: Size = Field(description="Mean size.")


def _point(value: object) -> object:
    """A size and the part of the transfers that are no larger."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("expected a size and a probability, such as [10 kB, 0.5]")
    return value


Point = Annotated[
    tuple[
        Annotated[float, Quantity("bytes", 0, MOST_BYTES)],
        Annotated[float, Field(ge=0, le=1)],
    ],
    BeforeValidator(_point),
]


class Sizes(Part):
    """The sizes of transfers: all alike, from a distribution, or from a list."""

    fixed: Size | None = Field(default=None, description="All have this size.")
    pareto: Pareto | None = Field(
        default=None, description="Drawn from a Pareto distribution, {mean, shape}."
    )
    exponential: Exponential | None = Field(
        default=None, description="Drawn from an exponential distribution, {mean}."
    )
    sizes: Annotated[tuple[Size, ...], Field(max_length=MOST_POINTS)] | None = Field(
        default=None, alias="list", description="Taken in turn by each user."
    )
    cdf: (
        Annotated[tuple[Point, ...], Field(min_length=1, max_length=MOST_POINTS)] | None
    ) = Field(
        default=None,
        description="Drawn from a distribution function: the name of a file with a size"
        " in bytes and a probability per line, or a list of such pairs.",
        json_schema_extra=lambda schema: _cdf_schema(schema),
    )

    @model_validator(mode="after")
    def _one(self, info: ValidationInfo) -> Self:
        faults = Faults()
        given = [key for key in type(self).model_fields if getattr(self, key)]
        if not given:
            faults.add((), "says no size; write e.g. 'size: 70 kB'")
        for key in given[1:]:
            name = type(self).model_fields[key].alias or key
            faults.add((name,), f"{given[0]} is given too; take one away")
        if self.cdf is not None:
            reason = cdf_fault(self.cdf)
            if reason:
                faults.add(("cdf",), reason)
        faults.raise_any()
        return self

    def job(self) -> Json:
        """Draws of the sizes, as a job holds them."""
        if self.pareto is not None:
            mean, shape = self.pareto.mean, self.pareto.shape
            return {"kind": "pareto", "mean_bytes": mean, "shape": shape}
        if self.exponential is not None:
            return {"kind": "exponential", "mean_bytes": self.exponential.mean}
        if self.sizes is not None:
            return {"kind": "list", "bytes": [round(size) for size in self.sizes]}
        if self.cdf is not None:
            return {"kind": "cdf", "points": [list(point) for point in self.cdf]}
        return {"kind": "fixed", "bytes": round(self.fixed or 0)}


def _cdf_schema(schema: JsonDict) -> None:
    """In the JSON Schema: the name of a file will do."""
    points = {key: schema.pop(key) for key in list(schema) if key == "anyOf"}
    schema["anyOf"] = [{"type": "string"}, *points.get("anyOf", [])]  # type: ignore[misc]


def read_sizes(value: object) -> object:
    return value if isinstance(value, dict) else {"fixed": value}


def sizes_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a single size will do."""
    choices = schema.pop("anyOf", [])
    assert isinstance(choices, list)
    schema["anyOf"] = [*choices, *ANY_QUANTITY["anyOf"]]  # type: ignore[misc]
