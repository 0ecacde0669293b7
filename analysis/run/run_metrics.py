"""The metrics of a whole run, from its artefacts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.run import (
    changed_links,
    clock,
    fair_shares,
    flow_times,
    link_measures,
    metrics,
    queue_means,
    together,
    tools,
)
from analysis.run.artefacts import Artefacts
from analysis.run.flow_phase_metrics import by_entry, by_phase, own_names
from analysis.run.link_traffic import by_link, link_bytes
from analysis.run.payload import TCP_SHARE
from analysis.run.readers.counters import Counters, total

RETRANSMISSIONS = (
    "sent_segments",
    "retransmissions",
    "retransmission_ratio",
    "reinjections",
    "reinjection_ratio",
)


def flows(run: Artefacts) -> tuple[tools.Flow | None, ...]:
    """Data that the receiver of each traffic entry read, in the job's order; None if
    the entry's tool does not say."""
    pairs = zip(run.traffic, run.reports, strict=True)
    return tuple(tools.of(entry, report).flow(entry, report) for entry, report in pairs)


def row(run: Artefacts) -> dict[str, Any]:
    """All metrics that need no other run, by column name.

    A metric is None if it is not defined for the run.
    """
    moved = flows(run)
    measured = together.measured(run, moved)
    known = [flow for flow in measured if flow is not None]
    goodput_mbps, measured_s = total_goodput(run, measured)
    rates = [count / flow.seconds for flow in known for count in flow.stream_bytes]
    if together.apart(run, measured):
        rates = []
    capacities = _capacities(run, measured_s)
    counters = [run.counters[host] for host in run.initiators]
    carried = link_bytes(run)
    return {
        "goodput_mbps": goodput_mbps,
        "measured_s": measured_s,
        "received_bytes": None
        if not known
        or together.apart(run, measured) == together.BOTH_WAYS
        or together.silent(run)
        else sum(flow.bytes for flow in known),
        **_aggregation_benefit(run, goodput_mbps, capacities),
        "utilisation": metrics.utilisation(goodput_mbps, capacities)
        if goodput_mbps is not None and capacities
        else None,
        "payload_utilisation": link_measures.payload_utilisation(
            run, measured, measured_s, capacities
        )
        if goodput_mbps is not None
        else None,
        "jain": metrics.jain(rates) if len(rates) > 1 and any(rates) else None,
        **(dict.fromkeys(RETRANSMISSIONS) if quic_alone(run) else {}),
        **({} if quic_alone(run) else retransmissions(_senders(run))),
        "wire_bytes_per_byte": link_measures.wire_bytes_per_byte(run, moved),
        "connections": total(counters, "MPCapableSYNACKRX"),
        "joined_subflows": total(counters, "MPJoinSynAckRx"),
        **by_link(run, carried),
        **link_measures.columns(run, measured_s),
        **_changing_links(run, measured_s, carried),
        **(by_entry(run, moved) if run.traffic[0].name is not None else {}),
        **by_phase(run),
        **queue_means.by_phase(run),
        **_all_flows(run),
        **_by_tool(run),
        **fair_shares.columns(run),
    }


def _capacities(run: Artefacts, measured_s: float | None) -> list[float]:
    """The capacity of each link used, in Mbit/s; its mean where it changes.

    A link that had no capacity at any time is left out. In a data centre, these are the
    links of all hosts: no more can be sent.
    """
    places = Counter(end.link for end in run.outcome.links)
    first = {
        path.links[0] for entry in run.traffic for path in run.paths_of(entry).values()
    }
    if any(places[link] > 1 for link in first):
        return [
            places[link.name] * (link.capacity_mbps or 0.0)
            for link in run.used_links
            if link.name in first
        ]
    forward = any(entry.forward for entry in run.traffic)
    span = _span(run, measured_s or 0.0)
    means = [
        changed_links.mean_capacity_mbps(run.job, link, forward, span)
        for link in run.used_links
    ]
    return [mean for mean in means if mean]


def _span(run: Artefacts, measured_s: float) -> tuple[float, float]:
    """The time over which the goodput is a mean, from the start of the traffic."""
    begin_s = min(entry.start_s for entry in run.traffic)
    return begin_s, begin_s + measured_s


def _changing_links(
    run: Artefacts, measured_s: float | None, carried: Mapping[str, int]
) -> dict[str, float | None]:
    """The columns of every link that changes, over the time measured.

    carried : link name to bytes, as `link_bytes` returns them

    LINK.mean_capacity_mbps : its mean capacity
    LINK.utilisation : the part of it that frames used; None if it had none
    """
    if not measured_s or together.both_ways(run):
        return {}
    forward = any(entry.forward for entry in run.traffic)
    span = _span(run, measured_s)
    columns: dict[str, float | None] = {}
    for link in run.job.links:
        if changed_links.changes(run.job, link.name) and link.name in carried:
            mean = changed_links.mean_capacity_mbps(run.job, link, forward, span)
            used_mbps = 8e-6 * carried[link.name] / measured_s
            columns[f"{link.name}.mean_capacity_mbps"] = mean
            columns[f"{link.name}.utilisation"] = used_mbps / mean if mean else None
    return columns


