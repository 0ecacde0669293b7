"""The transport of each host, from the transports of its traffic.

A host has one setting of congestion control, scheduler and path manager, although
several traffic entries may begin or end there. This file is the only answer to the
question which they are: the guest sets them, and the analysis compares with them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jobs.entries.base import Entry
from jobs.transport import Transport
from topologies.description import User


def transports(traffic: Sequence[Entry], case: Transport) -> dict[str, Transport]:
    """The transport of every host that traffic goes from or to; users come first.

    case : the transport of entries that have none of their own

    All entries of a host have the same transport, except for the path that a TCP takes,
    because the settings belong to the host. Entries of the tool `flows` may have
    another protocol and congestion control, which they set on each socket.
    """
    entries: dict[str, list[Entry]] = {}
    for entry in traffic:
        for host in entry.sources:
            entries.setdefault(host, []).append(entry)
    for entry in traffic:
        for host in entry.destinations:
            entries.setdefault(host, []).append(entry)
    return {host: _joined(of_host, case) for host, of_host in entries.items()}


def _joined(entries: Sequence[Entry], case: Transport) -> Transport:
    """The settings of a host that has these entries.

    Congestion control is that of entries which cannot set their own. The scheduler and
    the path manager are those of an MPTCP, if there is one.
    """
    every = [entry.transport or case for entry in entries]
    of_kernel = [transport for transport in every if not transport.is_quic]
    if of_kernel and len(of_kernel) < len(every):
        entries = [e for e in entries if not (e.transport or case).is_quic]
        every = of_kernel
    first = every[0]
    if all(transport == first for transport in every):
        return first
    fixed = [entry.transport or case for entry in entries if not entry.own_control]
    own = (fixed or every)[0]
    leading = next((transport for transport in every if transport.is_mptcp), own)
    sysctls: dict[str, str] = {}
    for transport in every:
        sysctls |= transport.sysctls
    return replace(leading, congestion_control=own.congestion_control, sysctls=sysctls)


def backups(
    users: Sequence[User], hosts: Mapping[str, Transport]
) -> dict[str, set[int]]:
    """The numbers of the paths, from 1, that each host keeps as backups.

    What a transport says counts more than what the network says.

    users : of the network
    hosts : the transport of each host
    """
    found = {user.host: set(user.backups) for user in users}
    for host, transport in hosts.items():
        if host in found and transport.backup is not None:
            found[host] = set(transport.backup)
    return found
