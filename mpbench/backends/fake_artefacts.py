"""The files that a guest would leave, from a formula instead of a kernel.

The files have the names and shapes of a real run's, and the numbers obey the
few rules that readers and checks rely on: goodput below capacity, bytes that
add up, subflows that join. They are no model of TCP.
"""

import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from jobs import Entry, Job
from mpbench.backends import fake_changes, fake_events, fake_queues, fake_trace
from mpbench.backends.fake_flows import (
    Flow,
    connections_of,
    fake_of,
    flow,
    hosts_of,
    packets,
    virtual_s,
)
from tools import part
from topologies.shaping import (
    DELAY_LINE_PACKETS,
    FRAME_BYTES,
    SENDER_HANDLE,
    Shape,
)
from topologies.wiring import Wiring

ENDS = ("client", "server")
ACKNOWLEDGEMENT_BYTES = 66
LISTED = (
    "MPCapableFallbackACK",
    "MPCapableFallbackSYNACK",
    "MPCapableSYNACKRX",
    "MPJoinSynAckRx",
    "MPJoinSynTx",
    "MPTCPRetrans",
    "OFOQueue",
    "DuplicateData",
)
"""Counters of MPTCP's that every host has, also where they are 0."""


def artefacts(job: Job) -> dict[str, bytes]:
    """The content of each file by its name, a function of the job alone."""
    wiring = job.wiring
    flows = [flow(job, index) for index in range(len(job.traffic))]
    files: dict[str, Any] = {"outcome.json": outcome(job, flows, wiring)}
    for index, each in enumerate(flows):
        files |= fake_of(job.traffic[index]).reports(job, index, each)
        if not each.transfers:
            files |= {f"traffic-{index}-{end}.err": b"" for end in ENDS}
    files |= tables(job, flows)
    for name, metric in (job.metrics or {}).items():
        given = dict.fromkeys(metric.numbers, 1.0)
        files[f"metric-{name}.json"] = {"numbers": given}
    for host in job.transports:
        files[f"nstat-{host}.json"] = {"kernel": counters(job, flows, host)}
    changed = fake_changes.shapes_at_end(job, wiring, virtual_s(flows))
    files["qdisc-end.json"] = qdisc_table(job, flows, changed)
    if job.changes:
        files["changes.csv"] = fake_changes.record(job, virtual_s(flows))
    if htbs := classes(wiring):
        files["class-end.json"] = htbs
    files["link-end.json"] = links(job, wiring, flows)
    files["events.csv"] = fake_events.events(job, flows)
    if job.trace_s:
        files["trace.csv"] = fake_trace.trace(job, flows)
    files |= fake_queues.files(job, virtual_s(flows))
    if job.capture:
        files["capture-client.pcap"] = capture(job)
    files["console.log"] = console(job, flows)
    return {name: _bytes(value) for name, value in files.items()}


def tables(job: Job, flows: list[Flow]) -> dict[str, Any]:
    """The files of tools that have one process for all of their entries."""
    by_tool: dict[str, dict[int, Flow]] = {}
    for index, each in enumerate(flows):
        if each.transfers:
            by_tool.setdefault(job.traffic[index].tool, {})[index] = each
    files: dict[str, Any] = {}
    for tool, of_entry in by_tool.items():
        files |= part(tool, "fake").tables(job, of_entry)
    return files


def outcome(job: Job, flows: list[Flow], wiring: Wiring) -> dict[str, Any]:
    processes = [
        {
            "name": entry.tool if each.transfers else f"traffic-{index}-{end}",
            "host": entry.source if end == "client" else entry.destination,
            "argv": [entry.tool, f"--{end}", "--json"],
            "exit_code": 0,
            "start_s": each.begin_s,
            "end_s": round(each.begin_s + each.seconds, 9),
        }
        for end in ("server", "client")
        for index, (entry, each) in enumerate(zip(job.traffic, flows, strict=True))
    ]
    return {
        "format": 1,
        "status": "ok",
        "error": None,
        "virtual_s": round(virtual_s(flows), 9),
        "kernel": {"release": "0.0.0-fake", "version": "#1 fake"},
        "transports": {
            host: {
                "congestion_control": transport.kernel_control,
                "scheduler": transport.scheduler,
            }
            for host, transport in job.transports.items()
        },
        "users": {
            user.host: [
                {"links": list(links), "interface": p.interface, "address": p.address}
                for links, p in zip(user.paths, wiring.ports[user.host], strict=True)
            ]
            for user in job.description.users
            if user.host in job.transports
        },
        "paths": [
            {
                "link": place.link,
                "forward": {"node": place.forward[0], "interface": place.forward[1]},
                "backward": {"node": place.backward[0], "interface": place.backward[1]},
            }
            for place in wiring.links
        ],
        "processes": processes,
    }


