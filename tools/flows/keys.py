"""Traffic by the tool `flows`: many connections, of drawn sizes and at drawn times."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator
from pydantic.config import JsonDict

from analysis.run import needs
from jobs.entries.drawn import MOST_USERS
from mpbench.spec import traffic_patterns, user_sets
from mpbench.spec.drawn_entries import DrawnEntry
from mpbench.spec.flow_sizes import Sizes, read_sizes, sizes_schema
from mpbench.spec.traffic import DAY_S, Entry, Json, Read, as_read, read_schema
from mpbench.spec.values import (
    ANY_QUANTITY,
    Count,
    Faults,
    OneOf,
    Part,
    Quantity,
    Switch,
    context,
)
from mpbench.spec.varied import SIZE, START, TIMEOUT, Varied
from topologies import Description

AT_ONCE = "at once"
MOST_CONNECTIONS = 20_000
"""Connections of a host to another: each needs a port of its own."""
MOST_RATE_PER_S = 1e5
MOST_RATES = 100

Rate = Annotated[float, Quantity("/s", 1e-6, MOST_RATE_PER_S)]


def _rates(value: object) -> object:
    return value if isinstance(value, list) else [value]


class Arrivals(Part):
    """When a user opens its connections: at once, at random or evenly."""

    poisson: (
        Annotated[
            tuple[Rate, ...],
            BeforeValidator(_rates),
            Field(min_length=1, max_length=MOST_RATES),
        ]
        | None
    ) = Field(
        default=None,
        description="Rate of a Poisson process, or a list of rates that take turns.",
        json_schema_extra=lambda schema: _rates_schema(schema),
    )
    every: Annotated[float, Quantity("s", 1e-6, DAY_S)] | None = Field(
        default=None,
        description="Time between two connections, or, with several rates, how long"
        " each of them lasts.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = Faults()
        several = self.poisson is not None and len(self.poisson) > 1
        if several and self.every is None:
            faults.add(("every",), "missing; how long each rate lasts, such as 10 s")
        if self.poisson is not None and not several and self.every is not None:
            reason = "there is a single rate, which lasts all the time; take it away"
            faults.add(("every",), reason)
        faults.raise_any()
        return self

    def job(self) -> Json:
        if self.poisson is not None:
            every_s = self.every if len(self.poisson) > 1 else None
            rates = list(self.poisson)
            return {"kind": "poisson", "rates_per_s": rates, "every_s": every_s}
        if self.every is not None:
            return {"kind": "even", "every_s": self.every}
        return {"kind": "at_once"}


def _rates_schema(schema: JsonDict) -> None:
    choices = schema.pop("anyOf", [])
    assert isinstance(choices, list)
    schema["anyOf"] = [{"type": "string"}, *choices]


def _arrivals(value: object) -> object:
    if isinstance(value, dict) and value:
        return value
    if value == AT_ONCE:
        return {}
    if isinstance(value, str) and value.strip()[:1].isdigit():
        return {"poisson": value}
    raise ValueError(
        "expected 'at once', {poisson: 10 /s}, {poisson: [10 /s, 60 /s], every: 10 s}"
        " or {every: 1 s}"
    )


def _arrivals_schema(schema: JsonDict) -> None:
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"const": AT_ONCE}, *ANY_QUANTITY["anyOf"]]  # type: ignore[misc]


def _senders(value: object) -> object:
    if value == traffic_patterns.REST:
        return value
    return Quantity("%", 0.1, 100).check(value)


def _senders_schema(schema: JsonDict) -> None:
    schema["anyOf"] = [
        *ANY_QUANTITY["anyOf"],  # type: ignore[misc]
        {"const": traffic_patterns.REST},
        {"type": "null"},
    ]


def _source_schema(schema: JsonDict) -> None:
    """In the JSON Schema: several users are a list."""
    schema.pop("type", None)
    names: JsonDict = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    schema["anyOf"] = [{"type": "string"}, names]


class Duration(Part):
    """Time for which each user goes on after its start.

    Either a time, or a range from which every user draws a time by the run's seed.
    """

    shortest: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        alias="min", description="Shortest time."
    )
    longest: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        alias="max", description="Longest time."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.shortest > self.longest:
            faults = Faults()
            reason = f"min {self.shortest:g} s is above max {self.longest:g} s"
            faults.add(("min",), f"{reason}; exchange them")
            faults.raise_any()
        return self


def _duration(value: object) -> object:
    return value if isinstance(value, dict) else {"min": value, "max": value}


def _duration_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare time will do."""
    choices = schema.pop("anyOf", [])
    assert isinstance(choices, list)
    schema["anyOf"] = [*choices, {"type": "string"}]


