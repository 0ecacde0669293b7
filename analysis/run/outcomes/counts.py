"""Kernel counters of both ends, read as facts about the connections of an entry.

The counters belong to hosts. They are those of an entry only if no other entry opens or
accepts connections on its hosts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.run.readers.counters import Counters, total
from analysis.run.traffic import Traffic, proxied
from jobs.spoken import PROXY

MPTCP, TCP, MIXED = "mptcp", "tcp", "mixed"
NO_ANSWER = "MPCapableFallbackSYNACK"

CAUSES = {
    NO_ANSWER: "the SYN/ACK had no MP_CAPABLE",
    "MPCapableFallbackACK": "the ACK of the handshake had no MP_CAPABLE",
    "MPCapableSYNTXDrop": "repeated SYNs with MP_CAPABLE had got no answer",
    "MPCapableSYNTXDisabled": "MPTCP was given up after SYNs without an answer",
    "MPCapableDataFallback": "the first data had no MP_CAPABLE",
    "MPFallbackTokenInit": "no free token",
    "DssFallback": "data without a mapping (DSS)",
    "DSSCorruptionFallback": "a mapping (DSS) was wrong",
    "MD5SigFallback": "TCP MD5 signatures",
    "SimultConnectFallback": "both ends connected at the same time",
    "InfiniteMapTx": "an infinite mapping after a failed checksum",
    "InfiniteMapRx": "an infinite mapping after a failed checksum",
}
"""The causes of a fallback to TCP by the counter of Linux 7.3, in words."""
NOT_SENT = ("MPJoinSynTxCreatSkErr", "MPJoinSynTxBindErr", "MPJoinSynTxConnectErr")
"""Counters of joins that the client's kernel wanted but could not send."""
REFUSED_BY_SERVER = (
    "MPJoinRejected",
    "MPJoinNoTokenFound",
    "MPJoinNoIdFound",
    "MPJoinAckHMacFailure",
    "MPJoinAckNoMPJoin",
    "MPJoinAckNoCtx",
    "MismatchPortSynRx",
    "MismatchPortAckRx",
)
REFUSED_BY_CLIENT = (
    "MPJoinSynAckNoMPJoin",
    "MPJoinSynAckHMacFailure",
    "MPJoinNotEstablished",
    *NOT_SENT,
)
FELL = (
    "MPCapableFallbackACK",
    "MPCapableDataFallback",
    "DssFallback",
    "DSSCorruptionFallback",
    "SimultConnectFallback",
    "InfiniteMapTx",
)
"""Causes of which a host counts one per connection that asked for MPTCP and was taken
at its word first. At the server, the first of them also follows from a fallback that
the client has counted."""

NAMES = (
    "syns",
    "syns_repeated",
    "protocol_at_end",
    "fallback",
    "subflows",
    "subflows_asked",
    "subflows_joined",
    "subflows_refused",
    "subflows_unanswered",
    "subflows_lost",
    "subflows_stale",
    "subflows_recovered",
)
"""The columns of this file."""


def alone(traffic: Sequence[Traffic[Any]], index: int) -> bool:
    """Whether no other entry with connections has a host of this one, apart from those
    of its proxies."""
    entry, way = traffic[index], proxied(traffic, index)
    own = {*entry.sources, *entry.destinations}
    others = (
        other
        for number, other in enumerate(traffic)
        if number not in way and not other.record.datagrams
    )
    return not any(own & {*o.sources, *o.destinations} for o in others)


def columns(entry: Traffic[Any], counters: Mapping[str, Counters]) -> dict[str, Any]:
    """The columns of an entry that is alone on its hosts."""
    here = _sum(counters, entry.sources)
    there = _sum(counters, entry.destinations)
    opened = here.get("TcpActiveOpens")
    repeated = here.get("TcpExtTCPSynRetrans")
    found: dict[str, Any] = dict.fromkeys(NAMES)
    found |= {"syns": opened + repeated, "syns_repeated": repeated}
    if not entry.transport.is_mptcp:
        connected = opened - here.get("TcpAttemptFails") > 0
        return {**found, "protocol_at_end": TCP if connected else None}
    spoke = here.mptcp("MPCapableSYNACKRX")
    asked = total([here, there], "MPJoinSynTx")
    joined = refused = 0
    for asking, asked_end in ((here, there), (there, here)):
        answered = asking.mptcp("MPJoinSynAckRx")
        joined += min(answered, asked_end.mptcp("MPJoinAckRx"))
        refused += sum(map(asked_end.mptcp, REFUSED_BY_SERVER))
        refused += sum(map(asking.mptcp, REFUSED_BY_CLIENT))
    # A server with such endpoints tries its client's first address, where it cannot.
    refused -= sum(map(there.mptcp, NOT_SENT))
    unsent = sum(map(here.mptcp, NOT_SENT))
    wanted = None if asked is None else asked + unsent
    return {
        **found,
        "protocol_at_end": _protocol(here, there),
        "fallback": _fallback(here, there, _listener(entry)) or None,
        "subflows": 1 + joined / spoke if spoke else None,
        "subflows_asked": wanted,
        "subflows_joined": joined,
        "subflows_refused": refused,
        "subflows_unanswered": None
        if wanted is None
        else max(0, wanted - joined - refused),
        "subflows_lost": min(_lost(here, there, refused), spoke + joined),
        "subflows_stale": here.mptcp("SubflowStale") + there.mptcp("SubflowStale"),
        "subflows_recovered": here.mptcp("SubflowRecover")
        + there.mptcp("SubflowRecover"),
    }


