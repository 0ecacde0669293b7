"""The users of the section `network:`, and their paths."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic.config import JsonDict
from pydantic_core import core_schema

from mpbench.spec import ranges
from mpbench.spec.messages import shortened
from mpbench.spec.network_links import Value, value_of
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import (
    ANY_QUANTITY,
    Faults,
    Part,
)
from topologies import networks
from topologies.parameters import (
    users_parameter,
)

PATH_KEYS = ("links", "backup")
_PATH: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "links": {"type": "string"},
                "backup": {"type": "boolean"},
            },
            "required": ["links"],
            "additionalProperties": False,
        },
    ]
}
"""The JSON Schema of a path."""


@dataclass(frozen=True)
class Path:
    """A path. backup : whether MPTCP uses it only when no other path works"""

    links: tuple[str, ...]
    backup: bool = False

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(_plain),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonDict:
        return _PATH


def _plain(path: Path) -> object:
    """A path for the hash of a file: its links alone, unless it is a backup."""
    links = list(path.links)
    return {"links": links, "backup": True} if path.backup else links


def _path(value: object) -> Path:
    """A path: its links, or a mapping of `links` and `backup`."""
    if not isinstance(value, Mapping):
        return Path(_links(value))
    faults = Faults()
    for key in value:
        if key not in PATH_KEYS:
            hint = nearest(shortened(key), PATH_KEYS)
            faults.add((str(key),), f"unknown key; {hint}")
    if "links" not in value:
        faults.add((), "without its links; write {links: link1 link2, backup: true}")
    backup = value.get("backup", False)
    if not isinstance(backup, bool):
        faults.add(("backup",), "expected true or false")
    faults.raise_any()
    return Path(_links(value["links"]), backup)


def _links(text: object) -> tuple[str, ...]:
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
        except ValidationError as error:
            faults.add_all((index,), error)
        except ValueError as error:
            faults.add((index,), str(error))
    faults.raise_any()
    return tuple(paths)


def _paths_schema(schema: JsonDict) -> None:
    text: JsonDict = {"type": "string"}
    schema.clear()
    schema |= {"anyOf": [text, {"type": "array", "items": _PATH, "minItems": 1}]}


class NetworkUser(Part):
    """A host that opens connections, and the paths to its server."""

    paths: Annotated[tuple[Path, ...], BeforeValidator(_paths)] = Field(
        description="Each path as a string of links, in order from the user, or as"
        " {links, backup}.",
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
            {"type": "array", "items": _PATH, "minItems": 1},
        ]
    }


Users = Annotated[
    dict[str, Annotated[NetworkUser, BeforeValidator(_user)]],
    Field(min_length=1, json_schema_extra=_user_schema),
]
