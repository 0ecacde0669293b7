"""Further subflows: not asked for, refused, or without an answer."""

import errno
from collections import defaultdict
from collections.abc import Iterator, Sequence

from analysis.run.events import Event
from analysis.run.explain import handshake, settings
from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, at, listed, many
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.ways import of_path
from analysis.run.labels import label

UNANSWERED_S = 1.0
"""A SYN that has been without an answer for so long is sent again."""
LEAST_S = 0.1
ROUND_TRIPS = 2
"""A shorter connection may end before the path manager asks."""
UNLINKED = {
    "MPJoinNoTokenFound": "the server knows no connection with the token of its SYN",
    "MPJoinNoIdFound": "the server had no id for the address",
    "MPJoinAckNoMPJoin": "MPTCP's option was gone from the last ACK",
    "MPJoinAckNoCtx": "the server had no memory for it",
    "MismatchPortSynRx": "the server did not announce the port",
    "MismatchPortAckRx": "the server did not announce the port",
}
"""Counters of a server that refuses a subflow before it knows the connection, with what
they mean. They have a time, and no subflow."""
FELL = (*handshake.FELL, "MPCapableDataFallback")
UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH)
REFUSED = "111"
"""The number of ECONNREFUSED on Linux."""


def not_asked(facts: Facts) -> Iterator[Finding]:
    """MPTCP connections over one subflow, although the plan has several paths."""
    if facts.events is None or _unusable(facts):
        return
    alone = [one for one in facts.connections if is_alone(facts, one)]
    if not alone:
        return
    sentence = f"no further subflow was asked for on {many(len(alone), 'connection')}"
    yield Finding(
        f"{sentence}: {_reason(facts, alone)}",
        f"MPJoinSynTx is 0, {at([one.subflows[0].opened_s for one in alone])}",
    )


def beyond_limit(facts: Facts) -> Iterator[Finding]:
    """Paths on which a client asked for no subflow, because others had taken all that
    its limit allows."""
    if facts.events is None or _unusable(facts):
        return
    for host in dict.fromkeys(one.client for one in facts.connections):
        limits = settings.settings_of(facts, host).limits
        most = limits.subflows if limits else None
        own = [
            one
            for one in facts.connections
            if one.client == host and one.first("MPJoinSynTx") is not None
        ]
        full = [o for o in own if sum(s.is_join for s in o.subflows) == most]
        if not most or not own or len(full) < len(own):
            continue
        taken = {subflow.address for one in own for subflow in one.subflows}
        offered = settings.offers(facts, host)
        for path in facts.users.get(host, ()):
            address = path.address or ""
            if address in offered and address not in taken:
                yield Finding(
                    f"no subflow was asked for on {facts.path_name(host, address)}: the"
                    f" limit `subflows` of the {host} is {most}",
                    f"MPJoinSynTx {most} on each of {many(len(own), 'connection')}",
                )


def _unusable(facts: Facts) -> bool:
    """Whether the kernel failed to open a subflow, which another rule tells."""
    return bool(facts.total("MPTcpExtMPJoinSynTxBindErr"))


def is_alone(facts: Facts, one: Connection) -> bool:
    """Whether a connection could have had further subflows, and asked for none.

    The path manager asks at once when a connection is established at the client. A
    connection that ends before has no further subflow in the best of networks. Neither
    has one whose program has written all and closed its end by then: its last data are
    acknowledged some round trips later.
    """
    transport = facts.traffic[one.entry].transport
    if not transport.is_mptcp or len(facts.users.get(one.client, ())) < 2:
        return False
    established = one.first("established", one.client)
    if established is None or one.first("MPJoinSynTx") is not None:
        return False
    closed = one.first("closed")
    number = facts.path_of(one.client, one.subflows[0].address)
    way = of_path(facts, one.client, number, one.client) if number else None
    least_s = LEAST_S + ROUND_TRIPS * (way.round_trip_s if way else 0.0)
    return closed is None or closed - established >= least_s


def _reason(facts: Facts, alone: list[Connection]) -> str:
    if known := tuple(settings.reasons(facts, alone[0])):
        return ", and ".join(known)
    client, opened_s = alone[0].client, alone[0].subflows[0].opened_s
    for number, path in enumerate(facts.users[client], start=1):
        for dark in facts.dark(client, path.address or ""):
            if number > 1 and dark.covers(opened_s):
                return dark.words
    return "the reason is not known; endpoints and limits of both hosts decide it"


def no_address(facts: Facts) -> Iterator[Finding]:
    """Endpoints on addresses that the host does not have."""
    name = "MPTcpExtMPJoinSynTxBindErr"
    if not facts.total(name):
        return
    events = facts.events.named("MPJoinSynTxBindErr") if facts.events else ()
    missing = [address for event in events if (address := event.get("address"))]
    which = f" {listed(missing)}" if missing else ""
    yield Finding(
        f"an endpoint's address{which} is not on its host, so no subflow began there",
        facts.evidence(name),
    )