def connected(entry: Traffic[Any], counters: Mapping[str, Counters]) -> int:
    """The number of connections that the hosts of an entry established."""
    here = _sum(counters, entry.sources)
    joins = here.mptcp("MPJoinSynTx")
    unanswered = joins - here.mptcp("MPJoinSynAckRx")
    attempts = here.get("TcpActiveOpens") - joins
    return max(0, attempts - max(0, here.get("TcpAttemptFails") - unanswered))


def _sum(counters: Mapping[str, Counters], hosts: tuple[str, ...]) -> Counters:
    total: dict[str, int] = {}
    for host in hosts:
        for name, value in counters[host].values.items():
            total[name] = total.get(name, 0) + value
    return Counters(total)


def _protocol(here: Counters, there: Counters) -> str | None:
    """`mptcp` if every connection still was at its end, `tcp` if none was, `mixed`
    otherwise; None without any connection."""
    asked = here.mptcp("MPCapableSYNTX")
    spoke = here.mptcp("MPCapableSYNACKRX")
    plain = here.get("TcpActiveOpens") - here.mptcp("MPJoinSynTx") - asked
    if not spoke:
        attempts = here.get("TcpActiveOpens") - here.mptcp("MPJoinSynTx")
        return TCP if attempts > here.get("TcpAttemptFails") else None
    at_server = sum(map(there.mptcp, FELL)) - here.mptcp("MPCapableFallbackSYNACK")
    fell = max(sum(map(here.mptcp, FELL)), at_server)
    if fell <= 0 and not _fallback(here, there):
        return MPTCP if plain <= 0 else MIXED
    return TCP if fell >= spoke or asked == 1 else MIXED


def _listener(entry: Traffic[Any]) -> str:
    """The plain listener at which an entry's connections arrive; "" for none."""
    if not entry.plain_listener or entry.spoken is None:
        return ""
    whose = "proxy" if entry.spoken.accepts_by == PROXY else "server"
    return f"the {whose}'s listener does not speak MPTCP"


def _fallback(here: Counters, there: Counters, listener: str = "") -> str:
    """The causes of fallbacks with their counters; "" for none.

    listener : words for a listener without MPTCP; "" for one with it
    """
    said: dict[str, list[str]] = {}
    for end, counters in (("client", here), ("server", there)):
        for name, words in CAUSES.items():
            if count := counters.mptcp(name):
                if name == NO_ANSWER and listener:
                    words = listener
                said.setdefault(words, []).append(f"{name} {count} at the {end}")
    return "; ".join(f"{words} ({', '.join(of)})" for words, of in said.items())


def _lost(here: Counters, there: Counters, refused: int) -> int:
    """Subflows that ended before their connection: by timeouts, by a reset from the
    server or a middlebox, or because an address was removed.

    Attempts to connect end by timeouts and resets as well, and are no subflows. The
    resets of MP_FASTCLOSE end the whole connection. A middlebox resets without MPTCP's
    option, as plain TCP does, so such resets are told apart where nothing fell back.
    """
    ended = here.get("TcpExtTCPAbortOnTimeout")
    ended += max(0, here.mptcp("MPRstRx") - here.mptcp("MPFastcloseRx"))
    ended += here.mptcp("RmSubflow") + there.mptcp("RmSubflow")
    if not _fallback(here, there):
        known = sum(map(here.mptcp, ("MPRstRx", "MPRstTx", "RmSubflow")))
        known += here.get("TcpExtTCPAbortOnTimeout")
        ended += max(0, here.get("TcpEstabResets") - known)
    return max(0, ended - here.get("TcpAttemptFails") - refused)
