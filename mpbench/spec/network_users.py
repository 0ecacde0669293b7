"""The users of the section `network:`, and their paths."""

from typing import Annotated

from pydantic import (
    BeforeValidator,
    Field,
)
from pydantic.config import JsonDict

from mpbench.spec import ranges
from mpbench.spec.messages import shortened
from mpbench.spec.network_links import Value, value_of
from mpbench.spec.values import (
    ANY_QUANTITY,
    Faults,
    Part,
)
from topologies import networks
from topologies.parameters import (
    users_parameter,
)


def _path(text: object) -> tuple[str, ...]:
    """The links of a path, such as `access1 bottleneck` or `link1..4`."""
    if not isinstance(text, str):
        reason = f"'{shortened(text)}' is not a path"
        raise ValueError(f"{reason}; write its links in order: 'link1 link2'")
    if "," in text:
        raise ValueError(f"'{shortened(text)}': write spaces between links, no commas")
    return tuple(name for word in text.split() for name in ranges.names(word))


def _paths(value: object) -> object:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise ValueError("expected a list of paths, such as [link1, link2 link3]")
    if not value:
        raise ValueError("empty; give at least one path, such as [link1]")
    faults = Faults()
    paths = []
    for index, text in enumerate(value[: networks.MOST_PATHS + 1]):
        try:
            paths.append(_path(text))
        except ValueError as error:
            faults.add((index,), str(error))
    faults.raise_any()
    return tuple(paths)


def _paths_schema(schema: JsonDict) -> None:
    text: JsonDict = {"type": "string"}
    schema.clear()
    schema |= {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]}


class NetworkUser(Part):
    """A host that opens connections, and the paths to its server."""

    paths: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_paths)] = Field(
        description="Each path as a string of links, in order from the user.",
        json_schema_extra=_paths_schema,
    )
    users: Annotated[Value | None, value_of(users_parameter("NAME"))] = Field(
        default=None,
        description="How many users the host stands for; it can vary as NAME.users.",
        json_schema_extra=ANY_QUANTITY,
    )
    to: str | None = Field(
        default=None,
        description="Name of the host at the other end; server_NAME if not said.",
    )


def _user(value: object) -> object:
    return {"paths": value} if isinstance(value, str | list) else value


def _user_schema(schema: JsonDict) -> None:
    items = schema.pop("additionalProperties", {})
    schema["additionalProperties"] = {
        "anyOf": [
            items,
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
        ]
    }


Users = Annotated[
    dict[str, Annotated[NetworkUser, BeforeValidator(_user)]],
    Field(min_length=1, json_schema_extra=_user_schema),
]
