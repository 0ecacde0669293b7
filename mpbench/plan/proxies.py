"""The proxies of a run, as traffic entries of a job.

An entry with `via` becomes one entry per pair of hosts between which there are
connections: itself, from its client to the first proxy, and one of the tool `proxy` for
each proxy and the connections that it opens. These follow all other entries.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jobs import Transport
from jobs.entries import Entry
from mpbench.spec import traffic as keys
from mpbench.spec.ends import HostSettings
from tools.proxy.record import MPTCP, TCP, Proxy
from topologies import Description

FIRST_PORT = 18001


@dataclass(frozen=True)
class Legs:
    """The entries of a job whose data proxies pass on.

    entries : those of the file that flow, the ones with proxies up to their first one
    more : the connections that proxies open, in their order
    names : of these in the table of runs
    """

    entries: tuple[Entry, ...]
    more: tuple[Proxy, ...]
    names: tuple[str, ...]


def of_job(
    made: Sequence[Entry],
    asked: Sequence[keys.Entry],
    names: Sequence[str],
    case: Transport,
    hosts: Mapping[str, HostSettings],
    topology: Description,
) -> Legs:
    """The entries of a job, with those of the proxies.

    made : the entries of the job without proxies
    asked : the entries of the file for these
    names : theirs in the table of runs
    case : the transport of entries that have none of their own
    hosts : the settings of single hosts
    """
    entries = list(made)
    more: list[Proxy] = []
    called: list[str] = []
    ports = _ports([entry.port for entry in made])
    used = [one.host for entry in asked for one in entry.via or ()]
    for number, (entry, given) in enumerate(zip(made, asked, strict=True)):
        if not given.via:
            continue
        usual = entry.transport or case
        listens = [next(ports) for _ in given.via]
        first = given.via[0].host
        entries[number] = replace(  # type: ignore[call-arg]
            entry,
            destination=first,
            port=listens[0],
            transport=_own(_on(usual, entry.source, topology), case),
        )
        ends = [one.host for one in given.via[1:]] + [entry.destination]
        for one, at, end, port in zip(
            given.via, listens, ends, [*listens[1:], entry.port], strict=True
        ):
            opens = one.opens or _protocol(usual, hosts.get(one.host))
            own = _on(usual, one.host, topology)
            more.append(
                Proxy(
                    tool="proxy",
                    source=one.host,
                    destination=end,
                    start_s=entry.start_s,
                    port=port,
                    duration_s=None,
                    bytes=None,
                    reverse=entry.reverse,
                    serves=number,
                    listens=at,
                    accepts=one.accepts or _protocol(usual, hosts.get(one.host)),
                    opens=opens,
                    fills=entry.bulk,
                    transport=_own(own if opens == MPTCP else _plain(own), case),
                )
            )
            alone = used.count(one.host) == 1 and one.host not in names
            called.append(one.host if alone else f"{names[number]}-{one.host}")
    return Legs(tuple(entries), tuple(more), tuple(called))


def _ports(taken: Sequence[int]) -> Iterator[int]:
    """Ports that no server has."""
    port = FIRST_PORT
    while True:
        if port not in taken:
            yield port
        port += 1


def _protocol(transport: Transport, settings: HostSettings | None) -> str:
    speaks = transport.is_mptcp
    if settings is not None and settings.mptcp is not None:
        speaks = settings.mptcp
    return MPTCP if speaks else TCP


def _on(transport: Transport, host: str, topology: Description) -> Transport:
    """The transport on a host that may lack the path of a TCP: then it is the first."""
    count = len(topology.user(host).paths)
    if transport.path is None or transport.path <= count:
        return transport
    return replace(transport, path=1)


def _plain(transport: Transport) -> Transport:
    """TCP with the other settings of a transport."""
    if not transport.is_mptcp:
        return transport
    return replace(
        transport, protocol="tcp", scheduler=None, path_manager=None, backup=None
    )


def _own(transport: Transport, case: Transport) -> Transport | None:
    """The transport of an entry; None for that of the case."""
    return None if transport == case else transport
