"""The key `fabric`: the network as a table in the guest's kernel, without routers."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from jobs import fabric as record
from mpbench import units
from mpbench.spec.queue_sizes import full_packets
from mpbench.spec.values import Faults, OneOf, Part
from topologies import Description, Parameter
from topologies.fabric import (
    ACKS,
    CHOICES,
    DIRECT,
    FIRST,
    IN_TURN,
    LIMITS,
    MOST_BURST_PACKETS,
    MOST_GATHER_MS,
)

MOST_QUEUE_PACKETS = 1_000_000
USUAL_GATHER_MS = 0.1
"""Between the interrupts of a network card that moderates them."""
GATHER = "fabric.gather"
"""The factor."""
TCLINK = ("minitopo",)
"""Topologies whose links are Mininet's TCLink."""


def bucket(value: object) -> int | None:
    """A number of packets, or the full packets that fit into an amount of data.

    Raises ValueError with a one-line reason.
    """
    if value is None:
        return None
    packets = full_packets(value, "give more, or 0 for no token bucket")
    if not packets.is_integer() or not 0 <= packets <= MOST_BURST_PACKETS:
        reason = f"{packets:g} packets; a whole number up to {MOST_BURST_PACKETS} works"
        raise ValueError(f"{reason}, or 0 for no token bucket")
    return int(packets)


def own_queue(value: object) -> int | None:
    """A number of packets. Raises ValueError with a one-line reason."""
    if value is None:
        return None
    packets = units.parse(value, "packets")
    if not packets.is_integer() or not 1 <= packets <= MOST_QUEUE_PACKETS:
        reason = f"{packets:g} packets; a whole number from 1"
        raise ValueError(f"{reason} to {MOST_QUEUE_PACKETS} works")
    return int(packets)


def gathering(value: object) -> float | None:
    """A time in ms. Raises ValueError with a one-line reason."""
    if value is None:
        return None
    found = units.parse(value, "ms")
    if not 0 <= found <= MOST_GATHER_MS:
        raise ValueError(f"{found:g} ms; 0 to {MOST_GATHER_MS:g} ms works")
    return found


class Fabric(Part):
    """The forwarding of packets by the fabric."""

    choose: Annotated[str, OneOf("choice", CHOICES)] = Field(
        default=CHOICES[0],
        description="How a new flow picks one of several paths between two addresses:"
        " `rotate`, `hash` or `random`.",
    )

    limit: Annotated[str, OneOf("limit", LIMITS)] = Field(
        default=LIMITS[0],
        description="What a queue of N packets holds: the `bytes` of N full packets, or"
        " N `packets` of any size.",
    )

    burst: Annotated[int | None, BeforeValidator(bucket)] = Field(
        default=None,
        description="What the token bucket of each link holds, in packets or as data,"
        " or 0 for none. The default is that of namespaces, and none in data centres.",
    )

    acks: Annotated[str, OneOf("order", ACKS)] = Field(
        default=IN_TURN,
        description="How TCP segments without data travel in a data centre: `in_turn`"
        " like all others, `first`, before others that wait in the host, or `direct`,"
        " to the other end at once, as in simulators that model the way of data only.",
    )

    host_queue: Annotated[int | None, BeforeValidator(own_queue)] = Field(
        default=None,
        description="Size of the queue in which a host of a data centre keeps what it"
        " sends, in packets. The default is that of its link.",
    )

    offload: bool = Field(
        default=False,
        description="Whether hosts hand down segments of TCP of up to 64 KiB, as to a"
        " network card, and receive the frames of a segment together.",
    )

    gather: Annotated[float | None, BeforeValidator(gathering)] = Field(
        default=None,
        description="With `offload`, how long a receiver gathers the frames of a"
        " segment, up to 10 ms; 100 us if nothing is given.",
    )

    def gather_ms(self, point: Mapping[str, Any]) -> float | None:
        """Time for which receivers gather frames; None without offload.

        point : name of a factor to its value
        """
        if not self.offload:
            return None
        usual = USUAL_GATHER_MS if self.gather is None else self.gather
        return float(point.get(GATHER, usual))

    def job(self, point: Mapping[str, Any]) -> record.Fabric:
        """Entries of a job about it, without what is as usual.

        point : name of a factor to its value
        """
        return record.Fabric(
            choose=self.choose,
            limit=self.limit if self.limit != LIMITS[0] else None,
            burst_packets=self.burst,
            acks_first=True if self.acks == FIRST else None,
            acks_direct=True if self.acks == DIRECT else None,
            gather_ms=self.gather_ms(point),
        )


def switched(value: object) -> object:
    """`true` stands for the fabric with its defaults, `false` for none."""
    if isinstance(value, bool):
        return {} if value else None
    if isinstance(value, dict):
        return value
    raise ValueError("expected true, false or {choose: hash}")


def switch_schema(schema: JsonDict) -> None:
    """In the JSON Schema: `true` and `false` will do."""
    choices = schema.pop("anyOf", [])
    assert isinstance(choices, list)
    schema["anyOf"] = [*choices, {"type": "boolean"}]


OnFabric = Annotated[Fabric | None, BeforeValidator(switched)]


def check_hosts(found: Fabric, topology: Description, faults: Faults) -> None:
    """Adds the faults of what only hosts of a data centre can have."""
    given = {"acks": found.acks != IN_TURN, "host_queue": found.host_queue is not None}
    for key, there in given.items():
        if there and not topology.mesh:
            reason = f"{topology.name} has no links of hosts alone; data centres have"
            faults.add(("fabric", key), f"{reason}, such as fattree-k4")
    if found.acks == FIRST and found.burst:
        reason = "links with a token bucket send in turn; take burst or acks away"
        faults.add(("fabric", "acks"), reason)


def parameters(factors: Iterable[str]) -> dict[str, Parameter]:
    """The factors that are keys of the fabric, by name.

    factors : the names of all factors
    """
    doc = "How long a receiver gathers the frames of a segment."
    key, most = f"{GATHER}_ms", MOST_GATHER_MS
    gather = Parameter(GATHER, "ms", key, USUAL_GATHER_MS, 0, most, False, doc)
    return {GATHER: gather} if GATHER in factors else {}


def check_factor(found: Fabric | None, factors: Iterable[str], faults: Faults) -> None:
    """Adds the faults of `fabric.gather` as a factor."""
    if GATHER not in factors:
        return
    place = ("design", "factors", GATHER)
    if found is None or not found.offload:
        faults.add(place, "only 'fabric: {offload: true}' gathers frames; add it")
    elif found.gather is not None:
        faults.add(place, "the fabric has a value of gather too; take one away")


def check_offload(found: Fabric, faults: Faults) -> None:
    """Adds the fault of a time of gathering without whole segments."""
    if found.gather is not None and not found.offload:
        reason = "receivers gather frames with 'offload: true' alone; add it"
        faults.add(("fabric", "gather"), reason)


def fault(topology: Description) -> str:
    """Reason why a topology cannot run on the fabric; empty if it can."""
    if topology.name in TCLINK:
        return (
            f"{topology.name} has links of Mininet's own kind, which the fabric does"
            " not have; take the topology two_path"
        )
    if topology.relays:
        reason = f"{topology.relays[0]} ends connections and opens others"
        return f"{reason}, and the fabric has no such hosts; take 'fabric' away"
    return ""
