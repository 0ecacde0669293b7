"""The keys of requests and answers over one connection."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from analysis.campaign.directions import LESS, MORE, Direction
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import Count, Faults, OneOf, Quantity, Switch
from mpbench.spec.varied import SIZE, START, Varied
from tools.pingpong.columns import EXCHANGES, TIMES
from tools.pingpong.record import MOST_EXCHANGES, MOST_KEEPALIVE_S, MOST_WRITES

MOST_BYTES = 100e6
Size = Annotated[float, Quantity("bytes", 1, MOST_BYTES, usual="B")]


def _both(value: object) -> object:
    """One size for both ways, or a list of two."""
    if not isinstance(value, list):
        return value, value
    if len(value) != 2:
        words = "a size for both ways, or two: [request, answer]"
        raise ValueError(f"{len(value)} sizes; expected {words}, such as [50 B, 5 kB]")
    return value


def _both_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a single size will do."""
    pair = dict(schema)
    items = pair["prefixItems"]
    assert isinstance(items, list)
    schema.clear()
    schema["anyOf"] = [pair, items[0]]


class Exchanges(Entry):
    """A request, its answer, a pause, again and again over one connection."""

    first_port: ClassVar[int] = 9201

    tool: Annotated[str, OneOf("tool", ("pingpong",))] = Field(
        description="The program that asks."
    )
    size: Annotated[tuple[Size, Size], BeforeValidator(_both)] = Field(
        description="Size of each request and of each answer: [50 B, 5 kB], or one"
        " size for both.",
        json_schema_extra=_both_schema,
    )
    duration: Annotated[float, Quantity("s", 0.001, DAY_S)] | None = Field(
        default=None, description="Time to ask for."
    )
    number: Annotated[Count, Field(le=MOST_EXCHANGES)] | None = Field(
        default=None, description="How many requests instead."
    )
    think: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, description="Time between an answer and the next request."
    )
    nodelay: Switch = Field(
        default=False, description="Whether both ends switch Nagle's algorithm off."
    )
    writes: Annotated[Count, Field(le=MOST_WRITES)] = Field(
        default=1, description="Calls of send(2) that a request is written with."
    )
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        default=30.0,
        description="Longest wait for the connection, or for an answer.",
    )
    keepalive: Annotated[float, Quantity("s", 1, MOST_KEEPALIVE_S)] | None = Field(
        default=None,
        description="Silence after which the client's kernel probes, and the time"
        " between probes, in whole seconds; no probes if not said.",
    )

    def _check(self, faults: Faults) -> None:
        if self.duration is None and self.number is None:
            faults.add((), "says neither how long nor how many; write 'number: 1000'")
        if self.duration is not None and self.number is not None:
            reason = "duration and number are both said; take one away"
            faults.add(("number",), reason)
        if self.writes > round(self.size[0]):
            reason = f"more than the {round(self.size[0])} bytes of a request"
            faults.add(("writes",), f"{reason}; a write has at least one")
        if self.keepalive is not None and self.keepalive != int(self.keepalive):
            reason = f"{self.keepalive:g} s is not whole; the kernel counts seconds"
            faults.add(("keepalive",), reason)

    @property
    def columns(self) -> tuple[str, ...]:
        return (EXCHANGES, *TIMES)

    @property
    def good(self) -> Mapping[str, Direction]:
        more: Direction = MORE
        return {EXCHANGES: more, **dict.fromkeys(TIMES, LESS)}

    @property
    def end_s(self) -> float:
        thought_s = ((self.number or 1) - 1) * self.think
        return self.start.latest + (self.duration or thought_s)

    def of_design(self, key: str, value: float | int) -> object:
        if key == "size":
            return value, value
        return super().of_design(key, value)

    def job(self, port: int) -> Json:
        request, answer = map(round, self.size)
        return {
            **super().job(port),
            "duration_s": self.duration,
            "number": self.number,
            "bytes": request + answer,
            "reverse": False,
            "request_bytes": request,
            "answer_bytes": answer,
            "think_s": self.think,
            "writes": self.writes,
            "nodelay": self.nodelay,
            "timeout_s": self.timeout,
            "keepalive_s": None if self.keepalive is None else int(self.keepalive),
        }


MODEL = Exchanges
SUMMARY = "requests and answers in turn on one connection, with the times they take"
STEADY = True
VARIED = (
    SIZE,
    START,
    Varied("duration", "s", "duration_s", 0.001, 86_400, False, "how long it asks"),
    Varied("number", "requests", "requests", 1, 1e6, True, "requests in all"),
    Varied("think", "s", "think_s", 0, 86_400, False, "time before the next request"),
)
