"""Theory in a figure: which model, and what it is to assume."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic.config import JsonDict

from analysis.campaign import figure_request
from mpbench.spec.values import OneOf, Part, Quantity

LEAST_RTT_S, MOST_RTT_S = 1e-6, 100.0
MODELS = tuple(figure_request.MODELS)
Text = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]


class Theory(Part):
    """A model of networks that a figure shows beside measurement."""

    model: Annotated[str, OneOf("model", MODELS)] = Field(
        description="; ".join(f"{k}: {v}" for k, v in figure_request.MODELS.items())
        + "."
    )
    controller: (
        Annotated[
            str, OneOf("controller of the models", figure_request.FLUID_CONTROLLERS)
        ]
        | None
    ) = Field(
        default=None,
        description="Of users with several paths; each case's own if not said.",
    )
    rtt: Annotated[float, Quantity("s", LEAST_RTT_S, MOST_RTT_S)] | None = Field(
        default=None,
        description="Round-trip time of all paths; the sum of delays if not said.",
    )
    queueing: Annotated[float, Quantity("s", 0, MOST_RTT_S)] = Field(
        default=0.0, description="What queues add to every round-trip time."
    )
    label: Text | None = Field(
        default=None, description="The model's name in the legend."
    )

    @property
    def record(self) -> figure_request.Theory:
        """The model as figures take it."""
        return figure_request.Theory(**dict(self))

    @model_validator(mode="after")
    def _fits_model(self) -> Self:
        if self.controller and self.model != "fluid":
            raise ValueError(f"controller is of the model fluid; {self.model} has none")
        return self


def _read(value: object) -> object:
    """The name of a model stands for the model without further keys."""
    return {"model": value} if isinstance(value, str) else value


def _schema(schema: JsonDict) -> None:
    """In the JSON Schema: the short form will do."""
    mapping = schema.pop("$ref", None)
    name: JsonDict = {"type": "string", "enum": list(MODELS)}
    schema["anyOf"] = [{"$ref": mapping}, name]


AnyTheory = Annotated[Theory, BeforeValidator(_read), Field(json_schema_extra=_schema)]
