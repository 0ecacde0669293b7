"""From a run's artefacts to its numbers."""

from typing import Any

from analysis.run import metrics, tools
from analysis.run.artefacts import Artefacts
from analysis.run.flow_phase_metrics import by_entry, by_phase
from analysis.run.job import FRAME_BYTES
from analysis.run.link_traffic import by_link, link_bytes
from analysis.run.readers.counters import Counters

PAYLOAD_SHARE = 1448 / FRAME_BYTES
"""The most that goodput can have of a link: payload of TCP with timestamps over the
frame that tc counts. The options of MPTCP take some more."""


def flows(run: Artefacts) -> tuple[tools.Flow, ...]:
    """One a traffic entry."""
    pairs = zip(run.job.traffic, run.reports, strict=True)
    return tuple(tools.tool(e.tool).flow(e, report) for e, report in pairs)


def row(run: Artefacts) -> dict[str, Any]:
    """Every metric that one run gives by itself; None where it is not defined."""
    moved = flows(run)
    goodput_mbps, measured_s = _together(run, moved)
    rates = [count / each.seconds for each in moved for count in each.stream_bytes]
    used = [link.capacity_mbps for link in run.used_links if link.capacity_mbps]
    several = _alone_on_disjoint_paths(run)
    openers = [run.counters[host] for host in run.job.initiators]
    return {
        "goodput_mbps": goodput_mbps,
        "measured_s": measured_s,
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
        **retransmissions(_senders(run)),
        "connections": sum(each.mptcp("MPCapableSYNACKRX") for each in openers),
        "joined_subflows": sum(each.mptcp("MPJoinSynAckRx") for each in openers),
        **by_link(run, link_bytes(run)),
        **(by_entry(run, moved) if run.job.traffic[0].name is not None else {}),
        **by_phase(run),
        **_by_tool(run),
    }


def _together(run: Artefacts, moved: tuple[tools.Flow, ...]) -> tuple[float, float]:
    """All entries' goodput in Mbit/s, and the seconds that it is a mean over: from
    the first start to the last end, for entries need not be on at a time."""
    if len(moved) == 1:
        return moved[0].goodput_mbps, moved[0].seconds
    starts = [entry.start_s for entry in run.job.traffic]
    ends = [s + each.seconds for s, each in zip(starts, moved, strict=True)]
    seconds = max(ends) - min(starts)
    return metrics.goodput_mbps(sum(each.bytes for each in moved), seconds), seconds


def _alone_on_disjoint_paths(run: Artefacts) -> bool:
    """Whether one host of MPTCP has the network, and links of its own for each of
    several paths: only then do their capacities add up for it."""
    entries = run.job.traffic
    paths = [each.links for each in run.paths_of(entries[0]).values()]
    return (
        len({entry.source for entry in entries}) == 1
        and entries[0].transport.protocol == "mptcp"
        and len(paths) > 1
        and all(len(path) == 1 for path in paths)
    )


def _by_tool(run: Artefacts) -> dict[str, Any]:
    """What only one tool measures; under the entry's name if it has one."""
    columns: dict[str, Any] = {}
    for number, (entry, report) in enumerate(
        zip(run.job.traffic, run.reports, strict=True), start=1
    ):
        several = len(run.reports) > 1
        name = entry.name or (f"traffic{number}" if several else None)
        before = f"{name}." if name else ""
        found = tools.tool(entry.tool).columns(entry, report)
        columns |= {f"{before}{name}": value for name, value in found.items()}
    return columns


def _senders(run: Artefacts) -> Counters:
    """Counters of the hosts that send data, added up."""
    hosts = dict.fromkeys(entry.sending_host for entry in run.job.traffic)
    found = [run.counters[host] for host in hosts]
    names = dict.fromkeys(name for each in found for name in each.values)
    return Counters({name: sum(each.get(name) for each in found) for name in names})


def retransmissions(sender: Counters) -> dict[str, Any]:
    """How much of what a sender sent was sent again."""
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