class Flows(DrawnEntry):
    """Many connections, all by one program of the guest."""

    first_port: ClassVar[int] = 8001
    by_address: ClassVar[bool] = True

    tool: str = Field(description="The program that sends.", pattern="^flows$")
    source: Annotated[str, BeforeValidator(user_sets.read_source)] = Field(
        alias="from",
        description="The host that opens connections, a list of hosts, or `users`.",
        json_schema_extra=_source_schema,
    )
    assign: Annotated[str, OneOf("assignment", (*user_sets.ASSIGNMENTS,))] | None = (
        Field(
            default=None,
            description="Of several users: whether each opens connections of its own,"
            " or which of them opens each connection of all; `each` if not said.",
        )
    )
    destinations: Annotated[Count, Field(le=1023)] | None = Field(
        default=None,
        description="Of `to: random`: the hosts that each host sends to; 1 if not"
        " said.",
    )
    senders: Annotated[float | Literal["rest"], BeforeValidator(_senders)] | None = (
        Field(
            default=None,
            description="Of `to: permutation` and `random`: the share of the hosts that"
            " send; all if not said. `rest`: the hosts that are no senders of the other"
            " entry of this pattern.",
            json_schema_extra=_senders_schema,
        )
    )
    connections: Annotated[Count, Field(le=MOST_CONNECTIONS)] | None = Field(
        default=None,
        description="Connections of each user; with arrivals, at most so many.",
    )
    size: Annotated[Sizes, BeforeValidator(read_sizes)] | None = Field(
        default=None,
        description="Size of each transfer; each sends until the user's duration is"
        " over, if not said.",
        json_schema_extra=sizes_schema,
    )
    arrivals: Annotated[Arrivals, BeforeValidator(_arrivals)] = Field(
        default=Arrivals(),
        description="When each user opens its connections: `at once`, {poisson: rate},"
        " {poisson: [rates], every: time} or {every: time}.",
        json_schema_extra=_arrivals_schema,
    )
    duration: Annotated[Duration, BeforeValidator(_duration)] | None = Field(
        default=None,
        description="How long each user opens connections, or sends: a time, or {min,"
        " max}, from which each user draws.",
        json_schema_extra=_duration_schema,
    )
    timeout: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        default=30.0,
        description="When a transfer that is not complete is given up, after its start",
    )
    reverse: Switch = Field(
        default=False, description="Whether data flows from `to` to `from`."
    )
    interval: Annotated[float, Quantity("s", 0.01, 60)] = Field(
        default=1.0, description="Length of the intervals whose bytes are recorded."
    )
    read: Annotated[Read, BeforeValidator(as_read)] = Field(
        default=Read(),
        description="How the receiver reads: a mode, or {mode, size}.",
        json_schema_extra=read_schema,
    )

    @property
    def per_user(self) -> tuple[int, int]:
        return 1, MOST_USERS

    @property
    def measures(self) -> frozenset[str]:
        sized = {needs.SIZED_FLOWS, needs.ONE_DOWNLOAD}
        return frozenset(sized if self.size is not None else ())

    @property
    def own_control(self) -> bool:
        return True

    @property
    def many(self) -> bool:
        """Whether it is between many hosts, by a pattern."""
        return (
            self.source == traffic_patterns.HOSTS
            and self.destination in traffic_patterns.NAMES
        )

    @property
    def label(self) -> str:
        return user_sets.label(self.source)

    def ends(self, topology: Description | None) -> tuple[tuple[str, str], ...]:
        if topology is None or topology.mesh or not user_sets.applies(self, topology):
            return super().ends(topology)
        hosts = user_sets.members(self.source, topology)
        return tuple((host, topology.user(host).server) for host in hosts)

    def of_several_users(self, topology: Description) -> bool:
        """Whether it is of a set of users of a network, each with its own server."""
        return not topology.mesh and user_sets.applies(self, topology)

    def pattern(self, topology: Description) -> traffic_patterns.Pattern:
        """Who sends to whom, if it is between many hosts."""
        count = self.destinations or 1
        return traffic_patterns.pattern(
            self.destination, topology, count, self.share or 1.0
        )

    @property
    def share(self) -> float | None:
        """The share of the hosts that send, 0 to 1; None if the entry does not say."""
        return None if not isinstance(self.senders, float) else self.senders / 100

    @property
    def of_rest(self) -> bool:
        """Whether its senders are the hosts that do not send in another entry."""
        return self.many and self.senders == traffic_patterns.REST

    def is_rest_of(self, other: Entry) -> bool:
        """Whether the senders are those that `other` leaves."""
        return (
            isinstance(other, Flows)
            and other.many
            and other.share is not None
            and other.destination == self.destination
            and self.of_rest
        )

    def _check_hosts(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        hosts = () if topology is None else topology.hosts
        between = self.source == traffic_patterns.HOSTS and self.source not in hosts
        if topology is not None and between:
            found = traffic_patterns.check(
                topology, self.destination, self.destinations, self.senders
            )
            faults.found += found.found
            if topology.mesh and self.assign is not None:
                faults.found += user_sets.check(self, topology).found
            return
        for key in ("destinations", "senders"):
            if getattr(self, key) is not None:
                reason = "without effect between two hosts; take it away, or write"
                faults.add((key,), f"{reason} 'from: hosts, to: random'")
        if topology is None:
            return
        if user_sets.applies(self, topology):
            faults.found += user_sets.check(self, topology).found
        elif not topology.mesh and self.destination in traffic_patterns.NAMES:
            reason = user_sets.pattern_fault(self.destination, topology)
            faults.add(("to",), reason)
        else:
            super()._check_hosts(faults, info)

    @property
    def at_once(self) -> bool:
        """Whether a user opens all its connections at its start."""
        return self.arrivals.poisson is None and self.arrivals.every is None

    def _check(self, faults: Faults) -> None:
        if self.duration is None and self.size is None:
            faults.add((), "says neither how long nor how much; write 'size: 70 kB'")
        elif self.duration is None and self.connections is None and not self.at_once:
            faults.add((), "does not say when arrivals end; write 'duration: 20 s'")
        if self.size is not None and self.at_once and self.duration is not None:
            reason = "without effect: all connections open at once, and end with their"
            faults.add(("duration",), f"{reason} size; take it away")
        if self.size is None and "timeout" in self.model_fields_set:
            reason = "without effect: connections without a size end by the duration"
            faults.add(("timeout",), f"{reason}; take it away")

    def of_design(self, key: str, value: float | int) -> object:
        if key == "size":
            return Sizes.model_validate({"fixed": f"{value!r} bytes"})
        if key == "arrivals":
            return Arrivals.model_validate({"poisson": f"{value!r} /s"})
        if key == "duration":
            return Duration.model_validate(
                dict.fromkeys(("min", "max"), f"{value!r} s")
            )
        return super().of_design(key, value)

    @property
    def end_s(self) -> float:
        return self.start.latest + (self.duration.longest if self.duration else 0.0)

    def job(self, port: int) -> Json:
        """The entry of a run's job, without what is drawn by the run's seed."""
        duration = self.duration
        return {
            **super().job(port),
            "bytes": None,
            "reverse": self.reverse,
            "connections": self.connections or (1 if self.at_once else None),
            "size": self.size and self.size.job(),
            "arrivals": self.arrivals.job(),
            "starts_s": [self.start.earliest, self.start.latest],
            "lasts_s": duration and [duration.shortest, duration.longest],
            "timeout_s": self.timeout if self.size else None,
            "interval_s": self.interval,
            "read": self.read.mode,
            "read_bytes": self.read.wake_bytes,
        }


MODEL = Flows
SUMMARY = "many connections of drawn sizes at drawn times, TCP and MPTCP"
STEADY = True
VARIED = (
    SIZE,
    Varied("duration", "s", "duration_s", 0.001, 86_400, False, "how long"),
    START,
    TIMEOUT,
    Varied(
        "connections",
        "connections",
        "connections",
        1,
        MOST_CONNECTIONS,
        True,
        "connections of each user",
    ),
    Varied(
        "arrivals",
        "/s",
        "arrivals_per_s",
        1e-6,
        MOST_RATE_PER_S,
        False,
        "rate of each user's Poisson arrivals",
    ),
)
