"""Connections that are plain TCP although MPTCP was asked for, and why."""

from collections.abc import Iterator
from functools import partial

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, at, listed, many
from analysis.run.explain.settings import at_plain_listener
from analysis.run.explain.subflows import Connection
from analysis.run.labels import label
from analysis.run.outcomes import connecting
from analysis.run.outcomes.counts import NO_ANSWER

PREFIX = "MPTcpExt"
REASONS = (
    ("MPCapableFallbackSYNACK", "the SYN/ACK came back without MPTCP's option"),
    ("MPCapableFallbackACK", "MPTCP's option was gone from the handshake's last ACK"),
    ("MPCapableDataFallback", "the first data came without MPTCP's option"),
    (
        "InfiniteMapTx",
        "a DSS checksum had failed, and the sender went on without mappings",
    ),
    ("DssFallback", "data came without a mapping, or with a wrong one"),
    ("DSSCorruptionFallback", "mappings did not fit the data"),
    ("MD5SigFallback", "the socket signs its segments with MD5"),
    ("SimultConnectFallback", "both ends opened the connection at the same time"),
    ("MPFallbackTokenInit", "the host had no free token"),
)
"""MPTCP's counters of fallbacks, and what each means. The first tells the cause: a
later one often follows from it at the other end."""
DROPPED = ("MPCapableSYNTXDrop", "Blackhole")
DISABLED = "MPCapableSYNTXDisabled"
DROPPED_SHARE = 0.05
"""A sound connection over several paths may drop a few segments that come again."""
FELL = ("DssFallback", "DSSCorruptionFallback")
KNOWN = (*FELL, "MPFailRx", "InfiniteMapRx", "MPCapableDataFallback")
"""Events of a host that knows of a fallback."""
LEAST_AGAIN = 100_000
CHECKSUM = ("DataCsumErr", "MPFailTx", "MPFailRx", "InfiniteMapTx", "InfiniteMapRx")


def fell_back(facts: Facts) -> Iterator[Finding]:
    """Connections without MPTCP, by the counter of each cause."""
    dropped = tuple(PREFIX + name for name in DROPPED)
    if facts.total(*dropped):
        answered = "and one without it did"
        if _in_vain(facts):
            answered = "and neither did those without it"
        yield Finding(
            f"MPTCP was given up: SYNs with its option got no answer, {answered}"
            f"{_darkness(facts)}{_later(facts)}",
            facts.evidence(*dropped) + _when(facts, *DROPPED),
        )
    planned = sum(map(partial(at_plain_listener, facts), range(len(facts.traffic))))
    for name, meaning in REASONS:
        count = _connections(facts, PREFIX + name)
        if name == NO_ANSWER:
            count -= planned
        if count > 0:
            went_on = ("connection" if count == 1 else "connections") + _of(facts, name)
            verb = "is" if count == 1 else "are"
            yield Finding(
                f"{count} {went_on} {verb} plain TCP: {meaning}, as with a peer"
                " without MPTCP or a middlebox that removes it"
                if name.startswith("MPCapableFallback")
                else f"{count} {went_on} fell back to TCP: {meaning}",
                facts.evidence(PREFIX + name) + _when(facts, name),
            )
            return


def unnoticed(facts: Facts) -> Iterator[Finding]:
    """Connections that one end took for plain TCP while the other went on with MPTCP,
    so that nothing acknowledged its data there."""
    for one in facts.connections:
        fell = {e.host: e for e in one.events if e.name in FELL}
        for last in (e for e in one.events if e.name == "closed"):
            again, acked = last.count("reinjected"), last.count("acked")
            known = any(e.host == last.host and e.name in KNOWN for e in one.events)
            if not fell or known or acked >= again or again < LEAST_AGAIN:
                continue
            first = next(iter(fell.values()))
            yield Finding(
                f"the {last.host} did not learn that the {first.host} had fallen back"
                f" at {first.time_s:.1f} s, waited for acknowledgements of MPTCP, and"
                f" counts {again / 1e6:.1f} MB as sent again: it is Linux, which"
                " tells the other end nothing",
                f"{first.name} on the {first.host} alone; closed (acked={acked}"
                f" reinjected={again}) on the {last.host}",
            )


def to_endpoints(facts: Facts) -> Iterator[Finding]:
    """Connections to a port on which only an endpoint listens."""
    name = PREFIX + "MPCapableEndpAttempt"
    if count := facts.total(name):
        were = "connection was" if count == 1 else "connections were"
        yield Finding(
            f"{count} {were} refused: an endpoint listens on that port, and takes"
            " further subflows only",
            facts.evidence(name) + _when(facts, "MPCapableEndpAttempt"),
        )


def _darkness(facts: Facts) -> str:
    """The link that was dark when connections gave MPTCP up, as a part of a
    sentence."""
    for one in facts.connections:
        gave_up = any(event.name == DROPPED[0] for event in one.events)
        if gave_up and (words := _dark(facts, one)):
            return f": {words}"
    return ""


