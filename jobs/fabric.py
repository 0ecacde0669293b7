"""The fabric of the guest's kernel, which forwards packets in place of routers."""

from dataclasses import dataclass
from typing import Annotated, Literal

from jobs.marks import Among, Bounds
from topologies.fabric import CHOICES, LIMITS, MOST_BURST_PACKETS, MOST_GATHER_MS


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """The forwarding of packets by the fabric.

    choose : how a new flow picks one of several paths between two addresses
    limit : what a queue of N packets holds; None for the bytes of N full packets
    burst_packets : depth of the token buckets, 0 for none; None for the usual depth
    acks_first : whether segments without data leave a host before others that wait
    acks_direct : whether segments without data reach the other end at once
    gather_ms : how long receivers gather the frames of a segment that its sender handed
        down as a whole; None for hosts that send and receive single frames
    """

    choose: Annotated[str, Among(CHOICES)]
    limit: Annotated[str, Among(LIMITS)] | None = None
    burst_packets: Annotated[int, Bounds(0, MOST_BURST_PACKETS)] | None = None
    acks_first: Literal[True] | None = None
    acks_direct: Literal[True] | None = None
    gather_ms: Annotated[float, Bounds(0, MOST_GATHER_MS)] | None = None

    @property
    def queue_limit(self) -> str:
        """One of `topologies.fabric.LIMITS`."""
        return self.limit or LIMITS[0]
