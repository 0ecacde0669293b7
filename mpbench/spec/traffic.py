"""Traffic: what flows while a run is measured."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator
from pydantic.config import JsonDict

from mpbench.spec.cases import Case
from mpbench.spec.known import READ_MODES, TOOLS
from mpbench.spec.values import (
    Count,
    Faults,
    Name,
    OneOf,
    Part,
    Quantity,
    Switch,
    Whole,
    context,
    nearest,
)

DAY_S = 86_400.0
FIRST_PORT = 5201  # iperf3's own; the next entry gets the next one


class Read(Part):
    """How the receiving program is woken.

    It moves both the speed of a run and the shares of the paths, by up to 6 %,
    so it is part of the experiment.
    """

    mode: Annotated[str, OneOf("way of reading", READ_MODES)] = Field(
        default="coalesced",
        description="coalesced: once `size` has arrived; packet: by every packet.",
    )
    size: Annotated[float, Quantity("bytes", 1, 1 << 20)] | None = Field(
        default=None,
        description="How much wakes a coalesced reader; 16 KiB if not said.",
    )

    @model_validator(mode="after")
    def _size_fits_mode(self) -> Self:
        if self.mode == "packet" and self.size is not None:
            faults = Faults()
            faults.add(("size",), "read by packet has no size; take it away")
            faults.raise_any()
        return self

    @property
    def wake_bytes(self) -> int:
        """Low-water mark of the receiving socket, in bytes."""
        if self.mode == "packet":
            return 1
        return 16 * 1024 if self.size is None else int(self.size)


def _read(value: object) -> object:
    return {"mode": value} if isinstance(value, str) else value


def _read_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare mode will do."""
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"enum": [*READ_MODES]}]


class Start(Part):
    """When a transfer begins, after the beginning of the traffic.

    A time, or a range from which every run draws by its seed.
    """

    earliest: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, alias="min", description="Earliest time."
    )
    latest: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, alias="max", description="Latest time."
    )

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.earliest > self.latest:
            faults = Faults()
            reason = f"min {self.earliest:g} s is above max {self.latest:g} s"
            faults.add(("min",), f"{reason}; exchange them")
            faults.raise_any()
        return self


def _start(value: object) -> object:
    return value if isinstance(value, dict) else {"min": value, "max": value}


def _start_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare time will do."""
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"type": "string"}, {"const": 0}]


class Traffic(Part):
    """One transfer by one tool."""

    name: Name | None = Field(
        default=None,
        description="What the table calls it; its host, if not said.",
    )

    tool: Annotated[str, OneOf("tool", TOOLS)] = Field(
        description="The program that sends."
    )
    source: str = Field(alias="from", description="The host that opens connections.")
    destination: str = Field(alias="to", description="The host that it opens them to.")
    duration: Annotated[float, Quantity("s", 1, DAY_S)] | None = Field(
        default=None, description="Time to send for, in whole seconds."
    )
    size: Annotated[float, Quantity("bytes", 1, 1e15)] | None = Field(
        default=None,
        description="Amount to send instead; iperf3 rounds it up to 128 KiB blocks.",
    )
    reverse: Switch = Field(
        default=False, description="Whether data flows from `to` to `from`."
    )
    parallel: Annotated[Count, Field(le=128)] = Field(
        default=1, description="Connections at a time."
    )
    start: Annotated[Start, BeforeValidator(_start)] = Field(
        default=Start(),
        description="When to start, after the beginning of the traffic: a time, or"
        " {min, max}, to draw it from.",
        json_schema_extra=_start_schema,
    )
    transport: Case | None = Field(
        default=None,
        description="A transport of its own, as under `cases`, the same in all"
        " cases; the case's if not said.",
    )
    interval: Annotated[float, Quantity("s", 0.1, 60)] = Field(
        default=1.0, description="Length of the intervals of the report."
    )
    port: Annotated[Whole, Field(ge=1, le=65535)] | None = Field(
        default=None, description="Port of the server; 5201, 5202 ... if not said."
    )
    read: Annotated[Read, BeforeValidator(_read)] = Field(
        default=Read(),
        description="How the receiver reads: a mode, or {mode, size}.",
        json_schema_extra=_read_schema,
    )

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        faults = Faults()
        if self.duration is None and self.size is None:
            faults.add((), "says neither how long nor how much; write 'duration: 30 s'")
        if self.duration is not None and self.size is not None:
            faults.add(("size",), "duration and size are both said; take one away")
        if self.duration is not None and self.duration != int(self.duration):
            reason = f"{self.duration:g} s is not whole; iperf3 counts whole seconds"
            faults.add(("duration",), reason)
        self._check_hosts(faults, info)
        faults.raise_any()
        return self

    def _check_hosts(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        if topology is None:
            return
        for key, host in (("from", self.source), ("to", self.destination)):
            if host not in topology.hosts:
                hint = nearest(host, topology.hosts)
                faults.add((key,), f"{topology.name} has no host '{host}'; {hint}")
        if self.source == self.destination:
            faults.add(("to",), f"'{self.destination}' is where it comes from")
        elif self.source in topology.hosts and self.source not in topology.openers:
            openers = " or ".join(topology.openers)
            faults.add(
                ("from",),
                f"only {openers} can open connections in {topology.name}; write"
                " 'reverse: true' for data the other way",
            )
        elif self.source in topology.openers and self.destination in topology.hosts:
            server = topology.user(self.source).server
            if self.destination != server:
                faults.add(("to",), f"{self.source} reaches {server} only")
