"""The size of a queue in packets, as data, or as a time at the link's capacity."""

import math
from dataclasses import dataclass

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from mpbench import units
from topologies.queues import FRAME_BYTES


@dataclass(frozen=True)
class QueueTime:
    """A queue that drains within a time, as `queueing_delay` gives it.

    text : as it stands in the file
    """

    ms: float
    text: str

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda size: size.text
            ),
        )


def full_packets(value: object, hint: str) -> float:
    """A number of packets, or the full packets that fit into an amount of data.

    hint : what would work where none fits

    Raises ValueError with a one-line reason.
    """
    try:
        return units.parse(value, "packets")
    except ValueError as error:
        try:
            packets = units.parse(value, "bytes") // FRAME_BYTES
        except ValueError:
            raise error from None
    if packets == 0:
        reason = f"{value} holds no full packet, which has {FRAME_BYTES} bytes"
        raise ValueError(f"{reason}; {hint}")
    return packets


def queue_time(value: object, minimum_ms: float, maximum_ms: float) -> QueueTime | None:
    """The queue of a text such as `50 ms`; None for any other value.

    Raises ValueError, with a one-line reason, for a time out of range.
    """
    if not isinstance(value, str):
        return None
    try:
        number = units.parse(value, "ms")
    except ValueError:
        return None
    if not minimum_ms <= number <= maximum_ms:
        limits = f"{minimum_ms:g} to {maximum_ms:g} ms"
        raise ValueError(f"{number:g} ms is out of range; a queue's time is {limits}")
    return QueueTime(number, value.strip())


def packets(value: object, name: str) -> float:
    """A number of packets, or the full packets that fit into an amount of data.

    name : of the parameter

    Raises ValueError with a one-line reason.
    """
    try:
        return units.parse(value, "packets")
    except ValueError as error:
        try:
            held = units.parse(value, "bytes") / FRAME_BYTES if value else 0.0
        except ValueError:
            if "is a time" in str(error):
                other = f"{name.removesuffix('queue')}queueing_delay"
                raise ValueError(f"{error}; a time is a value of {other}") from None
            raise error from None
    if not held:
        return 0.0
    if held < 1:
        reason = f"'{value}' holds no full packet, which has {FRAME_BYTES} bytes"
        raise ValueError(f"{reason}; give more")
    return float(math.floor(held + 1e-9))
