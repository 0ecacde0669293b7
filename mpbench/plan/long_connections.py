"""Memory of long connections in the guest of a data centre.

A socket keeps what it has sent until it is acknowledged, and as much again. Linux gives
it 8.7 kB for each packet of its largest window, and each of an MPTCP's subflows begins
with ten. So the windows of slow start decide: those that fill the queues of the hosts'
own links before their drops are noticed.

Measured in the guest, as what it touched of its memory, less that of the same network
without traffic; buffers bounded by 1 MiB, queues of 100 packets, hosts of 100 Mbit/s.
After 4 s it was 5 % more than after one. MiB per connection, and what `needed_bytes`
says of it:

    FatTree  connections from each host, subflows    measured   said
    k = 8    1 of MPTCP, with 1, 2, 4, 8 subflows    0.8, 1.4, 2.0, 3.0
                                                     1.4, 2.8, 3.9, 4.4
    k = 8    12 of MPTCP, with 8 subflows            1.0        1.2
    k = 8    12 of TCP                               0.34       0.42
    k = 4    12 of MPTCP, with 8 subflows            1.2        1.2
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jobs import Job, Transport
from jobs.entries import DrawnFlows, Entry
from jobs.entries.arrivals import AtOnce
from jobs.guest import MIB, MOST_MIB
from mpbench import guest_memory
from mpbench.plan import flow_memory, timing
from topologies import families
from topologies.shaping import FRAME_BYTES

WINDOW_BYTES = 8_700
"""Bytes that a socket keeps for each packet of its largest window
(tcp_sndbuf_expand)."""
FIRST_WINDOW = 10
FULL_QUEUES = 3
"""The windows of a host come to so many times what its own links hold."""
OVERHEAD = 1.4
"""Bytes of sockets, and of packets under way, beside that."""
USABLE = 0.75
"""The part of a guest's memory that connections may take."""
STEP_MIB = 512


@dataclass(frozen=True)
class Shortage:
    """Long connections that do not fit into the guest of a job.

    stream : number in the experiment file of the entry that needs most
    needed_bytes : what all of them take
    words : the reason, and what would work
    """

    stream: int
    needed_bytes: float
    words: str


def of(job: Job) -> Iterator[Shortage]:
    """The shortage of a job, if there is one."""
    if not families.is_name(job.topology or ""):
        return
    memory_mib = job.memory_mib
    has_bytes = USABLE * memory_mib * MIB
    needs = {index: needed_bytes(job, entry) for index, entry in _long(job)}
    whole = sum(needs.values())
    if whole <= has_bytes:
        return
    worst = max(needs, key=lambda index: needs[index])
    count = sum(_counts(job, entry).total() for _, entry in _long(job))
    fits = max(int(count * has_bytes / whole), 1)
    entry = job.traffic[worst]
    yield Shortage(
        entry.stream if isinstance(entry, DrawnFlows) else worst,
        whole,
        f"{count} long connections take about {whole / 1e6:.0f} MB, of which the"
        f" guest's {guest_memory.words(memory_mib)} has {has_bytes / 1e6:.0f} MB;"
        f" {_remedy(whole)}fewer connections: {fits} work",
    )


def _remedy(needed: float) -> str:
    steps = math.ceil(needed / USABLE / MIB / STEP_MIB)
    if steps * STEP_MIB > MOST_MIB:
        return "give "
    words = guest_memory.words(steps * STEP_MIB)
    return f"give the guest more, 'guest: {{memory: {words}}}', or give "


def needed_bytes(job: Job, entry: Entry) -> float:
    """Memory of the guest that the connections of an entry take."""
    transport = job.transport_of(entry)
    paths = timing.paths(job, entry.source)
    subflows = _subflows(transport, len(paths))
    most = subflows * _buffer_bytes(transport) / WINDOW_BYTES
    held = FULL_QUEUES * _held_packets(job, paths)
    packets = sum(
        min(count * most, count * subflows * FIRST_WINDOW + held)
        for count in _counts(job, entry).values()
    )
    return OVERHEAD * WINDOW_BYTES * packets


def _long(job: Job) -> Iterator[tuple[int, Entry]]:
    """The entries whose connections last, with their numbers in the job."""
    return ((index, entry) for index, entry in enumerate(job.traffic) if entry.bulk)


def _counts(job: Job, entry: Entry) -> Counter[str]:
    """Connections that are open at a time, by the host that sends."""
    hosts = [there if entry.reverse else here for here, there in entry.between]
    if not isinstance(entry, DrawnFlows):
        return Counter({hosts[0]: entry.connections_at_a_time})
    flows = entry.drawn.flows
    if not isinstance(entry.arrivals, AtOnce):
        flows = flow_memory.most_open_of(job, entry)
    each = flows / len(hosts)
    return Counter({host: math.ceil(n * each) for host, n in Counter(hosts).items()})


def _subflows(transport: Transport, paths: int) -> int:
    if not transport.is_mptcp:
        return 1
    return transport.same_pair or paths


def _buffer_bytes(transport: Transport) -> int:
    """The bound on what one socket sends ahead."""
    return int(transport.sysctls["net.ipv4.tcp_wmem"].split()[-1])


def _held_packets(job: Job, paths: Sequence[Sequence[str]]) -> float:
    """Packets in the queues of a host's own links, and under way on its paths."""
    found = 0.0
    for path in paths:
        first = job.shapes[path[0]]
        trip_s = 4 * sum(job.shapes[name].delay_ms for name in path) / 1e3
        under_way = (first.capacity_mbps or 0) * 1e6 / 8 * trip_s / FRAME_BYTES
        found += first.queue_packets + under_way
    return found