def not_joined(facts: Facts) -> Iterator[Finding]:
    """Subflows that were asked for and did not join, by path and reason."""
    by_reason: dict[tuple[str, str, str], list[Subflow]] = defaultdict(list)
    for one in facts.connections:
        for subflow in one.subflows:
            if not subflow.is_join or subflow.joined:
                continue
            if reason := _why(facts, one, subflow):
                path = facts.path_name(one.client, subflow.address)
                by = facts.traffic[one.entry].destination
                by = f" that the {by} asked for" if subflow.asked_by_server else ""
                by_reason[path, by, reason].append(subflow)
    for (path, by, reason), found in by_reason.items():
        evidence = listed(
            f"{event.name}{f' ({event.value})' if '=' in event.value else ''} on the"
            f" {event.host}"
            for event in found[0].both
            if event.name not in ("tcp_closed", "MPJoinSynTx")
        )
        counters = facts.evidence(
            *(f"MPTcpExt{name}" for name, words in UNLINKED.items() if words == reason)
        )
        evidence = f"{evidence}; {counters}" if counters else evidence
        asked = at([one.opened_s for one in found])
        yield Finding(
            f"{many(len(found), 'subflow')} on {path}{by} did not join: {reason}",
            f"MPJoinSynTx {asked}, then {evidence or 'nothing'}",
        )


def _why(facts: Facts, one: Connection, subflow: Subflow) -> str:
    """The reason why a subflow did not join; "" if its connection ended meanwhile."""
    names = {event.name for event in subflow.both}
    refused = names & {"reset_received", "reset_sent", "MPRstRx", "MPRstTx"}
    for name, meaning in UNLINKED.items():
        if refused and name not in names and _counted(facts, one, subflow, name):
            return meaning
    if "MPJoinNotEstablished" in names:
        return "its connection was closing"
    if "MPJoinSynAckNoMPJoin" in names:
        return "the SYN/ACK came back without MPTCP's option"
    if {"MPJoinSynAckHMacFailure", "MPJoinAckHMacFailure"} & names:
        return "the two ends do not agree on the keys"
    if "MPJoinAckNoMPJoin" in names:
        return "MPTCP's option was gone from the last ACK"
    if any(event.get("error") == REFUSED for event in subflow.own):
        if box := facts.ended_by_proxy(one.client, subflow.address):
            at = f"the proxy at {label(box.link)}"
            return f"{at} knows no connection with the token of its SYN"
        return f"nobody listens at {subflow.remote}"
    ended_s = _end(one)
    rejected = [event.time_s for event in subflow.named("MPJoinRejected")]
    if rejected:
        closing = one.first("closed")
        if closing is not None and closing <= rejected[0]:
            return ""
        return "the server refused it, as beyond its limit of subflows"
    fell = [e.time_s for e in one.events if e.name in FELL]
    if "MPJoinSynAckRx" in names and fell and refused:
        return "its connection had become plain TCP meanwhile"
    if ended_s is not None and ended_s - subflow.opened_s < UNANSWERED_S:
        return ""
    own, peer = subflow.own, subflow.peer
    if subflow.asked_by_server:
        own, peer = peer, own
    answered = any(event.name == "MPJoinSynAckRx" for event in own)
    if answered and any(event.name == "TCPSynRetrans" for event in peer):
        return "the last ACK did not reach the server, which repeated its SYN/ACK"
    if _unrouted(own) and not names & {"TCPSynRetrans", "MPJoinSynAckRx"}:
        host = own[0].host
        return f"no SYN left the {host}, which has no route from {own[0].address}"
    if "TCPSynRetrans" in names:
        dark = facts.dark(one.client, subflow.address)
        known = [each.words for each in dark if each.covers(subflow.opened_s)]
        return f"the SYN got no answer{f'; {known[0]}' if known else ''}"
    return "" if "MPJoinSynAckRx" in names else "the SYN got no answer"


def _unrouted(own: Sequence[Event]) -> bool:
    """Whether the host that asked was told that it cannot reach the other."""
    return any(event.count("error") in UNREACHABLE for event in own)


def _counted(facts: Facts, one: Connection, subflow: Subflow, name: str) -> bool:
    """Whether a server counted a refusal while a subflow was opened."""
    if facts.events is None:
        return False
    end_s = max(event.time_s for event in subflow.both)
    servers = facts.traffic[one.entry].destinations
    return any(
        event.host in servers and subflow.opened_s <= event.time_s <= end_s
        for event in facts.events.named(name)
    )


def _end(one: Connection) -> float | None:
    """When a connection was closed at either end; None if it was not."""
    return one.first("closed")
