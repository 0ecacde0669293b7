"""The key `fabric`: the network as a table in the guest's kernel, without routers."""

from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from mpbench.spec.values import OneOf, Part
from topologies import Description
from topologies.fabric import CHOICES, LIMITS

TCLINK = ("minitopo",)
"""Topologies whose links are Mininet's TCLink."""


class Fabric(Part):
    """How the fabric forwards."""

    choose: Annotated[str, OneOf("choice", CHOICES)] = Field(
        default=CHOICES[0],
        description="How a new flow picks one of several paths between two addresses:"
        " `rotate`, `hash` or `random`.",
    )

    limit: Annotated[str, OneOf("limit", LIMITS)] = Field(
        default=LIMITS[0],
        description="What a queue of N packets holds: the `bytes` of N full packets, or"
        " N `packets` of any size.",
    )

    def job(self) -> dict[str, str]:
        own = {} if self.limit == LIMITS[0] else {"limit": self.limit}
        return {"choose": self.choose, **own}


def switched(value: object) -> object:
    """`true` stands for the fabric with its defaults, `false` for none."""
    if isinstance(value, bool):
        return {} if value else None
    if isinstance(value, dict):
        return value
    raise ValueError("expected true, false or {choose: hash}")


def switch_schema(schema: JsonDict) -> None:
    """In the JSON Schema: `true` and `false` will do."""
    choices = schema.pop("anyOf", [])
    assert isinstance(choices, list)
    schema["anyOf"] = [*choices, {"type": "boolean"}]


OnFabric = Annotated[Fabric | None, BeforeValidator(switched)]


def fault(topology: Description) -> str:
    """Why a topology cannot run on the fabric; empty if it can."""
    if topology.name in TCLINK:
        return (
            f"{topology.name} has links of Mininet's own kind, which the fabric does"
            " not have; take the topology two_path"
        )
    return ""
