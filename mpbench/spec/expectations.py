"""Whether what traffic entries expect can be known, and can be."""

from collections.abc import Mapping, Sequence

from analysis.words import many
from jobs.expect import YES
from mpbench.spec.cases import Case
from mpbench.spec.ends import HostSettings
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults
from topologies import Description


def check(
    entries: Sequence[Entry],
    cases: Mapping[str, Case],
    hosts: Mapping[str, HostSettings],
    topology: Description | None,
    silent: Sequence[str],
    faults: Faults,
) -> None:
    """Adds a fault for each expectation that no run can meet, or nobody can judge.

    silent : the cases whose kernel writes no events
    """
    for index, entry in enumerate(entries):
        if entry.expect is None:
            continue
        at = ("traffic", index, "expect")
        if entry.without_connection:
            reason = f"{entry.tool} sends datagrams, without a connection"
            faults.add(at, f"{reason}; add 'over: connection', or take it away")
            continue
        key = entry.expect.of_mptcp
        if not key:
            continue
        transports = [entry.transport] if entry.transport else list(cases.values())
        if all(transport.protocol != "mptcp" for transport in transports):
            faults.add((*at, key), "of mptcp, and no case is; take it away")
        if reason := _contradicted(entry, hosts):
            faults.add((*at, key), reason)
        if topology is None:
            continue
        if silent and (reason := _mixed(entries, index, topology)):
            reason += f", and the kernel of the case {silent[0]} writes no events by"
            reason += " which they are told apart"
            faults.add((*at, key), f"{reason}; give one of them other hosts")


def _mixed(entries: Sequence[Entry], index: int, topology: Description) -> str:
    """The host on which other entries have connections too; empty for none."""
    own = _hosts(entries[index], topology)
    for other, rest in enumerate(entries):
        shared = own & _hosts(rest, topology)
        if other != index and shared and not rest.without_connection:
            return f"{min(shared)} has connections of traffic[{other}] too"
    return ""


def _contradicted(entry: Entry, hosts: Mapping[str, HostSettings]) -> str:
    """Reason why settings of hosts exclude what an entry expects; empty if none does.

    hosts : settings that hold in all cases
    """
    wanted = entry.expect
    assert wanted is not None
    if entry.via:
        return ""  # it is about the connections up to a proxy, whose plan tells
    for host in (entry.source, entry.destination):
        settings = hosts.get(host)
        if settings is None:
            continue
        stays = wanted.mptcp == YES or (wanted.subflows or 1) > 1
        if settings.mptcp is False and stays:
            return f"hosts.{host} has 'mptcp: false'; take one of them away"
        most = settings.limits.subflows if settings.limits else None
        if most is not None and (wanted.subflows or 1) > 1 + most:
            reason = f"hosts.{host} allows {many(most, 'further subflow')}"
            return f"{reason}; write at most {1 + most}, or raise the limit"
    return ""


def _hosts(entry: Entry, topology: Description) -> set[str]:
    return {host for pair in entry.ends(topology) for host in pair}
