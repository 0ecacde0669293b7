"""Further addresses of a server to which no subflow goes."""

from collections.abc import Iterator

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, at
from analysis.run.explain.joins import LEAST_S, is_alone
from analysis.run.explain.settings import announces, settings_of
from analysis.run.explain.subflows import Connection
from jobs.ends import Host

UNKNOWN = "the reason is not known"


def unused_addresses(facts: Facts) -> Iterator[Finding]:
    """Addresses that a server has beside its first, and no connection asks for.

    A client whose connections have one subflow, although it has several paths, is told
    by `joins.not_asked`. Scripts in user space are the user's own.
    """
    if facts.events is None:
        return
    for name, server in (facts.job.host_settings or {}).items():
        for link, address in (server.addresses or {}).items():
            met = [one for one in facts.connections if _meets(facts, one, name)]
            if not met or any(_asked(one, address) for one in met):
                continue
            one = met[0]
            client = settings_of(facts, one.client)
            if client.in_userspace or server.in_userspace or is_alone(facts, one):
                continue
            reason = _reason(one, client, name, server, link, address)
            if reason is None:
                continue
            yield Finding(
                f"{address}, a further address of the {name}, was not used: {reason}",
                f"no MPJoinSynTx to it, {at([c.subflows[0].opened_s for c in met])}",
                about=f"{address} of {name}",
                known=reason != UNKNOWN,
            )


def _meets(facts: Facts, one: Connection, server: str) -> bool:
    """Whether a connection of MPTCP to a server lasted long enough to be told of its
    address."""
    entry = facts.traffic[one.entry]
    established = one.first("established", one.client)
    if entry.destination != server or established is None:
        return False
    closed = one.first("closed")
    lasted = closed is None or closed - established >= LEAST_S
    return lasted and entry.transport.is_mptcp


def _asked(one: Connection, address: str) -> bool:
    return any(each.remote.rpartition(":")[0] == address for each in one.subflows)


def _reason(
    one: Connection, client: Host, name: str, server: Host, link: str, address: str
) -> str | None:
    """The reason why a client asks for no subflow there; None if the file takes the
    address or its endpoint away itself."""
    heard = _told(one, "AddAddr", one.client, address)
    if not heard and not _told(one, "AddAddrTx", name, address):
        if any(change.link == link for change in server.changes):
            return None
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
    joins = sum(each.is_join for each in one.subflows)
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


def _told(one: Connection, name: str, host: str, address: str) -> bool:
    return any(
        each.name == name and each.host == host and each.get("address") == address
        for each in one.events
    )
