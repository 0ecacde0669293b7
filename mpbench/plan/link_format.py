"""The links of a job: the format of its key `links`, see `job_format`."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from mpbench.plan.job_parts import Milliseconds, Name, Part
from topologies import impairments, queues

MOST_QUEUE_PACKETS = 10**9


def _discipline(value: dict[str, Any]) -> dict[str, Any]:
    queues.from_json(value)
    return value


Discipline = Annotated[dict[str, Any], AfterValidator(_discipline)]
Percent = Annotated[float, Field(ge=0, le=100)]


class BurstLoss(Part):
    """Loss by the model of Gilbert and Elliott."""

    enter_percent: Percent
    leave_percent: Annotated[float, Field(gt=0, le=100)]
    bad_percent: Percent
    good_percent: Percent


class Reordering(Part):
    """Packets that overtake others."""

    share_percent: Percent
    correlation_percent: Percent
    by_ms: Annotated[float, Field(gt=0, le=1e6)] | None


class Impairments(Part):
    """What a direction of a link does to packets beyond delay and loss."""

    burst_loss: BurstLoss | None = None
    reordering: Reordering | None = None
    duplication_percent: Percent = 0.0
    corruption_percent: Percent = 0.0


class Direction(Part):
    """One direction of a link."""

    capacity_mbps: Annotated[float, Field(gt=0, le=1e6)] | None
    delay_ms: Milliseconds
    queue_packets: Annotated[int, Field(ge=0, le=MOST_QUEUE_PACKETS)]
    loss_percent: Annotated[float, Field(ge=0, le=100)]
    jitter_ms: Milliseconds
    tclink: bool
    discipline: Discipline | None = None
    impairments: Impairments | None = None

    @model_validator(mode="after")
    def _traits_fit(self) -> Self:
        if self.discipline and (self.tclink or self.capacity_mbps is None):
            raise ValueError("a discipline needs a queue of its own")
        if self.impairments is None:
            return self
        if self.tclink:
            raise ValueError("tclink has no impairments but loss")
        more = impairments.from_json(self.impairments.model_dump())
        if reason := impairments.fault(
            more, self.delay_ms, self.jitter_ms, self.loss_percent
        ):
            raise ValueError(reason)
        return self


class Link(Direction):
    """One link as the plan resolved it from the parameters.

    down : the direction towards users, if it is another than the direction from them
    """

    name: Name
    down: Direction | None = None

    @model_validator(mode="after")
    def _both_have_a_capacity(self) -> Self:
        down = self.down
        if down and (down.capacity_mbps is None) != (self.capacity_mbps is None):
            raise ValueError("one direction has a capacity, and the other has none")
        return self
