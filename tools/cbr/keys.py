"""Traffic at a constant bit rate: datagrams, or an application's messages."""

from typing import Annotated, Any, ClassVar

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.config import JsonDict

from analysis.run import needs
from mpbench import units
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import ANY_QUANTITY, Faults, OneOf, Quantity
from mpbench.spec.varied import DURATION, SIZE, START, Varied
from tools.cbr.record import MOST_MESSAGE_BYTES, MOST_PER_S, limits, per_s

OVER = ("datagrams", "connection")

MOST_MBPS = 10_000.0


def _rate(value: object) -> float:
    rate_mbps = units.parse(value, "Mbit/s")
    if not 0 < rate_mbps <= MOST_MBPS:
        raise ValueError(f"{rate_mbps:g} Mbit/s is not above 0 and up to {MOST_MBPS:g}")
    return rate_mbps


def _rate_schema(schema: JsonDict) -> None:
    del schema["type"]
    schema |= ANY_QUANTITY


class ConstantRate(Entry):
    """A constant rate, all the time or in bursts, by UDP or over a connection."""

    first_port: ClassVar[int] = 7001

    tool: Annotated[str, OneOf("tool", ("cbr",))] = Field(
        description="The program that sends."
    )
    rate: Annotated[float, BeforeValidator(_rate)] = Field(
        description="Rate while it is on: of whole packets, or of a connection's data.",
        json_schema_extra=_rate_schema,
    )
    duration: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        description="Time to send for."
    )
    burst: Annotated[float, Quantity("s", 0.000001, DAY_S)] | None = Field(
        default=None, description="Mean length of a burst; always on if not said."
    )
    pause: Annotated[float, Quantity("s", 0.000001, DAY_S)] | None = Field(
        default=None, description="Mean time between bursts."
    )
    over: Annotated[str, OneOf("way to send", OVER)] = Field(
        default="datagrams",
        description="datagrams: UDP; connection: small messages over one connection"
        " of the entry's transport.",
    )

    size: Annotated[float, Quantity("bytes", 1, MOST_MESSAGE_BYTES)] | None = Field(
        default=None,
        description="Payload of each datagram, or size of each message; a full packet,"
        " or what the rate needs, if not said.",
    )

    def _check(self, faults: Faults) -> None:
        for key, other in (("burst", "pause"), ("pause", "burst")):
            if getattr(self, key) is None and getattr(self, other) is not None:
                faults.add((key,), f"missing; {other} is given; write both or none")
        if self.size is not None:
            self._check_size(self.size, faults)

    def _check_size(self, size: float, faults: Faults) -> None:
        connected = self.over != OVER[0]
        what = "messages" if connected else "datagrams"
        low, high = limits(connected)
        count = per_s(size, self.rate, connected)
        if not low <= size <= high:
            reason = f"{size:g} bytes is not within {low} to {high}, for {what}"
            faults.add(("size",), reason)
        elif count > MOST_PER_S:
            reason = f"{count:.0f} {what} per second; up to {MOST_PER_S} are possible"
            faults.add(("size",), f"{reason}: give a larger size or a lower rate")

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Defaults do not enter the hash of an experiment: they came later."""
        values: dict[str, Any] = handler(self)
        if self.over == OVER[0]:
            values.pop("over", None)
        if self.size is None:
            values.pop("size", None)
        return values

    @property
    def measures(self) -> frozenset[str]:
        return frozenset({needs.MESSAGES} if self.over == "connection" else ())

    @property
    def without_connection(self) -> bool:
        return self.over == OVER[0]

    @property
    def end_s(self) -> float:
        return self.start.latest + self.duration

    def job(self, port: int) -> Json:
        return {
            **super().job(port),
            "duration_s": self.duration,
            "bytes": None,
            "reverse": False,
            "rate_mbps": self.rate,
            "burst_s": self.burst,
            "pause_s": self.pause,
            **({"over": self.over} if self.over != OVER[0] else {}),
            **({} if self.size is None else {"size_bytes": round(self.size)}),
        }


MODEL = ConstantRate
SUMMARY = "a constant rate, also in bursts: datagrams, or messages on a connection"
VARIED = (
    SIZE,
    DURATION,
    START,
    Varied("rate", "Mbit/s", "rate_mbps", 0.001, 10_000, False, "rate"),
    Varied("burst", "s", "burst_s", 1e-6, 86_400, False, "mean length of a burst"),
    Varied("pause", "s", "pause_s", 1e-6, 86_400, False, "mean time between"),
)
