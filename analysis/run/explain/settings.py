"""Settings of hosts that leave a connection without a further subflow."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, listed
from analysis.run.explain.subflows import Connection
from analysis.run.outcomes.counts import NO_ANSWER
from analysis.run.outcomes.provoked import DENIED
from analysis.run.readers.host_changes import NAME, HostChange
from analysis.run.traffic import Traffic
from jobs.artefacts import NO_CONNECTION, REFUSED
from jobs.ends import CREATE, Host
from jobs.sockets import MPTCP, TCP
from jobs.spoken import ENTRY, HOST, PROXY

ASKING = ("subflow", "fullmesh")
"""The flags of endpoints from which a host asks for subflows by itself."""
KEEPALIVE = ("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_keepalive_intvl")
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


def without_keepalive(facts: Facts) -> Iterator[Finding]:
    """Sysctls about probes of silent connections, which no program asks for.

    Linux probes only for sockets with SO_KEEPALIVE, and those with times of their own
    do not look at the sysctls.
    """
    told: dict[tuple[str, str], list[str]] = {}
    for host in dict.fromkeys(h for one in facts.traffic for h in _ends(one)):
        entries = [one for one in facts.traffic if host in _ends(one)]
        given = _given(facts, host, entries)
        if not given or any(one.record.own_program for one in entries):
            continue
        own = [
            one.title
            for one in entries
            if one.record.own_keepalive and host in one.sources
        ]
        why = "no program there asks for keepalive probes (SO_KEEPALIVE)"
        if own:
            why = f"the client of {listed(own)} has times of its own"
        verb = "has" if len(given) == 1 else "have"
        values = listed(f"{name} {value}" for name, value in given.items())
        sentence = f"{verb} no effect: {why}; see `keepalive` of pingpong"
        told.setdefault((sentence, values), []).append(host)
    for (sentence, values), hosts in told.items():
        names = listed(name for name in KEEPALIVE if name in values)
        yield Finding(f"{names} of the {' and the '.join(hosts)} {sentence}", values)


def _ends(entry: Traffic[Any]) -> tuple[str, ...]:
    return (*entry.sources, *entry.destinations)


def _given(
    facts: Facts, host: str, entries: Iterable[Traffic[Any]]
) -> dict[str, object]:
    """The sysctls about keepalive probes that the file gives a host."""
    found: dict[str, object] = {}
    for one in entries:
        found |= dict(one.transport.sysctls)
    found |= dict(settings_of(facts, host).sysctls or {})
    return {name: found[name] for name in KEEPALIVE if name in found}


def without_mptcp(facts: Facts) -> Iterator[Finding]:
    """Clients whose programs open sockets of TCP, because the plan says so."""
    for host in facts.clients():
        counters = facts.counters.get(host)
        entries = _opened(facts, host)
        if counters is None or not entries:
            continue
        every = len(entries) == len(_from(facts, host))
        to = "" if every else f" to {_ports(entries.values())}"
        where = listed(_said(n, one, "opens") for n, one in entries.items())
        yield Finding(
            f"the connections of the {host}{to} are plain TCP: its programs do not ask"
            " for MPTCP",
            f"{where}, and MPCapableSYNTX is {counters.mptcp('MPCapableSYNTX')}",
        )


def plain_listener(facts: Facts) -> Iterator[Finding]:
    """Connections that asked for MPTCP, and met a listener of plain TCP."""
    for number, entry in enumerate(facts.traffic):
        count = at_plain_listener(facts, number)
        if not count or entry.spoken is None:
            continue
        several = len(_from(facts, entry.source)) > 1
        to = f" to {_ports([entry])}" if several else ""
        are = "connection" if count == 1 else "connections"
        verb = "is" if count == 1 else "are"
        whose = "proxy on the " if entry.spoken.accepts_by == PROXY else ""
        yield Finding(
            f"{count} {are} of the {entry.source}{to} {verb} plain TCP: the listener"
            f" of the {whose}{entry.destination} does not speak MPTCP",
            f"{_said(number, entry, 'accepts')}, and {NO_ANSWER} is {count} on the"
            f" {entry.source}",
        )


def at_plain_listener(facts: Facts, number: int) -> int:
    """The connections of an entry that asked for MPTCP and met a plain listener.

    number : of the entry
    """
    entry = facts.traffic[number]
    if not entry.plain_listener:
        return 0
    if facts.events is not None and not facts.events.left_out:
        return sum(
            event.number
            for event in facts.events.named(NO_ANSWER)
            if event.host == entry.source and event.connection == number
        )
    asking = [one for one in _from(facts, entry.source).values() if _asks(one)]
    counters = facts.counters.get(entry.source)
    if len(asking) > 1 or counters is None:
        return 0
    return counters.mptcp(NO_ANSWER)


def _asks(entry: Traffic[Any]) -> bool:
    return entry.spoken is None or entry.spoken.opens == MPTCP


def _from(facts: Facts, host: str) -> dict[int, Traffic[Any]]:
    """The entries whose connections of MPTCP a host opens, by their numbers."""
    return {
        number: entry
        for number, entry in enumerate(facts.traffic)
        if host in entry.sources and entry.transport.is_mptcp
    }


def _opened(facts: Facts, host: str) -> dict[int, Traffic[Any]]:
    """Those of them that are plain TCP by the entry or by settings of the host."""
    return {
        number: entry
        for number, entry in _from(facts, host).items()
        if entry.spoken is not None
        and entry.spoken.opens == TCP
        and entry.spoken.opens_by in (ENTRY, HOST)
        and _connects(facts, number)
    }


def _connects(facts: Facts, number: int) -> bool:
    """Whether an entry has connections. A program of the user's own may open none."""
    events = facts.events
    own = facts.traffic[number].record.own_program
    if not own or events is None or events.left_out:
        return True
    return any(e.connection == number for e in events.named("tcp_connect"))


def _ports(found: Iterable[Traffic[Any]]) -> str:
    ports = [str(entry.record.port) for entry in found]
    return f"port{'s' if len(ports) > 1 else ''} {listed(ports)}"


def _said(number: int, entry: Traffic[Any], key: str) -> str:
    """The part of a file that says what an entry's sockets speak."""
    assert entry.spoken is not None
    accepts = key == "accepts"
    by = entry.spoken.accepts_by if accepts else entry.spoken.opens_by
    host = entry.destination if accepts else entry.source
    if by == ENTRY:
        return f"`{key}` of traffic[{number}] is tcp"
    if by == PROXY:
        return f"`{key}` of the proxy on the {host} is tcp"
    return f"`mptcp` of the {host} is false"


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
    elif not announced:
        sent = [event for event in one.events if event.name == "AddAddrTx"]
        if any(event.host != one.client for event in sent):
            reason = "the peer's announcements of addresses (ADD_ADDR) did not arrive"
            yield f"{reason}, or their codes (HMAC) were wrong"


def offers(facts: Facts, host: str) -> set[str]:
    """The addresses of a client's paths from which it may ask for subflows."""
    paths = facts.users.get(host, ())
    own = settings_of(facts, host).endpoints
    if own is None:
        return {path.address or "" for path in paths}
    links = {each.link for each in own if set(ASKING) & set(each.flags)}
    return {path.address or "" for path in paths if path.links[0] in links}


def announces(server: Host, link: str | None = None) -> bool:
    """Whether a host has an endpoint to announce, on a link or on any."""
    return any(
        "signal" in each.flags and link in (None, each.link)
        for each in server.endpoints or ()
    )
