"""The keys of requests by ab (ApacheBench)."""

from typing import Annotated, ClassVar

from pydantic import Field

from analysis.run import needs
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import Count, Faults, OneOf, Quantity, Switch
from mpbench.spec.varied import DURATION, SIZE, START, Varied

MOST_BYTES = 1e12
Size = Annotated[float, Quantity("bytes", 1, MOST_BYTES)]


class Requests(Entry):
    """The same file again and again, by ab from nginx."""

    first_port: ClassVar[int] = 80

    tool: Annotated[str, OneOf("tool", ("ab",))] = Field(
        description="The program that asks."
    )
    size: Size = Field(description="Size of each answer.")
    duration: Annotated[float, Quantity("s", 1, DAY_S)] | None = Field(
        default=None,
        description="Time to ask for, in whole seconds; ab ends between requests.",
    )
    requests: Annotated[Count, Field(le=1_000_000)] | None = Field(
        default=None, description="How many requests instead."
    )
    concurrency: Annotated[Count, Field(le=1_000)] = Field(
        default=1, description="Requests at a time."
    )
    keep_alive: Switch = Field(
        default=False,
        description="Whether requests share connections; else each has its own.",
    )
    timeout: Annotated[float, Quantity("s", 1, DAY_S)] = Field(
        default=30.0,
        description="Longest silence of the server, in whole seconds, before ab fails.",
    )

    def _check(self, faults: Faults) -> None:
        if self.duration is None and self.requests is None:
            faults.add((), "says neither how long nor how many; write 'duration: 30 s'")
        if self.duration is not None and self.requests is not None:
            reason = "duration and requests are both said; take one away"
            faults.add(("requests",), reason)
        if self.requests is not None and self.concurrency > self.requests:
            reason = f"more at a time than the {self.requests} requests; ask for fewer"
            faults.add(("concurrency",), reason)
        for key in ("duration", "timeout"):
            value = getattr(self, key)
            if value is not None and value != int(value):
                reason = f"{value:g} s is not whole; ab counts whole seconds"
                faults.add((key,), reason)

    @property
    def measures(self) -> frozenset[str]:
        return frozenset({needs.REQUESTS})

    @property
    def end_s(self) -> float:
        return self.start.latest + (self.duration or 0.0)

    def job(self, port: int) -> Json:
        return {
            **super().job(port),
            "duration_s": self.duration,
            "requests": self.requests,
            "bytes": round(self.size),
            "reverse": True,
            "concurrency": self.concurrency,
            "keep_alive": self.keep_alive,
            "timeout_s": self.timeout,
        }


MODEL = Requests
SUMMARY = "ApacheBench: many requests for small files, one after the other or parallel"
CALLS_PER_REQUEST = 60
"""System calls of ab and nginx per request with a connection of its own, as far as
their time tells: 0.7 ms (benchmarks/thesis_cost.csv)."""
STEADY = True
VARIED = (
    SIZE,
    DURATION,
    START,
    Varied("requests", "requests", "requests", 1, 1e6, True, "requests in all"),
    Varied(
        "concurrency",
        "connections",
        "concurrency",
        1,
        1000,
        True,
        "requests at a time",
    ),
)
