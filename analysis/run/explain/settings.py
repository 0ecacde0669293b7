"""Settings of hosts that leave a connection without a further subflow."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, listed
from analysis.run.explain.subflows import Connection
from analysis.run.outcomes.provoked import DENIED
from analysis.run.readers.host_changes import NAME, HostChange
from analysis.run.traffic import Traffic
from jobs.artefacts import NO_CONNECTION, REFUSED
from jobs.ends import CREATE, Host

ASKING = ("subflow", "fullmesh")
"""The flags of endpoints from which a host asks for subflows by itself."""
NOTHING = Host()


def reasons(facts: Facts, one: Connection) -> Iterator[str]:
    """The settings that keep the client of a connection from asking.

    Linux asks for a further subflow if its limit allows one, and either an endpoint of
    its own may take the peer's first address, or it accepts an announced address.
    """
    entry = facts.traffic[one.entry]
    client = settings_of(facts, one.client)
    server = settings_of(facts, entry.destination)
    if client.in_userspace:
        yield _scripted(facts, one, client)
        return
    limit = client.limits.subflows if client.limits else None
    if limit == 0:
        raised = any(c.limits and c.limits.subflows for c in client.changes)
        later = ", and raising it later opens none on them" if raised else ""
        yield f"the limit `subflows` of the {one.client} is 0{later}"
        return
    if where := _denied(facts, entry):
        yield f"{DENIED} is 0{where}, so the peer's first address takes no subflow"
        yield from _unheard(facts, one, client, server)
        return
    own = client.endpoints
    if own is not None and not any(set(ASKING) & set(each.flags) for each in own):
        yield f"the {one.client} has no endpoint with the flag `subflow`"
        yield from _unheard(facts, one, client, server)


def _scripted(facts: Facts, one: Connection, client: Host) -> str:
    """The reason why a path manager in user space created no subflow."""
    head = f"the path manager of the {one.client} is in user space, and its script"
    times = [change.at_s for change in client.changes if change.command == CREATE]
    if not times:
        return f"{head} creates none"
    closed_s = one.first("closed", one.client)
    if closed_s is not None and closed_s < min(times):
        return f"{head} creates one at {min(times):g} s, after its end"
    return f"{head} did not succeed to create one"


def script(facts: Facts) -> Iterator[Finding]:
    """Commands of path managers in user space that had no effect."""
    for change in facts.host_changes:
        command, _, _ = change.state.partition(" ")
        words = f"{command.rstrip(':')} {change.link}"
        head = f"the script of the {change.host}, {words} at {change.at_s:g} s,"
        if REFUSED in change.state:
            reason = change.state.partition(REFUSED)[2]
            yield Finding(f"{head} was refused: {reason}", _line(change))
        elif change.state.endswith(NO_CONNECTION):
            yield Finding(f"{head} met no MPTCP connection", _line(change))


def _line(change: HostChange) -> str:
    return f"{change.state} at {change.time_s:.3f} s in {NAME}"


def without_mptcp(facts: Facts) -> Iterator[Finding]:
    """Clients whose programs open sockets of TCP, because the plan says so."""
    for host in facts.clients():
        counters = facts.counters.get(host)
        if settings_of(facts, host).mptcp is not False or counters is None:
            continue
        yield Finding(
            f"the connections of the {host} are plain TCP: its programs do not ask for"
            " MPTCP",
            f"`mptcp` of the {host} is false, and MPCapableSYNTX is"
            f" {counters.mptcp('MPCapableSYNTX')}",
        )


def settings_of(facts: Facts, host: str) -> Host:
    """The settings of a host; those of none if the file gives it none."""
    return (facts.job.host_settings or {}).get(host, NOTHING)


def _denied(facts: Facts, entry: Traffic[Any]) -> str:
    """The host whose setting forbids joins to its first address; "" for none."""
    sysctls: Mapping[str, object] = settings_of(facts, entry.destination).sysctls or {}
    if str(sysctls.get(DENIED)) == "0":
        return f" on the {entry.destination}"
    return " on both hosts" if facts.sysctls.get(DENIED) == "0" else ""


def _unheard(
    facts: Facts, one: Connection, client: Host, server: Host
) -> Iterator[str]:
    """The reason why an announced address gave no subflow either."""
    announced = [
        address
        for event in one.events
        if event.name == "AddAddr" and event.host == one.client
        if (address := event.get("address"))
    ]
    limit = client.limits.add_addr_accepted if client.limits else None
    if announced and not limit:
        yield (
            f"the limit `add_addr_accepted` of the {one.client} is 0, so it does not"
            f" use {listed(announced)}, which the peer announces"
        )
    elif not announced and not announces(server):
        yield "the peer announces no address"


def announces(server: Host, link: str | None = None) -> bool:
    """Whether a host has an endpoint to announce, on a link or on any."""
    return any(
        "signal" in each.flags and link in (None, each.link)
        for each in server.endpoints or ()
    )