def counters(job: Job, flows: list[Flow], host: str) -> dict[str, int]:
    """The counters of one host. Tools say how many connections they open."""
    ports = [
        (entry, each)
        for entry, each in zip(job.traffic, flows, strict=True)
        if host in (*entry.sources, *entry.destinations)
    ]
    out = sum(math.ceil(each.bytes / each.payload_bytes) for _, each in ports)
    resent = sum(each.retransmits for _, each in ports)
    client = any(host in entry.sources for entry, _ in ports)
    sends = client != all(entry.reverse for entry, _ in ports)
    values = {
        "TcpOutSegs": out + resent if sends else out // 2,
        "TcpInSegs": out // 2 if sends else out,
        "TcpRetransSegs": resent if sends else 0,
    }
    connections = sum(connections_of(job, entry, each) for entry, each in ports)
    if job.transports[host].is_mptcp:
        opened = _joins(job, [port for port in ports if host in port[0].sources])
        accepted = _joins(job, [p for p in ports if host in p[0].destinations])
        server = any(host in entry.destinations for entry, _ in ports)
        capable = "MPTcpExtMPCapableSYNTX" if client else "MPTcpExtMPCapableSYNRX"
        reply = "MPTcpExtMPCapableSYNACKRX" if client else "MPTcpExtMPCapableACKRX"
        values |= {capable: connections, reply: connections}
        if client:
            values |= {"MPTcpExtMPJoinSynTx": opened, "MPTcpExtMPJoinSynAckRx": opened}
        if server:
            values |= {"MPTcpExtMPJoinSynRx": accepted, "MPTcpExtMPJoinAckRx": accepted}
    return {**{f"MPTcpExt{name}": 0 for name in LISTED}, **values}


def _joins(job: Job, of_host: Sequence[tuple[Entry, Flow]]) -> int:
    """Further subflows of some entries: one per path but the first."""
    total = 0
    for entry, each in of_host:
        users = [job.description.user(name) for name in hosts_of(entry)]
        more = max(len(user.paths) for user in users) - 1
        total += connections_of(job, entry, each) * more
    return total


