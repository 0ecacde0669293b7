"""The format of a job's traffic entry of the tool `flows`: see `job_format`."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mpbench.plan.job_parts import (
    Entry,
    LastingSeconds,
    Name,
    Part,
    Seconds,
    Size,
)
from mpbench.spec.flow_entry import MOST_CONNECTIONS, MOST_RATE_PER_S, MOST_RATES
from mpbench.spec.flow_sizes import MOST_BYTES, MOST_POINTS, cdf_fault
from mpbench.spec.vocabulary import READ_MODES

MOST_USERS = 128
MOST_ENTRIES = 1000
Mean = Annotated[float, Field(ge=1, le=MOST_BYTES)]
Rate = Annotated[float, Field(ge=1e-6, le=MOST_RATE_PER_S)]
Point = Annotated[
    list[Annotated[float, Field(ge=0, le=MOST_BYTES)]],
    Field(min_length=2, max_length=2),
]
Pair = Annotated[list[Name], Field(min_length=2, max_length=2)]
"""The hosts that open and accept a connection."""
PathNumber = Annotated[int, Field(ge=1, le=100)]
Range = Annotated[list[Seconds], Field(min_length=2, max_length=2)]


class Fixed(Part):
    kind: Literal["fixed"]
    bytes: Size


class Pareto(Part):
    kind: Literal["pareto"]
    mean_bytes: Mean
    shape: Annotated[float, Field(gt=1, le=100)]


class Exponential(Part):
    kind: Literal["exponential"]
    mean_bytes: Mean


class Listed(Part):
    kind: Literal["list"]
    bytes: Annotated[list[Size], Field(min_length=1, max_length=MOST_POINTS)]


class Cdf(Part):
    kind: Literal["cdf"]
    points: Annotated[list[Point], Field(min_length=1, max_length=MOST_POINTS)]

    @model_validator(mode="after")
    def _is_a_distribution(self) -> Self:
        reason = cdf_fault(tuple((size, part) for size, part in self.points))
        if reason:
            raise ValueError(reason)
        return self


class AtOnce(Part):
    kind: Literal["at_once"]


class Even(Part):
    kind: Literal["even"]
    every_s: LastingSeconds


class Poisson(Part):
    kind: Literal["poisson"]
    rates_per_s: Annotated[list[Rate], Field(min_length=1, max_length=MOST_RATES)]
    every_s: Annotated[float, Field(ge=1e-6, le=1e8)] | None

    @model_validator(mode="after")
    def _rates_take_turns(self) -> Self:
        if (self.every_s is None) != (len(self.rates_per_s) == 1):
            raise ValueError("every_s is of several rates, and several rates need it")
        return self


class Drawn(Part):
    """What drawing the connections gave."""

    flows: Annotated[int, Field(ge=1, le=MOST_CONNECTIONS)]
    bytes: Annotated[int, Field(ge=0, le=int(MOST_BYTES) * MOST_CONNECTIONS)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    pairs: list[Annotated[int, Field(ge=0, le=MOST_CONNECTIONS)]] | None = None


class Flows(Entry):
    tool: Literal["flows"]
    duration_s: Seconds
    bytes: None
    reverse: bool
    pairs: (
        Annotated[list[Pair], Field(min_length=1, max_length=MOST_CONNECTIONS)] | None
    ) = None
    counts: list[Annotated[int, Field(ge=1, le=MOST_USERS)]] | None = None
    assign: Literal["random", "in_turn"] | None = None
    paths: Annotated[list[PathNumber], Field(max_length=MOST_CONNECTIONS)] | None = None
    users: Annotated[int, Field(ge=1, le=MOST_CONNECTIONS)]
    stream: Annotated[int, Field(ge=0, lt=MOST_ENTRIES)]
    starts_s: Range
    lasts_s: Range | None
    connections: Annotated[int, Field(ge=1, le=MOST_CONNECTIONS)] | None
    size: (
        Annotated[
            Fixed | Pareto | Exponential | Listed | Cdf, Field(discriminator="kind")
        ]
        | None
    )
    arrivals: Annotated[AtOnce | Even | Poisson, Field(discriminator="kind")]
    timeout_s: LastingSeconds | None
    interval_s: Annotated[float, Field(ge=0.01, le=60)]
    read: Literal[READ_MODES]  # type: ignore[valid-type]
    read_bytes: Annotated[int, Field(ge=1, le=1 << 20)]
    drawn: Drawn

    @model_validator(mode="after")
    def _every_pair_is_a_user(self) -> Self:
        if self.pairs is None:
            if self.users > MOST_USERS:
                raise ValueError(f"users: at most {MOST_USERS} on a host")
        elif self.counts is None and len(self.pairs) != self.users:
            raise ValueError("pairs: needs one pair per user")
        elif self.pairs[0] != [self.source, self.destination]:
            raise ValueError("pairs: the first is not that of from and to")
        return self

    @model_validator(mode="after")
    def _every_pair_has_users(self) -> Self:
        if self.counts is None:
            if self.assign or self.drawn.pairs is not None:
                raise ValueError("counts: missing; assign and drawn.pairs need it")
            return self
        if self.pairs is None or len(self.pairs) != len(self.counts):
            raise ValueError("counts: needs one number per pair")
        if len({here for here, _ in self.pairs}) < len(self.pairs):
            raise ValueError("counts: a host is in two pairs")
        if sum(self.counts) != self.users:
            raise ValueError("counts: their sum is not the number of users")
        drawn = self.drawn.pairs or []
        if len(drawn) != len(self.pairs) or sum(drawn) != self.drawn.flows:
            raise ValueError("drawn.pairs: not the connections of each pair")
        return self

    @model_validator(mode="after")
    def _every_user_has_a_path(self) -> Self:
        if self.paths is not None and len(self.paths) != self.users:
            raise ValueError("paths: needs one path per user")
        return self

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if (self.size is None) != (self.timeout_s is None):
            raise ValueError("timeout_s is of transfers with a size, which need it")
        if self.size is None and self.lasts_s is None:
            raise ValueError("needs either size or lasts_s")
        if self.arrivals.kind == "at_once":
            if self.connections is None:
                raise ValueError("connections at once need their number")
        elif self.connections is None and self.lasts_s is None:
            raise ValueError("arrivals need either connections or lasts_s")
        return self
