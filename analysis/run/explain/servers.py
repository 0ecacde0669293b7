"""Further addresses of a server to which no subflow goes."""

from collections.abc import Iterator, Sequence
from functools import partial

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, at
from analysis.run.explain.joins import LEAST_S, is_alone
from analysis.run.explain.settings import announces, settings_of
from analysis.run.explain.subflows import Connection, Subflow
from jobs.ends import Host

NEVER = float("inf")
UNKNOWN = "the reason is not known"


def unused_addresses(facts: Facts) -> Iterator[Finding]:
    """Addresses that a server has beside its first, and no connection asks for, or not
    again after they came back.

    A client whose connections have one subflow, although it has several paths, is told
    by `joins.not_asked`. Scripts in user space are the user's own.
    """
    if facts.events is None:
        return
    for name, server in (facts.job.host_settings or {}).items():
        for link, address in (server.addresses or {}).items():
            since = _since(server, link)
            met = [one for one in facts.connections if _meets(facts, one, name, since)]
            if since:  # one that has a subflow there still need not ask
                met = [one for one in met if not _used(one, address, since)]
            if not met or any(_used(one, address, since) for one in met):
                continue
            one = met[0]
            client = settings_of(facts, one.client)
            if client.in_userspace or server.in_userspace or is_alone(facts, one):
                continue
            reason = _reason(one, client, name, server, link, address, since)
            if reason is None:
                continue
            what = f"a further address of the {name}"
            if since:
                what = f"which the {name} had from {since:g} s on"
                if any(_asked(each, address) for each in facts.connections):
                    what = f"which the {name} had again from {since:g} s on"
            times = at([c.subflows[0].opened_s for c in met])
            when = f"from {since:g} s on, by connections opened {times}"
            yield Finding(
                f"{address}, {what}, was not used: {reason}",
                f"no MPJoinSynTx to it{f' {when}' if since else f', {times}'}",
                about=f"{address} of {name}",
                known=reason != UNKNOWN,
            )


def unused_returns(facts: Facts) -> Iterator[Finding]:
    """Addresses of clients that came back, and that no subflow has since."""
    if facts.events is None:
        return
    for name, client in (facts.job.host_settings or {}).items():
        for path in facts.users.get(name, ()) if client.changes else ():
            since = max(map(partial(_since, client), path.links), default=0.0)
            address = path.address or ""
            met = [
                one
                for one in facts.connections
                if one.client == name
                and _lasts(facts, one, since)
                and not any(
                    _alive(s, since) for s in one.subflows if s.address == address
                )
            ]
            before = [s for one in met for s in one.subflows if s.address == address]
            if not since or client.in_userspace or not before:
                continue
            ended = max((_ended_s(each) or 0.0) for each in before)
            reason = UNKNOWN
            if _unnoticed(client, path.links, since):
                reason = _ended(ended, "asks for none again")
            yield Finding(
                f"{address}, which the {name} had again from {since:g} s on, was not"
                f" used: {reason}",
                f"no MPJoinSynTx from it from {since:g} s on, by connections opened"
                f" {at([c.subflows[0].opened_s for c in met])}",
                about=f"{address} of {name}",
                known=reason != UNKNOWN,
            )


def _unnoticed(host: Host, links: Sequence[str], since: float) -> bool:
    """Whether a host has an address since a time because the address came back, which
    the path manager does not notice, and not because of a new endpoint."""
    then = [c for c in host.changes if c.at_s == since and c.link in links]
    return any(c.present for c in then) and not any(c.flags for c in then)


def _since(host: Host, link: str) -> float:
    """The time from which a host has an address, and its endpoint, to the end: 0 from
    the start, and infinity for one that it does not have at the end.

    Where endpoints of the address never change, the address alone counts.
    """
    own = [c for c in host.changes if c.link == link and c.command is None]
    usual = host.endpoints is None and not host.addresses
    known = usual or any(each.link == link for each in host.endpoints or ())
    known = known or all(change.flags is None for change in own)
    present, since = True, 0.0
    for change in own:
        before = present and known
        if change.present is not None:
            present = change.present
        if change.flags is not None:
            known = bool(change.flags)
        if present and known and not before:
            since = change.at_s
    return since if present and known else NEVER


