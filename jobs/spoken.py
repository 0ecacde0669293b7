"""Protocols of the sockets that the programs of a traffic entry open.

They are those of the entry's transport, unless settings of a host or the entry itself
say otherwise. This file is the only answer: guests start the programs by it, and the
analysis says with it why connections are plain TCP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobs.ends import Host
from jobs.entries.base import Entry
from jobs.sockets import MPTCP, TCP
from jobs.transport import Transport

ENTRY, HOST, PROXY, CASE = "entry", "host", "proxy", "case"
"""Parts of a file that say what a socket speaks. The first counts most."""


@dataclass(frozen=True)
class Spoken:
    """The protocols at both ends of an entry's connections, and who decides.

    accepts, opens : `mptcp` or `tcp`
    accepts_by, opens_by : which part of a file says so, of ENTRY, HOST, PROXY and CASE
    """

    accepts: str
    opens: str
    accepts_by: str
    opens_by: str

    @property
    def plain_listener(self) -> bool:
        """Whether connections that ask for MPTCP meet a listener of plain TCP."""
        return (self.accepts, self.opens) == (TCP, MPTCP)


def at_end(entry: Entry, role: str, settings: Host | None, otherwise: bool) -> bool:
    """Whether a program of an entry opens sockets of MPTCP.

    role : "server" or "client"
    settings : of its host
    otherwise : what holds where neither says it
    """
    told = entry.sockets.at(role) if entry.sockets else None
    if told is not None:
        return told == MPTCP
    if settings is not None and settings.mptcp is not None:
        return settings.mptcp
    return otherwise


def spoken(
    traffic: Sequence[Entry],
    index: int,
    hosts: Mapping[str, Host],
    case: Transport,
) -> Spoken:
    """The protocols at both ends of the connections of an entry.

    Of an entry on a way with proxies, these are the connections of one of its legs.

    traffic : all entries of a job
    index : number of the entry
    hosts : settings of single hosts
    case : the transport of entries that have none of their own
    """
    entry = traffic[index]
    whole = index if entry.served is None else entry.served
    legs = [n for n, one in enumerate(traffic) if whole in (n, one.served)]
    after = legs[legs.index(index) + 1 :]
    first = traffic[whole]
    usual = (first.transport or case).is_mptcp
    if entry.opened is not None:
        opens, opens_by = entry.opened, PROXY
    else:
        opens, opens_by = _said(entry, "client", hosts.get(entry.source), usual)
    if after and (inlet := traffic[after[0]].taken) is not None:
        accepts, accepts_by = inlet, PROXY
    else:
        settings = hosts.get(entry.destination)
        accepts, accepts_by = _said(first, "server", settings, usual)
    return Spoken(accepts, opens, accepts_by, opens_by)


def _said(
    entry: Entry, role: str, settings: Host | None, usual: bool
) -> tuple[str, str]:
    """The protocol of a program, and the part of a file that says it."""
    by = CASE
    if settings is not None and settings.mptcp is not None:
        by = HOST
    if entry.sockets is not None and entry.sockets.at(role) is not None:
        by = ENTRY
    return (MPTCP if at_end(entry, role, settings, usual) else TCP), by