def _dark(facts: Facts, one: Connection) -> str:
    """The darkness in which the first SYN of a connection was sent; "" for none."""
    first = one.subflows[0] if one.subflows else None
    if first is None:
        return ""
    for dark in facts.dark(one.client, first.address):
        if dark.covers(first.opened_s):
            return dark.words
    return ""


def connected_late(facts: Facts) -> Iterator[Finding]:
    """Connections whose first SYN was lost, without a loss of MPTCP, which another
    rule tells."""
    found: dict[str, list[tuple[Connection, int, float | None]]] = {}
    for one in facts.connections:
        syns, connected_s = connecting.of_connection(one.events, one.client, one.port)
        gave_up = any(event.name == DROPPED[0] for event in one.events)
        if syns > 1 and not gave_up:
            found.setdefault(one.client, []).append((one, syns, connected_s))
    for host, of_host in found.items():
        first, syns, connected_s = max(of_host, key=lambda each: each[1])
        late = many(len(of_host), "connection")
        if connected_s is None:
            what = f"{late} of the {host} sent {syns} SYNs and was never established"
            if len(of_host) > 1:
                what = f"{late} of the {host} sent up to {syns} SYNs, in vain"
        else:
            begun_s = first.subflows[0].opened_s
            up_to = "up to " if len(of_host) > 1 else ""
            what = (
                f"{late} of the {host} took {up_to}{connected_s - begun_s:.1f} s and"
                f" {up_to}{syns} SYNs to be established"
            )
        words = _dark(facts, first)
        yield Finding(
            f"{what}{f': {words}' if words else ''}",
            f"TCPSynRetrans {syns - 1} on port {first.port} of the {host}",
        )


def _in_vain(facts: Facts) -> bool:
    """Whether every connection that gave MPTCP up never was established."""
    gave_up = [
        one
        for one in facts.connections
        if any(event.name == DROPPED[0] for event in one.events)
    ]
    return bool(gave_up) and all(
        connecting.hangs(one.events, one.client, one.port)
        or (
            any(e.name == "TCPAbortOnTimeout" for e in one.events)
            and one.first("tcp_established", one.client) is None
        )
        for one in gave_up
    )


def _connections(facts: Facts, name: str) -> int:
    """The connections that a counter is about, which both ends may have counted."""
    opened = sum(
        facts.counters[h].get(name) for h in facts.counters if _opens(facts, h)
    )
    return max(opened, facts.total(name) - opened)


def _of(facts: Facts, name: str) -> str:
    """The host whose connections a counter is about, where several open some."""
    opening = [host for host in facts.counters if _opens(facts, host)]
    counted = [host for host in opening if facts.counters[host].get(PREFIX + name)]
    return f" of the {counted[0]}" if len(opening) > 1 and len(counted) == 1 else ""


def _opens(facts: Facts, host: str) -> bool:
    return any(host in entry.sources for entry in facts.traffic)


def _later(facts: Facts) -> str:
    later = facts.total(PREFIX + DISABLED)
    if not later:
        return ""
    return f"; {many(later, 'later connection')} did not try MPTCP"


def _when(facts: Facts, *names: str) -> str:
    if facts.events is None:
        return ""
    times = [event.time_s for event in facts.events.named(*names)]
    return f", {at(times)}" if times else ""


def payload_changed(facts: Facts) -> Iterator[Finding]:
    """Data that a middlebox or a faulty link changed on its way."""
    checksums = [PREFIX + name for name in CHECKSUM]
    if facts.total(PREFIX + CHECKSUM[0]):
        yield Finding(
            "something on the way changes the payload: DSS checksums failed",
            facts.evidence(*checksums) + _when(facts, *CHECKSUM),
        )
    if facts.total("TcpInCsumErrors"):
        unseen = any(entry.transport.is_mptcp for entry in facts.traffic)
        damaging = [
            f"{label(link.name)} damages {share:g} % of its packets"
            for link in facts.job.links
            if link.impairments and (share := link.impairments.corruption_percent)
        ]
        yield Finding(
            "segments arrived damaged, and TCP's checksum discarded them"
            f"{': MPTCP never saw them' if unseen else ''}"
            f"{'; ' if damaging else ''}{listed(damaging)}",
            facts.evidence("TcpInCsumErrors"),
        )


def outside_window(facts: Facts) -> Iterator[Finding]:
    """Connections whose data bore numbers that mean nothing to the receiver."""
    name = PREFIX + "NoDSSInWindow"
    for host, of_host in facts.counters.items():
        dropped, arrived = of_host.get(name), of_host.get("TcpInSegs")
        if dropped > DROPPED_SHARE * arrived:
            yield Finding(
                f"the {host} dropped {many(dropped, 'segment')} whose data lies outside"
                " of the connection's window: the two ends do not agree on the keys,"
                " from which data is numbered",
                facts.evidence(name),
            )