def qdisc_table(
    job: Job, flows: list[Flow], changed: Mapping[tuple[str, str], Shape]
) -> dict[str, Any]:
    """The output of `tc -s -j qdisc show` on every router that shapes a link.

    changed : the last shape of each interface that changed
    """
    wiring = job.wiring
    ends = {
        (end.node, end.interface): end.shape
        for wire in wiring.wires
        for end in (wire.one, wire.two)
    }
    table: dict[str, Any] = {}
    for place in wiring.links:
        up, down = (packets(flows, place.link, reverse) for reverse in (False, True))
        for (node, device), forward, data, acknowledged in (
            (place.forward, True, up, down),
            (place.backward, False, down, up),
        ):
            shape = changed.get((node, device)) or ends.get((node, device))
            shape = shape or fake_changes.mean_shape(job, place.link, forward)
            sent = (data, acknowledged // 2)
            table.setdefault(node, []).extend(qdiscs(device, shape, sent))
    return dict(sorted(table.items()))


def qdiscs(device: str, shape: Shape, sent: tuple[int, int]) -> list[dict[str, Any]]:
    """The queueing disciplines of one interface.

    sent : the full packets, one in 500 of which was dropped, and the acknowledgements
    """
    full, small = sent
    netem: dict[str, Any] = {
        "limit": DELAY_LINE_PACKETS,
        "delay": {
            "delay": shape.delay_ms / 1e3,
            "jitter": shape.jitter_ms / 1e3,
            "correlation": 0,
        },
        "ecn": False,
        "gap": 0,
    }
    if shape.loss_percent:
        netem["loss-random"] = {"loss": shape.loss_percent / 100, "correlation": 0}
    statistics = {
        "bytes": full * FRAME_BYTES + small * ACKNOWLEDGEMENT_BYTES,
        "packets": full + small,
        "drops": full // 500 if shape.capacity_mbps else 0,
        "overlimits": (full + small) // 2,
        "requeues": 0,
        "backlog": 0,
        "qlen": 0,
    }
    if shape.tclink:
        return [
            {"kind": "htb", "handle": "5:", "dev": device, "root": True, **statistics},
            {
                **{"kind": "netem", "handle": "10:", "dev": device, "parent": "5:1"},
                **{"options": {**netem, "limit": shape.queue_packets}, **statistics},
            },
        ]
    if shape.one_netem:
        rate = round((shape.capacity_mbps or 0.0) * 1e6 / 8)
        own = {**netem, **({"rate": {"rate": rate}} if rate else {})}
        own["limit"] = shape.queue_packets if rate else DELAY_LINE_PACKETS
        root = {"kind": "netem", "handle": SENDER_HANDLE, "dev": device, "root": True}
        return [{**root, "options": own, **statistics}]
    root = {"kind": "netem", "handle": "1:", "dev": device, "root": True}
    listed = [{**root, "options": netem, **statistics}]
    if shape.capacity_mbps:
        tbf = {
            "rate": round(shape.capacity_mbps * 1e6 / 8),
            "burst": shape.bucket_packets * shape.frame_bytes,
            "limit": shape.queue_packets * FRAME_BYTES,
        }
        child = {"kind": "tbf", "handle": "10:", "dev": device, "parent": "1:1"}
        if shape.at_sender:
            del child["parent"]
            return [{**child, "root": True, "options": tbf, **statistics}]
        listed.append({**child, "options": tbf, **statistics})
    return listed


def classes(wiring: Wiring) -> dict[str, Any]:
    """The output of `tc -s class show` for each htb, by node and interface."""
    table: dict[str, Any] = {}
    for end in (end for wire in wiring.wires for end in (wire.one, wire.two)):
        if end.shape and end.shape.tclink and end.shape.capacity_mbps:
            rate_bps = round(end.shape.capacity_mbps * 1e6)
            text = f"class htb 5:1 root leaf 10: prio 0 rate {rate_bps}bit ceil\n"
            table.setdefault(end.node, {})[end.interface] = text
    return dict(sorted(table.items()))


def links(job: Job, wiring: Wiring, flows: list[Flow]) -> dict[str, Any]:
    """Counters of every interface, without an error and without a drop; only those
    of users have packets."""
    table: dict[str, Any] = {}
    for wired in wiring.wires:
        for end in (wired.one, wired.two):
            table.setdefault(end.node, {})[end.interface] = _interface(0, 0)
    for host, ports in wiring.ports.items():
        for port in ports:
            table.setdefault(host, {}).setdefault(port.interface, _interface(0, 0))
    for entry, each in zip(job.traffic, flows, strict=True):
        for (host, path), count in each.path_bytes.items():
            there = math.ceil(count / each.payload_bytes)
            port = wiring.ports[host][path - 1]
            both = (there // 2, there)
            received, sent = both[::-1] if entry.reverse else both
            mine = table[host][port.interface]
            for key, value in _interface(received, sent).items():
                mine[key] += value
    return table


def capture(job: Job) -> bytes:
    """A capture file with one packet of random bytes from the seed."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    noise = hashlib.sha256(str(job.seed).encode()).digest()
    return head + struct.pack("<IIII", 0, 0, len(noise), len(noise)) + noise


def console(job: Job, flows: list[Flow]) -> bytes:
    lines = ["fake guest: up", f"topology {job.topology}: built"]
    lines += [
        f"traffic {index}: {each.bytes} bytes in {each.seconds:.3f} s"
        for index, each in enumerate(flows)
    ]
    return "".join(f"{line}\n" for line in [*lines, "power off"]).encode()


def _interface(received: int, sent: int) -> dict[str, int]:
    values: dict[str, int] = {}
    for way, count in (("rx", received), ("tx", sent)):
        values |= {f"{way}_bytes": count * FRAME_BYTES, f"{way}_packets": count}
        values |= {f"{way}_errors": 0, f"{way}_dropped": 0}
    return values


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()
