"""Estimated duration of runs, before any has run.

A run moves at most capacity x time bits, and fewer where a path loses packets at
random. Its wall time is the cost of an empty guest, plus these bits over the rate at
which one core moves them. In real time a run takes as long as its traffic. The
constants were measured on a 2-core machine (`benchmarks/thesis_cost.csv`, with other
work beside it); a factor of two between machines is common.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from jobs import Entry, Job
from jobs.entries import DrawnFlows
from mpbench.plan.timing import (
    PACKET_BITS,
    fastest_path_mbps,
    request_s,
    traffic_end_s,
    used_mbps,
)
from tools import has_part, part
from topologies import families

KEYS = "keys"

OVERHEAD_S = 0.3
"""Wall time of an empty run: boot, network, teardown."""
HOST_S = 12e-3
"""The same for each host of a data centre (`benchmarks.fattrees`)."""
MESSAGE_S = 0.25e-3
"""Time of a message of cbr over a connection beside its packets."""
PACKET = "packet"
BITS_PER_WALL_S = {"bulk": 3e9, "coalesced": 2.2e9, PACKET: 0.6e9}
"""Speed at which one core moves data, by the way in which the receiver reads."""
CALL_S = 11e-6
"""Time of a system call of a program."""
CALLS_PER_REQUEST = 6
"""System calls of both ends per request over a connection that is there."""
IN_DATA_CENTRE, OF_HOSTS = 1.6, 1.3
"""Cost of data in a data centre, where a packet passes more links, and of data that
several hosts send, over that of one host."""
GATHERED, LEAST_GATHERED = -0.35, 0.36
"""The cost of data in whole segments falls with this power of the frames that a
receiver gathers, and to this share (docs/offload.md)."""
MOST_FRAMES = 45.0

QEMU_BOOT_S = 8.0
"""Wall time of an empty run in QEMU."""
QEMU_PER_VIRTUAL = 0.5
"""Wall time of a virtual second in QEMU, with little traffic."""
QEMU_PER_MBIT_S = 0.02
"""Wall time in QEMU of a megabit that the bottlenecks carry."""


@dataclass(frozen=True)
class Estimate:
    """virtual_s : virtual time of the traffic; wall_s : wall time on one core."""

    virtual_s: float
    wall_s: float


def estimate(job: Job, real_time: bool = False) -> Estimate:
    """The estimate for one run, from its job.

    real_time : whether the run takes place in the host's time (backend native)
    """
    ends = [traffic_end_s(job, entry) for entry in job.traffic]
    cost = max(map(_bit_s, job.traffic), default=0.0) * _gathered(job)
    cost *= _spread(job)
    bits = sum(_sized_bits(job, entry) for entry in job.traffic)
    timed = [
        (entry.start_s, end)
        for entry, end in zip(job.traffic, ends, strict=True)
        if entry.bytes is None and _sized(entry) is None and not entry.connection_mbps
    ]
    for span in _covered(timed):
        mbps = used_mbps(job, span=span, losses=True)
        bits += mbps * 1e6 * (span[1] - span[0])
    messages_s = MESSAGE_S * sum(map(_messages, job.traffic))
    messages_s += sum(_requests_s(job, entry) for entry in job.traffic)
    end_s = max(ends, default=0.0)
    if job.linux is not None and job.linux.in_qemu:
        wall_s = QEMU_BOOT_S + QEMU_PER_VIRTUAL * end_s
        return Estimate(end_s, wall_s + QEMU_PER_MBIT_S * bits / 1e6)
    traffic_s = end_s if real_time else bits * cost + messages_s
    return Estimate(end_s, OVERHEAD_S + HOST_S * _hosts(job) + traffic_s)


def _hosts(job: Job) -> int:
    """The hosts of a data centre; 0 elsewhere, where they hardly count."""
    name = job.topology or ""
    return len(families.centre(name).ports) if families.is_name(name) else 0


def _sized_bits(job: Job, entry: Entry) -> float:
    """Bits that an entry of a given size or rate moves; 0 for one that is limited by
    time alone."""
    if entry.connection_mbps is not None:
        return _rated_bits(entry)
    if (sized := _sized(entry)) is not None:
        return 8.0 * sized.drawn.bytes
    if entry.bytes is None:
        return 0.0
    bits = 8.0 * entry.bytes * (_requests(job, entry) or 1.0)
    if entry.given_up_s is None:
        return bits
    return min(bits, used_mbps(job, [entry], losses=True) * 1e6 * entry.given_up_s)


def _requests(job: Job, entry: Entry) -> float:
    """Number of requests that an entry makes; 0 for other traffic."""
    if not entry.at_a_time:
        return 0.0
    if entry.duration_s is None:
        return float(entry.request_count or 1)
    return max(1.0, entry.duration_s / request_s(job, entry))


def _spread(job: Job) -> float:
    """The cost of data by the hosts that send them, over that of one host."""
    if families.is_name(job.topology or ""):
        return IN_DATA_CENTRE
    return OF_HOSTS if len({entry.source for entry in job.traffic}) > 1 else 1.0


def _requests_s(job: Job, entry: Entry) -> float:
    """Time of the requests of an entry beside the packets of their answers."""
    calls = _calls(entry, "CALLS_PER_REQUEST", CALLS_PER_REQUEST)
    return calls * CALL_S * _requests(job, entry)


def _bit_s(entry: Entry) -> float:
    """Time that a bit of an entry takes, by how its receiver reads."""
    seconds = 1 / BITS_PER_WALL_S[entry.reads]
    if entry.reads == PACKET:
        calls = _calls(entry, "CALLS_PER_PACKET", 1)
        seconds += (calls - 1) * CALL_S / PACKET_BITS
    return seconds


def _calls(entry: Entry, name: str, usual: int) -> int:
    """A number of system calls, if the tool says one."""
    if not has_part(entry.tool, KEYS):
        return usual
    return int(getattr(part(entry.tool, KEYS), name, usual))


def _gathered(job: Job) -> float:
    """The cost of data in whole segments, over that in single frames."""
    if job.fabric is None or not job.fabric.gather_ms:
        return 1.0
    frame_ms = PACKET_BITS / (1e3 * max(fastest_path_mbps(job), 1e-6))
    frames = min(1 + job.fabric.gather_ms / frame_ms, MOST_FRAMES)
    return float(max(frames**GATHERED, LEAST_GATHERED))


def _sized(entry: Entry) -> DrawnFlows | None:
    """The entry, if it opens connections of given sizes."""
    return entry if isinstance(entry, DrawnFlows) and entry.size is not None else None


def _rated_bits(entry: Entry) -> float:
    """Bits that an entry writes into its connection; 0 if it has no rate of its own."""
    return 1e6 * float(entry.connection_mbps or 0.0) * float(entry.duration_s or 0.0)


def _messages(entry: Entry) -> float:
    """Number of messages that an entry writes; 0 for other traffic."""
    size = entry.message_bytes
    return _rated_bits(entry) / (8 * size) if size else 0.0


def _covered(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The time that at least one of the spans covers, as spans apart from another."""
    apart: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def total(estimates: Iterable[Estimate], cores: int = 1) -> Estimate:
    """The estimate for all runs together, spread over `cores` cores."""
    every = list(estimates)
    longest = max((e.wall_s for e in every), default=0.0)
    wall_s = max(sum(e.wall_s for e in every) / cores, longest)
    return Estimate(sum(e.virtual_s for e in every), wall_s)
