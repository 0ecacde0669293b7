"""Checks between the traffic entries of an experiment: names, hosts, paths."""

from collections.abc import Mapping, Sequence

from mpbench.spec.cases import Case
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults
from topologies import Description, networks

Entries = Sequence[Entry]


def names(entries: Entries) -> tuple[str, ...]:
    """The name of each entry in the table: its own, its host's, or host and number."""
    hosts = [entry.label for entry in entries if entry.name is None]
    seen: dict[str, int] = {}
    result = []
    for entry in entries:
        name = entry.name or entry.label
        if entry.name is None and hosts.count(entry.label) > 1:
            seen[name] = seen.get(name, 0) + 1
            name = f"{name}-{seen[name]}"
        result.append(name)
    return tuple(result)


def check_names(entries: Entries, topology: Description, faults: Faults) -> None:
    """Names are unique, differ from links, and have no dot, which separates columns."""
    taken: dict[str, int] = {}
    for index, name in enumerate(names(entries)):
        at = ("traffic", index, *(("name",) if entries[index].name else ()))
        first = taken.setdefault(name, index)
        if first != index:
            faults.add(at, f"'{name}' is traffic[{first}] already; give another")
        elif "." in name:
            faults.add(at, f"'{name}' has a dot, which separates columns; write '-'")
        elif name in {p.name.partition(".")[0] for p in topology.parameters} - {
            user.host for user in topology.users
        }:
            faults.add(at, f"'{name}' is a link of {topology.name}; give another")


def check_paths(
    entries: Entries,
    cases: Mapping[str, Case],
    topology: Description,
    faults: Faults,
) -> None:
    """Every TCP takes a path that its host has, and every scheduler has enough
    subflows."""
    for index, entry in enumerate(entries):
        here = dict.fromkeys(host for host, _ in entry.ends(topology))
        for source in topology.initiators[:1] if entry.many else here:
            if source in topology.initiators:
                name = entry.source if entry.many else source
                _check_paths_of(index, entry, (source, name), cases, topology, faults)


def _check_paths_of(
    index: int,
    entry: Entry,
    host: tuple[str, str],
    cases: Mapping[str, Case],
    topology: Description,
    faults: Faults,
) -> None:
    """The same for one host of an entry. host : its name, and what messages call it"""
    source, name = host
    count = len(topology.user(source).paths)
    own = entry.transport
    for place, case in (
        [(("traffic", index, "transport"), own)]
        if own is not None
        else [(("cases", name), case) for name, case in cases.items()]
    ):
        if not case.one_path:
            reason = case.lacks_subflows(count, name)
            if reason and topology.paths >= case.least_subflows:
                faults.add((*place, "scheduler"), reason)
            if reason := networks.backup_fault(case.backup or (), count):
                faults.add((*place, "backup"), f"{name}: {reason}")
            continue
        if case.path is None and count > 1:
            reason = f"missing; {name} has {count} paths; e.g. 1"
            faults.add((*place, "path"), reason)
        elif (case.number or 0) > count and not _elsewhere(case, entry, topology):
            reason = f"there is no path {case.path} of {name}"
            faults.add((*place, "path"), f"{reason}, which has {count}")
        elif case.shortest and not entry.own_control:
            reason = f"{entry.tool} takes a path by its number, e.g. 1"
            faults.add((*place, "path"), f"{reason}; only 'flows' takes {case.path}")


def _elsewhere(case: Case, entry: Entry, topology: Description) -> bool:
    """Whether another host on an entry's way has the path; others take their first."""
    hosts = (host for host, _ in entry.ends(topology) if entry.via)
    users = (topology.user(host) for host in hosts if host in topology.initiators)
    return any((case.number or 0) <= len(user.paths) for user in users)
