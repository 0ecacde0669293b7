"""The key `repetitions`: how often each point and case runs, and how runs differ."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from mpbench.spec.messages import shortened
from mpbench.spec.values import Count, Part, Quantity

MOST = 100_000
LEAST_PERCENT, MOST_PERCENT = 0.001, 10.0
"""A change of delays stays small: the network is still the one that was asked for."""
FORM = "{count: 5, perturb: {delay: 0.5 %}}"


class Perturb(Part):
    """Small random changes of the network, drawn for each repetition."""

    delay: Annotated[float, Quantity("%", LEAST_PERCENT, MOST_PERCENT)] = Field(
        description="Each link's delay differs by up to this share, up or down."
    )


class Repetitions(Part):
    """Runs of each point and case.

    count : how many
    perturb : how the networks of repetitions differ; None for the same network
    """

    count: Count = Field(le=MOST, description="How many runs.")
    perturb: Perturb | None = Field(
        default=None,
        description="How the network of each repetition differs from the one asked"
        " for.",
    )

    @property
    def plain(self) -> Any:
        """The value for the hash of a file: a number where nothing is perturbed."""
        return self.count if self.perturb is None else self.model_dump(mode="json")


def given(value: object) -> object:
    """A number stands for so many repetitions of the same network.

    Raises ValueError with a one-line reason.
    """
    if isinstance(value, dict):
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"expected a whole number, or {FORM}")
    if value < 1:
        raise ValueError(f"{shortened(value)} is below 1, the least value that works")
    if value > MOST:
        reason = f"{shortened(value)} is above {MOST}, the greatest value that works"
        raise ValueError(reason)
    return {"count": value}


def schema(of_mapping: JsonDict) -> None:
    """In the JSON Schema: a number will do."""
    mapping = {"$ref": of_mapping.pop("$ref")}
    of_mapping["default"] = 1
    of_mapping["anyOf"] = [
        {"type": "integer", "minimum": 1, "maximum": MOST},
        mapping,
    ]


OnRepetitions = Annotated[Repetitions, BeforeValidator(given)]
