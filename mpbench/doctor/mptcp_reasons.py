"""Reasons why MPTCP connections of a machine do not use a second path."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from analysis.run.explain import handshake
from analysis.run.explain.finding import listed, many
from analysis.run.outcomes.counts import NOT_SENT
from mpbench.doctor.mptcp_state import EVERYWHERE, State

LIMITS = "ip mptcp limits set"
ENDPOINT = "ip mptcp endpoint add ADDRESS dev DEVICE"
USERSPACE = "1"
"""The value of net.mptcp.pm_type that leaves subflows to a daemon."""


@dataclass(frozen=True)
class Reason:
    """A reason in plain words.

    kind : `setting` of the machine, `seen` in its counters, or `not known`
    remedy : a command, or a thing to do; "" if it lies at the other end
    """

    kind: Literal["setting", "seen", "not known"]
    sentence: str
    remedy: str = ""

    @property
    def applies(self) -> bool:
        return self.kind != "not known"


def reasons(state: State) -> list[Reason]:
    """All reasons that apply to a machine: its settings first, then its counters.

    Settings of a client are left out for a machine that has accepted connections of
    MPTCP and opened none, and those of a server the other way round.
    """
    if not state.settings:
        return [
            Reason(
                "setting",
                "this kernel has no MPTCP: a socket of MPTCP is an error",
                "a kernel of 5.6 or later with CONFIG_MPTCP",
            )
        ]
    opened, accepted = state.count("MPCapableSYNTX"), state.count("MPCapableSYNRX")
    return [
        *_general(state),
        *(_client(state) if opened or not accepted else ()),
        *(_server(state) if accepted or not opened else ()),
        *_seen(state),
    ]


def _general(state: State) -> Iterator[Reason]:
    if state.settings.get("enabled") == "0":
        yield Reason(
            "setting",
            "net.mptcp.enabled is 0: a socket of MPTCP is an error",
            "sysctl -w net.mptcp.enabled=1",
        )
    if state.settings.get("pm_type") == USERSPACE:
        yield Reason(
            "setting",
            "a daemon decides about subflows, and the kernel's limits and endpoints do"
            " not count: net.mptcp.pm_type is 1",
            "look at the daemon (mptcpd), or sysctl -w net.mptcp.pm_type=0",
        )
    if state.subflows is None:
        yield Reason(
            "not known",
            "`ip mptcp limits` gives no answer, so limits and endpoints are not known",
            "install iproute2 of 5.8 or later",
        )
    if state.subflows == 0:
        yield Reason(
            "setting",
            "the limit `subflows` is 0: a connection gets no further subflow, as a"
            " client or as a server",
            f"{LIMITS} subflows 8",
        )


def _client(state: State) -> Iterator[Reason]:
    """Settings that keep this machine from asking for subflows."""
    if state.endpoints is None or state.subflows is None:
        return
    opening = [each for each in state.endpoints if each.opens]
    if not opening and not state.add_addr_accepted:
        yield Reason(
            "setting",
            "as a client, it asks for no subflow: it has no endpoint with the flag"
            " `subflow`, and the limit `add_addr_accepted` is 0",
            f"{ENDPOINT} subflow, or {LIMITS} add_addr_accepted 8",
        )
    if len(opening) > state.subflows > 0:
        yield Reason(
            "setting",
            f"as a client, it has {many(len(opening), 'endpoint')} to open subflows"
            f" from, and the limit `subflows` is {state.subflows}",
            f"{LIMITS} subflows {min(8, len(opening))}",
        )
    if opening and all("backup" in each.flags for each in opening):
        yield Reason(
            "setting",
            f"as a client, it opens subflows from {listed(e.address for e in opening)}"
            " as a backup, which carries nothing while another one works",
            f"ip mptcp endpoint change {opening[0].address} nobackup",
        )
    yield from _addresses(state)


def _addresses(state: State) -> Iterator[Reason]:
    if state.addresses is None:
        return
    for each in state.endpoints or ():
        if each.address not in state.addresses:
            yield Reason(
                "setting",
                f"it has an endpoint on {each.address}, which is no address of this"
                " machine",
                "give the interface this address, or `ip mptcp endpoint delete` it",
            )
    families = Counter(":" in address for address in state.addresses)
    if max(families.values(), default=0) < 2:
        yield Reason(
            "setting",
            "it has one address of a kind, so as a client it has a second path only to"
            " a server that announces another address",
            "bring a second interface up, with an address and a route of its own",
        )


def _server(state: State) -> Iterator[Reason]:
    if state.settings.get("allow_join_initial_addr_port") == "0":
        yield Reason(
            "setting",
            "as a server, it forbids subflows to the address that a client connected"
            " to: net.mptcp.allow_join_initial_addr_port is 0",
            "sysctl -w net.mptcp.allow_join_initial_addr_port=1, or announce other"
            " addresses",
        )
    listening = set(state.listeners)
    for each in state.endpoints or ():
        if "signal" not in each.flags:
            continue
        for address, port in sorted(listening):
            covers = {(each.address, port), (EVERYWHERE, port)} & listening
            if covers or address.startswith("127.") or ":" in each.address:
                continue
            yield Reason(
                "setting",
                f"as a server, it announces {each.address}, and the program on port"
                f" {port} listens at {address} only",
                "let the program listen at all addresses",
            )


def _seen(state: State) -> Iterator[Reason]:
    """Reasons that the counters tell. They begin with the network namespace."""
    if not state.count("MPCapableSYNTX", "MPCapableSYNRX"):
        yield Reason(
            "seen",
            "no connection has begun with MPTCP's option, as a client or as a server",
            "let programs open sockets with IPPROTO_MPTCP, or `mptcpize run PROGRAM`",
        )
    for name, meaning in handshake.REASONS:
        if count := state.count(name):
            yield Reason(
                "seen",
                f"{many(count, 'connection')} became plain TCP: {meaning} ({name})",
                "if the peer has MPTCP, look for a middlebox"
                if name.startswith("MPCapableFallback")
                else "",
            )
    if count := state.count(*handshake.DROPPED, handshake.DISABLED):
        yield Reason(
            "seen",
            "SYNs with MPTCP's option got no answer and one without it did, so MPTCP is"
            f" left out for a time ({', '.join(handshake.DROPPED)}: {count})",
            "look for a firewall that drops TCP option 30;"
            " net.mptcp.blackhole_timeout says for how long",
        )
    yield from _joins(state)
    if (announced := state.count("AddAddr")) and state.add_addr_accepted == 0:
        yield Reason(
            "seen",
            f"peers announced an address {many(announced, 'time')}, and the limit"
            " `add_addr_accepted` is 0 (AddAddr)",
            f"{LIMITS} add_addr_accepted 8",
        )
    stale, back = state.count("SubflowStale"), state.count("SubflowRecover")
    if stale > back:
        yield Reason(
            "seen",
            f"{many(stale, 'subflow')} went stale after timeouts, and {back} came back"
            " (SubflowStale, SubflowRecover)",
            "look at the path: it loses packets, or is dark",
        )
    if count := state.count("DataCsumErr"):
        yield Reason(
            "seen",
            f"{many(count, 'checksum')} of data failed (DataCsumErr)",
            "look for a middlebox that changes payload",
        )


def _joins(state: State) -> Iterator[Reason]:
    asked, answered = state.count("MPJoinSynTx"), state.count("MPJoinSynAckRx")
    wanted = asked + state.count(*NOT_SENT)
    if state.count("MPCapableSYNACKRX") and not wanted and _can_ask(state):
        yield Reason(
            "seen",
            "connections were opened, and no subflow was asked for although the"
            " settings allow it (MPJoinSynTx)",
            "the server may have set net.mptcp.allow_join_initial_addr_port to 0",
        )
    if asked > answered:
        yield Reason(
            "seen",
            f"{asked - answered} of {many(asked, 'subflow')} asked for got no answer"
            " with the option (MPJoinSynTx, MPJoinSynAckRx)",
            "look at the second path: no route, nobody listens at the address, or a"
            " firewall",
        )
    for name, what, remedy in JOINS:
        if count := state.count(name):
            yield Reason("seen", f"{many(count, 'join')} {what} ({name})", remedy)


def _can_ask(state: State) -> bool:
    return bool(state.subflows and any(each.opens for each in state.endpoints or ()))


JOINS = (
    (
        "MPJoinSynTxBindErr",
        "failed, because an endpoint's address is not on this machine",
        "compare `ip mptcp endpoint` with `ip addr`",
    ),
    (
        "MPJoinSynTxConnectErr",
        "failed, because no route leads there from the endpoint's address",
        "give the address a routing rule and a table of its own",
    ),
    (
        "MPJoinSynAckNoMPJoin",
        "had answers without MPTCP's option",
        "look for a middlebox on the second path",
    ),
    (
        "MPJoinSynAckBackupRx",
        "were answered as a backup",
        "the server's endpoint has the flag `backup`",
    ),
    (
        "MPJoinSynBackupRx",
        "of clients were for a backup",
        "the client's endpoint has the flag `backup`",
    ),
    (
        "MPJoinRejected",
        "of clients were refused, as beyond the limit `subflows`",
        f"{LIMITS} subflows 8",
    ),
    (
        "MPJoinNoTokenFound",
        "of clients belonged to no connection here",
        "a load balancer may send subflows to another server than their connection",
    ),
    (
        "MPJoinSynAckHMacFailure",
        "had answers with a wrong key",
        "look for a proxy that answers in the server's place",
    ),
    (
        "MPJoinAckHMacFailure",
        "of clients had a wrong key",
        "look for a proxy on the way",
    ),
)
"""Counters of joins that did not succeed, what each says, and what to look at."""
