"""From a run's artefacts to its numbers."""

from collections.abc import Mapping
from typing import Any

from analysis import metrics, transfers
from analysis.artefacts import Artefacts
from analysis.asked import FRAME_BYTES
from analysis.readers.counters import Counters
from analysis.transfers import Flow

PAYLOAD_SHARE = 1448 / FRAME_BYTES
"""The most that goodput can have of a link: payload of TCP with timestamps over the
frame that tc counts. The options of MPTCP take some more."""


def flows(run: Artefacts) -> tuple[Flow, ...]:
    """One a traffic entry."""
    pairs = zip(run.asked.traffic, run.reports, strict=True)
    return tuple(transfers.tool(e.tool).flow(e, report) for e, report in pairs)


def row(run: Artefacts) -> dict[str, Any]:
    """Every metric that one run gives by itself; None where it is not defined."""
    moved = flows(run)
    goodput_mbps = sum(each.goodput_mbps for each in moved)
    rates = [count / each.seconds for each in moved for count in each.stream_bytes]
    used = [path.capacity_mbps for path in run.asked.used_paths]
    several = run.asked.transport.protocol == "mptcp" and len(used) > 1
    return {
        "goodput_mbps": goodput_mbps,
        "measured_s": max(each.seconds for each in moved),
        "received_bytes": sum(each.bytes for each in moved),
        "aggregation_benefit": metrics.aggregation_benefit(goodput_mbps, used)
        if several
        else None,
        "aggregation_benefit_bound": metrics.aggregation_benefit(
            sum(used) * PAYLOAD_SHARE, used
        )
        if several
        else None,
        "utilisation": metrics.utilisation(goodput_mbps, used),
        "jain": metrics.jain(rates) if len(rates) > 1 and any(rates) else None,
        **_retransmissions(_sender(run)),
        "connections": run.client.mptcp("MPCapableSYNACKRX"),
        "joined_subflows": run.client.mptcp("MPJoinSynAckRx"),
        **_by_path(run, path_bytes(run)),
        **_by_tool(run),
    }


def _by_tool(run: Artefacts) -> dict[str, Any]:
    """What only one tool measures; under the entry's number if there are several."""
    columns: dict[str, Any] = {}
    for number, (entry, report) in enumerate(
        zip(run.asked.traffic, run.reports, strict=True), start=1
    ):
        before = "" if len(run.reports) == 1 else f"traffic{number}."
        found = transfers.tool(entry.tool).columns(entry, report)
        columns |= {f"{before}{name}": value for name, value in found.items()}
    return columns


def path_bytes(run: Artefacts) -> dict[int, int]:
    """Bytes of frames that each path carried in the direction of the data.

    With traffic in both directions, the sum of both.
    """
    ways = {entry.forward for entry in run.asked.traffic}
    return {
        path.number: sum(path.direction(way).bytes for way in ways)
        for path in run.paths
    }


def _by_path(run: Artefacts, carried: Mapping[int, int]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    parts: list[float | None] = [None] * len(carried)
    if any(carried.values()):
        parts = list(metrics.shares(list(carried.values())))
    ways = {entry.forward for entry in run.asked.traffic}
    asked = {path.number: path for path in run.asked.paths}
    for path, share in zip(run.paths, parts, strict=True):
        name = f"path{path.number}"
        if path.number in asked:
            columns[f"{name}.queue_packets"] = asked[path.number].queue_packets
        columns[f"{name}.bytes"] = carried[path.number]
        columns[f"{name}.share"] = share
        columns[f"{name}.queue_drops"] = sum(
            path.direction(way).queue_drops for way in ways
        )
    return columns


def _sender(run: Artefacts) -> Counters:
    """Counters of the hosts that send data."""
    hosts = {"client" if entry.forward else "server" for entry in run.asked.traffic}
    if len(hosts) == 1:
        return run.counters(hosts.pop())
    names = run.client.values.keys() | run.server.values.keys()
    return Counters({n: run.client.get(n) + run.server.get(n) for n in names})


def _retransmissions(sender: Counters) -> dict[str, Any]:
    again = {
        "retransmission": sender.retransmitted,
        "reinjection": sender.mptcp("MPTCPRetrans"),
    }
    sent = sender.segments_sent
    columns: dict[str, Any] = {"sent_segments": sent}
    for name, count in again.items():
        columns[f"{name}s"] = count
        columns[f"{name}_ratio"] = (
            metrics.retransmission_ratio(count, sent) if sent else None
        )
    return columns
