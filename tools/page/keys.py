"""The keys of the load of a page."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from analysis.campaign.directions import LESS, NONE, Direction
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import Count, Faults, Name, OneOf, Part, Quantity
from mpbench.spec.varied import START, TIMEOUT, Varied
from tools.page.columns import CONNECTIONS, LOADED, OBJECT, TIMES
from tools.page.model import PAGES
from tools.page.record import (
    LEAST_REQUEST_BYTES,
    MOST_CONNECTIONS,
    MOST_OBJECTS,
    MOST_ORIGINS,
    MOST_REQUEST_BYTES,
    in_turn,
)

MOST_BYTES = 1e9


def _names(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _names_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a single name will do."""
    several = dict(schema)
    schema.clear()
    schema["anyOf"] = [several, {"type": "string"}]


class Item(Part):
    """One object of a page."""

    name: Name | None = Field(default=None, description="What others wait for it by.")
    size: Annotated[float, Quantity("bytes", 1, MOST_BYTES, usual="B")] = Field(
        description="Size of its body."
    )
    after: Annotated[tuple[str, ...], BeforeValidator(_names)] | None = Field(
        default=None,
        description="Names of the objects that must have arrived before it is"
        " requested; the first object if not said, and [] for none.",
        json_schema_extra=_names_schema,
    )
    wait: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, description="Time after that, such as that to parse a script."
    )
    origin: Name | None = Field(
        default=None, description="The origin that serves it; one if not said."
    )


def _objects(value: object) -> object:
    """The list of objects, of which a word can stand for a page of mpbench's."""
    if isinstance(value, str):
        if value not in PAGES:
            known = nearest(shortened(value), tuple(PAGES))
            reason = f"no page '{shortened(value)}'; {known}, or list its objects"
            raise ValueError(f"{reason}, or write {{har: FILE}}")
        return PAGES[value]()
    if isinstance(value, dict):
        raise ValueError("expected a list of objects, a page's name or {har: FILE}")
    return value


def _objects_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a name or a HAR will do."""
    several = {k: schema.pop(k) for k in tuple(schema) if k != "description"}
    har: JsonDict = {
        "type": "object",
        "properties": {"har": {"type": "string"}},
        "required": ["har"],
        "additionalProperties": False,
    }
    schema["anyOf"] = [several, {"enum": [*PAGES]}, har]


class Load(Entry):
    """A page, whose objects wait for one another."""

    first_port: ClassVar[int] = 8801

    tool: Annotated[str, OneOf("tool", ("page",))] = Field(
        description="The program that loads."
    )
    objects: Annotated[
        tuple[Item, ...],
        BeforeValidator(_objects),
        Field(min_length=1, max_length=MOST_OBJECTS),
    ] = Field(
        description="The page: a list of {name, size, after, wait, origin}, a name"
        " (median), or {har: FILE}.",
        json_schema_extra=_objects_schema,
    )
    connections: Annotated[Count, Field(le=MOST_CONNECTIONS)] = Field(
        default=6, description="The most connections per origin at a time."
    )
    request: Annotated[
        float,
        Quantity("bytes", LEAST_REQUEST_BYTES, MOST_REQUEST_BYTES, usual="B"),
    ] = Field(default=500.0, description="Size of each request.")
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        default=60.0, description="When the client gives up, after its start."
    )

    def _check(self, faults: Faults) -> None:
        numbers: dict[str, int] = {}
        for number, one in enumerate(self.objects):
            if one.name is not None and one.name in numbers:
                reason = f"'{shortened(one.name)}' is the name of two objects"
                faults.add(("objects", number, "name"), f"{reason}; rename one")
            if one.name is not None:
                numbers[one.name] = number
        unknown = False
        for number, one in enumerate(self.objects):
            for name in one.after or ():
                if name not in numbers:
                    hint = nearest(shortened(name), tuple(numbers))
                    reason = f"no object '{shortened(name)}'; {hint}"
                    faults.add(("objects", number, "after"), reason)
                    unknown = True
                elif name == one.name:
                    reason = f"'{shortened(name)}' waits for itself; take it away"
                    faults.add(("objects", number, "after"), reason)
                    unknown = True
        if not unknown and in_turn(after := self._after) is None:
            stuck = _circle(after)
            words = " -> ".join(self.objects[n].name or f"#{n}" for n in stuck)
            reason = f"objects wait for one another: {shortened(words, 200)}"
            faults.add(("objects", stuck[0], "after"), f"{reason}; take one away")
        if len(self._origins) > MOST_ORIGINS:
            reason = f"{len(self._origins)} origins; at most {MOST_ORIGINS} work"
            faults.add(("objects",), reason)
        if sum(one.size for one in self.objects) > MOST_BYTES:
            faults.add(("objects",), f"more than {MOST_BYTES:g} bytes in all")

    @property
    def _after(self) -> list[tuple[int, ...]]:
        """The numbers of the objects that each one waits for."""
        numbers = {one.name: number for number, one in enumerate(self.objects)}
        return [
            tuple(numbers[name] for name in one.after)
            if one.after is not None
            else ((0,) if number else ())
            for number, one in enumerate(self.objects)
        ]

    @property
    def _origins(self) -> list[str | None]:
        return list(dict.fromkeys(one.origin for one in self.objects))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*TIMES, CONNECTIONS)

    @property
    def good(self) -> Mapping[str, Direction]:
        neither: Direction = NONE
        return {**dict.fromkeys(TIMES, LESS), CONNECTIONS: neither}

    @property
    def samples(self) -> tuple[str, ...]:
        return (OBJECT,)

    @property
    def series(self) -> tuple[str, ...]:
        return (LOADED,)

    def job(self, port: int) -> Json:
        origins = self._origins
        sizes = [round(one.size) for one in self.objects]
        return {
            **super().job(port),
            "duration_s": None,
            "bytes": sum(sizes),
            "reverse": True,
            "objects": [
                {
                    "bytes": size,
                    "after": list(after),
                    "wait_s": one.wait,
                    "origin": origins.index(one.origin),
                }
                for one, size, after in zip(
                    self.objects, sizes, self._after, strict=True
                )
            ],
            "connections": self.connections,
            "request_bytes": round(self.request),
            "timeout_s": self.timeout,
        }


def _circle(after: list[tuple[int, ...]]) -> list[int]:
    """The numbers of objects that wait for one another in a circle."""
    left = set(range(len(after)))
    while gone := {n for n in left if not left & set(after[n])}:
        left -= gone
    walk = [min(left)]
    while True:
        following = next(n for n in after[walk[-1]] if n in left)
        if following in walk:
            return [*walk[walk.index(following) :], following]
        walk.append(following)


MODEL = Load
SUMMARY = "the load of a page with objects that wait for one another"
STEADY = True
VARIED = (
    START,
    TIMEOUT,
    Varied(
        "connections", "connections", "connections", 1, 100, True, "most per origin"
    ),
)