def _meets(facts: Facts, one: Connection, server: str, since: float) -> bool:
    """Whether a connection of MPTCP to a server lasted long enough to be told of its
    address, which the server has since a time."""
    entry = facts.traffic[one.entry]
    return entry.destination == server and _lasts(facts, one, since)


def _lasts(facts: Facts, one: Connection, since: float) -> bool:
    """Whether a connection of MPTCP had time for a further subflow after a time."""
    established = one.first("established", one.client)
    if established is None or not facts.traffic[one.entry].transport.is_mptcp:
        return False
    if since == NEVER or facts.events is None:
        return False
    closed = one.first("closed")
    if closed is None and since:
        closed = facts.events.all[-1].time_s
    return closed is None or closed - max(established, since) >= LEAST_S


def _used(one: Connection, address: str, since: float) -> bool:
    """Whether a subflow to an address was asked for after a time, or lived then."""
    return any(
        _alive(each, since)
        for each in one.subflows
        if each.remote.rpartition(":")[0] == address
    )


def _alive(subflow: Subflow, since: float) -> bool:
    ended = _ended_s(subflow)
    return subflow.opened_s >= since or ended is None or ended > since


def _ended_s(subflow: Subflow) -> float | None:
    """When a subflow had ended at its client; None if it had not."""
    times = [e.time_s for e in subflow.own if e.name in ("sub_closed", "tcp_closed")]
    return min(times, default=None)


def _ended(ended_s: float, does: str) -> str:
    return (
        f"its subflow had ended at {ended_s:.1f} s, and Linux's path manager is not"
        f" told that an address is back, so it {does}"
    )


def _asked(one: Connection, address: str) -> bool:
    return any(each.remote.rpartition(":")[0] == address for each in one.subflows)


def _reason(
    one: Connection,
    client: Host,
    name: str,
    server: Host,
    link: str,
    address: str,
    since: float,
) -> str | None:
    """The reason why a client asks for no subflow there; None if the file takes the
    address or its endpoint away itself."""
    heard = _told(one, "AddAddr", one.client, address, since)
    if not heard and not _told(one, "AddAddrTx", name, address, since):
        before = [s for s in one.subflows if s.remote.rpartition(":")[0] == address]
        ended = [t for each in before if (t := _ended_s(each)) is not None]
        if ended and _unnoticed(server, [link], since):
            return _ended(max(ended), "does not announce it again")
        if any(change.link == link and change.flags for change in server.changes):
            return UNKNOWN
        if not announces(server, link):
            return (
                f"the {name} has no endpoint with the flag `signal` on it, so it does"
                " not announce it"
            )
        return UNKNOWN
    if not heard:
        return f"its announcement did not reach the {one.client}"
    limits = client.limits
    subflows = limits.subflows if limits else None
    accepted = (limits.add_addr_accepted if limits else None) or 0
    joins = sum(each.is_join and _alive(each, since) for each in one.subflows)
    if subflows is not None and joins >= subflows:
        taken = ", and others have it" if subflows else ""
        return f"the limit `subflows` of the {one.client} is {subflows}{taken}"
    if not accepted:
        return (
            f"the limit `add_addr_accepted` of the {one.client} is 0, so it does not"
            " use what the peer announces"
        )
    announced = {
        each.get("address")
        for each in one.events
        if each.name == "AddAddr" and each.host == one.client
    }
    if sum(_asked(one, other) for other in announced if other) >= accepted:
        return (
            f"the limit `add_addr_accepted` of the {one.client} is {accepted}, and"
            " other addresses have it"
        )
    return UNKNOWN


def _told(one: Connection, name: str, host: str, address: str, since: float) -> bool:
    return any(
        each.name == name and each.host == host and each.get("address") == address
        for each in one.events
        if each.time_s >= since or not since
    )
