"""Whether the transports of two traffic entries can share a host.

The scheduler, the path manager and sysctls belong to a host. Congestion control and
protocol do too, except for the tool `flows`, which sets both on each socket.
"""

from collections.abc import Mapping, Sequence

from mpbench.spec.cases import Case
from mpbench.spec.traffic import Entry
from mpbench.spec.traffic_patterns import HOSTS, REST
from mpbench.spec.values import Faults
from topologies import Description

TRANSPORT = "another transport"


def check(
    entries: Sequence[Entry],
    cases: Mapping[str, Case],
    topology: Description | None,
    faults: Faults,
) -> None:
    """Adds a fault for each entry whose transport cannot share a host with those of
    earlier entries."""
    users: dict[str, list[int]] = {}
    servers: dict[str, list[tuple[int, str]]] = {}
    for index, entry in enumerate(entries):
        ends = entry.ends(topology)
        hosts = [*dict.fromkeys(here for here, _ in ends), HOSTS]
        same_host = [other for host in hosts for other in users.get(host, [])]
        if entry.many:
            same_host = list(range(index))
        earlier, reason = _clash(entries, index, same_host, cases)
        if reason:
            has = [host for host in hosts[:-1] if earlier in users.get(host, [])]
            name = has[0] if has else entry.source
            words = (
                f"{name} has another transport in traffic[{earlier}]; all"
                " entries of a host have one, except for the path of a tcp, and except"
                " for flows"
                if reason == TRANSPORT
                else f"{name} has {reason} in traffic[{earlier}], and all"
                " entries of a host share it"
            )
            key = ("transport",) if entry.transport else ()
            faults.add(("traffic", index, *key), words)
            continue
        for host in hosts[:-1]:
            users.setdefault(host, []).append(index)
        if entry.many:
            continue
        for here, there in ends:
            others = [n for n, source in servers.get(there, []) if source != here]
            earlier, reason = _clash(entries, index, others, cases)
            if reason:
                words = f"{there} has {reason} in traffic[{earlier}]; give"
                words += f" {here} a server of its own"
                faults.add(("traffic", index, "to"), words)
                break
        else:
            for here, there in ends:
                servers.setdefault(there, []).append((index, here))


def check_rest(entries: Sequence[Entry], faults: Faults) -> None:
    """Adds a fault for each entry of the remaining senders without the one entry whose
    senders remain."""
    for index, entry in enumerate(entries):
        if not entry.of_rest:
            continue
        others = sum(entry.is_rest_of(other) for other in entries)
        if others != 1:
            has = "several entries have" if others else "no other entry has"
            reason = f"'{REST}' of what? {has} a share of senders, 'from: {HOSTS}' and"
            reason += f" 'to: {entry.destination}'; give one entry 'senders: 33 %'"
            faults.add(("traffic", index, "senders"), reason)


def _clash(
    entries: Sequence[Entry],
    index: int,
    earlier: Sequence[int],
    cases: Mapping[str, Case],
) -> tuple[int, str]:
    """The first of the earlier entries with which an entry cannot share a host, and
    why; an empty reason if there is none. Entries that are alike are compared once."""
    seen: list[tuple[bool, Case | None]] = []
    for other in earlier:
        kind = (entries[other].own_control, _settings(entries[other].transport))
        if kind not in seen:
            seen.append(kind)
            reason = _fault(entries[index], entries[other], cases)
            if reason:
                return other, reason
    return 0, ""


def _fault(entry: Entry, other: Entry, cases: Mapping[str, Case]) -> str:
    """Reason why two entries cannot share a host; empty if they can."""
    if not entry.own_control and not other.own_control:
        if _settings(entry.transport) == _settings(other.transport):
            return ""
        quic = all(
            (entry.transport or case).is_quic != (other.transport or case).is_quic
            for case in cases.values()
        )
        return "" if quic else TRANSPORT  # only the kernel's settings are the host's
    for case in cases.values():
        reason = _difference(entry.transport or case, other.transport or case)
        if reason:
            return reason
    return ""


def _settings(own: Case | None) -> Case | None:
    return None if own is None else own.model_copy(update={"path": None})


def _difference(one: Case, two: Case) -> str:
    """Difference between two transports in what belongs to the host, in words; empty if
    there is none."""
    if one.sysctls != two.sysctls:
        return "other sysctls"
    if one.protocol == two.protocol == "mptcp":
        if one.scheduler != two.scheduler:
            return "another scheduler"
        if one.path_manager != two.path_manager:
            return "another path manager"
    known = [_sysctls_of(case) for case in (one, two)]
    values = [case.parameter_sysctls for case in (one, two)]
    for name in known[0] & known[1]:
        if values[0].get(name) != values[1].get(name):
            return "other parameters of the congestion control"
    return ""


def _sysctls_of(case: Case) -> set[str]:
    """The sysctls on which a case's congestion control depends."""
    parameters = case.congestion_control.knobs("congestion_control")
    return {knob.sysctl for knob in parameters.values()}
