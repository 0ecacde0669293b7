"""The keys of a transfer by iperf3."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from analysis.run import needs
from jobs import vocabulary
from mpbench.spec.traffic import DAY_S, Entry, Json, Read, as_read
from mpbench.spec.values import Count, Faults, OneOf, Quantity, Switch
from mpbench.spec.varied import DURATION, SIZE, START, Varied

MOST_PARALLEL = 128
BULK = "bulk"
READ_MODES = (*vocabulary.READ_MODES, BULK)
MOST_READ_BYTES = 1 << 20


class OwnRead(Read):
    """The way in which the receiver is woken, and how both ends call the kernel."""

    mode: Annotated[str, OneOf("way of reading", READ_MODES)] = Field(
        default="coalesced",
        description="coalesced: once `size` has arrived; packet: by every packet; bulk:"
        " as coalesced, and both ends move all that they can in one system call.",
    )

    @property
    def wake_bytes(self) -> int:
        """As of the other ways; the most that one can ask for is usual for bulk."""
        if self.mode == BULK and self.size is None:
            return MOST_READ_BYTES
        return super().wake_bytes


def own_read_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare mode will do."""
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"enum": [*READ_MODES]}]


class Traffic(Entry):
    """One transfer by iperf3."""

    first_port: ClassVar[int] = 5201
    later: ClassVar[Mapping[str, Any]] = {"nodelay": False}
    plain_bulk: ClassVar[bool] = True

    tool: Annotated[str, OneOf("tool", ("iperf3",))] = Field(
        description="The program that sends."
    )
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
    parallel: Annotated[Count, Field(le=MOST_PARALLEL)] = Field(
        default=1, description="Connections at a time."
    )
    nodelay: Switch = Field(
        default=False, description="Whether the sender switches Nagle's algorithm off."
    )
    interval: Annotated[float, Quantity("s", 0.1, 60)] = Field(
        default=1.0, description="Length of the intervals of the report."
    )
    read: Annotated[OwnRead, BeforeValidator(as_read)] = Field(
        default=OwnRead(),
        description="How the receiver reads: a mode, or {mode, size}.",
        json_schema_extra=own_read_schema,
    )

    def _check(self, faults: Faults) -> None:
        if self.duration is None and self.size is None:
            faults.add((), "says neither how long nor how much; write 'duration: 30 s'")
        if self.duration is not None and self.size is not None:
            faults.add(("size",), "duration and size are both said; take one away")
        if self.duration is not None and self.duration != int(self.duration):
            reason = f"{self.duration:g} s is not whole; iperf3 counts whole seconds"
            faults.add(("duration",), reason)

    @property
    def per_user(self) -> tuple[int, int]:
        return self.parallel, MOST_PARALLEL

    @property
    def measures(self) -> frozenset[str]:
        timed = {needs.TIMED} if self.duration is not None else set()
        settling = {needs.SETTLING} if (self.duration or 0.0) > needs.HELD_S else set()
        return frozenset({needs.INTERVALS} | timed | settling)

    @property
    def end_s(self) -> float:
        return self.start.latest + (self.duration or 0.0)

    def job(self, port: int) -> Json:
        return {
            **super().job(port),
            "duration_s": self.duration,
            "bytes": None if self.size is None else round(self.size),
            "reverse": self.reverse,
            "parallel": self.parallel,
            "nodelay": self.nodelay,
            "interval_s": self.interval,
            "read": self.read.mode,
            "read_bytes": self.read.wake_bytes,
        }


MODEL = Traffic
SUMMARY = "bulk data for a time or up to a size"
STEADY = True
VARIED = (
    SIZE,
    DURATION,
    START,
    Varied(
        "parallel", "connections", "parallel", 1, MOST_PARALLEL, True, "connections"
    ),
)