def _all_flows(run: Artefacts) -> dict[str, Any]:
    """The columns of all connections with a size, of all entries of the tool flows
    that are no background."""
    pairs = zip(run.traffic, run.reports, strict=True)
    sized = [
        (entry, report)
        for entry, report in pairs
        if entry.flow_bytes is not None and not entry.background
        if report is not None
    ]
    if not sized:
        return {}
    loads = [flow_times.load_columns(entry, report) for entry, report in sized]
    return {
        **flow_times.columns([flow for _, report in sized for flow in report.flows]),
        **flow_times.fallback_columns(report for _, report in sized),
        **{
            name: sum(load[name] for load in loads)
            if all(load[name] is not None for load in loads)
            else None
            for name in loads[0]
        },
    }


def _aggregation_benefit(
    run: Artefacts, goodput_mbps: float | None, capacities: Sequence[float]
) -> dict[str, float | None]:
    """A_B, and the A_B of a transport whose frames fill all links.

    Both are None for runs to which A_B does not apply.
    """
    several = len(capacities) > 1
    if goodput_mbps is None or not several or not _alone_on_disjoint_paths(run):
        return {"aggregation_benefit": None, "aggregation_benefit_bound": None}
    most_mbps = sum(capacities) * TCP_SHARE
    return {
        "aggregation_benefit": metrics.aggregation_benefit(goodput_mbps, capacities),
        "aggregation_benefit_bound": metrics.aggregation_benefit(most_mbps, capacities),
    }


def total_goodput(
    run: Artefacts, moved: tuple[tools.Flow | None, ...]
) -> tuple[float | None, float | None]:
    """The goodput of all entries in 10^6 bit/s, and the seconds over which it is a
    mean.

    With several entries these are the seconds from the first start to the last end, on
    the guest's clock, because entries need not be active at the same time. Entries
    whose tools do not say what arrived are left out; both are None if no entry is left.
    Of entries that cannot be added (`together.apart`) there is no goodput together, nor
    if one of them does not say what arrived and is no background.
    """
    known = [flow for flow in moved if flow is not None]
    if not known:
        return None, None
    if len(known) == 1 and not together.silent(run):
        return known[0].goodput_mbps, known[0].seconds
    whole = clock.union(list(together.windows(run, moved)))
    if together.apart(run, moved):
        return None, whole.seconds
    moved_bytes = sum(flow.bytes for flow in known)
    return metrics.goodput_mbps(moved_bytes, whole.seconds), whole.seconds


def _alone_on_disjoint_paths(run: Artefacts) -> bool:
    """Whether A_B applies to a run.

    It does if a single host sends all over MPTCP and has several paths of one link
    each, because the goodput can then be the sum of the capacities. Connections that
    open from time to time need not fill them.
    """
    entries = run.traffic
    paths = [path.links for path in run.paths_of(entries[0]).values()]
    return (
        len({source for entry in entries for source in entry.sources}) == 1
        and {entry.transport.protocol for entry in entries} <= {"mptcp", "mpquic"}
        and all(len(path) == 1 for path in paths)
        and all(entry.flow_bytes is None for entry in entries)
    )


def _by_tool(run: Artefacts) -> dict[str, Any]:
    """The columns that only one tool measures, see `own_names`."""
    columns: dict[str, Any] = {}
    names = own_names(run)
    for prefixes, entry, report in zip(names, run.traffic, run.reports, strict=True):
        of_entry = tools.of(entry, report).columns(entry, report)
        columns |= {f"{p}{name}": v for p in prefixes for name, v in of_entry.items()}
    return columns


def quic_alone(run: Artefacts) -> bool:
    """Whether all traffic is of QUIC, whose packets the kernel does not count."""
    return all(entry.transport.is_quic for entry in run.traffic)


def _senders(run: Artefacts) -> Counters:
    """The sum of the kernel counters of all hosts that send data."""
    hosts = dict.fromkeys(h for entry in run.traffic for h in entry.sending_hosts)
    counters = [run.counters[host] for host in hosts]
    names = dict.fromkeys(name for host in counters for name in host.values)
    return Counters({name: sum(host.get(name) for host in counters) for name in names})


def retransmissions(sender: Counters) -> dict[str, Any]:
    """The columns on segments that a sender sent again.

    sent_segments : segments sent for the first time
    retransmissions : segments that TCP sent again
    reinjections : stretches of data, each of one segment or many, that MPTCP sent
        again on another subflow
    retransmission_ratio, reinjection_ratio : these over `sent_segments`; None if
        nothing was sent

    A count is None if the kernel does not count it.
    """
    counts = {
        "retransmission": sender.retransmitted,
        "reinjection": total([sender], "MPTCPRetrans"),
    }
    sent = sender.segments_sent
    columns: dict[str, Any] = {"sent_segments": sent}
    for name, count in counts.items():
        columns[f"{name}s"] = count
        columns[f"{name}_ratio"] = (
            metrics.retransmission_ratio(count, sent)
            if sent and count is not None
            else None
        )
    return columns
