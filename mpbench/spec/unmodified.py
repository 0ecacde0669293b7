"""Requests that a kernel of Debian's, stock Linux, or one without MPTCP cannot meet.

Patches and options may add what stock Linux lacks. A kernel with any is asked itself,
in a guest, before its first run.
"""

from collections.abc import Mapping

from mpbench.spec.cases import Case
from mpbench.spec.kernels import Kernel, merged, unread
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults, Loc

CONGESTION_CONTROLS = ("bbr", "cubic", "reno", "vegas")
SCHEDULER = "default"
PATH_MANAGER = "fullmesh"
MPTCP = "CONFIG_MPTCP"


def check(
    kernels: Mapping[str, Kernel],
    cases: Mapping[str, Case],
    traffic: tuple[Entry, ...],
    fabric: str,
    faults: Faults,
) -> None:
    """Note what cases with a kernel of Debian's, or stock Linux, ask for in vain.

    fabric : the key that puts the network on the fabric; empty if none does
    """
    _check_mptcp(kernels, cases, traffic, faults)
    known = {name: _words(kernels, name) for name in kernels}
    there = {
        name: f"kernel '{case.kernel}' is {known[case.kernel]}"
        for name, case in cases.items()
        if case.kernel is not None and known.get(case.kernel)
    }
    for name, subject in there.items():
        _check_transport(cases[name], ("cases", name), subject, faults)
    first = next(iter(there.values()), None)
    if first is None:
        return
    for index, entry in enumerate(traffic):
        if entry.transport is not None:
            place = ("traffic", index, "transport")
            _check_transport(entry.transport, place, first, faults)
    if fabric:
        reason = f"{first} and has no fabric"
        faults.add((fabric,), f"{reason}; only mpbench's kernel has one")


def _words(kernels: Mapping[str, Kernel], label: str) -> str:
    """A kernel that nobody changed, in words; empty for one that may have more."""
    if kernels[label].machine is not None:
        return "Debian's" if kernels[label].packages else ""
    try:
        linux = merged(kernels, label)[0]
    except (KeyError, ValueError):
        return ""
    more = linux.lab or linux.patches or linux.options or linux.tree
    return "" if more or unread(kernels, label) else "stock Linux"


def _check_mptcp(
    kernels: Mapping[str, Kernel],
    cases: Mapping[str, Case],
    traffic: tuple[Entry, ...],
    faults: Faults,
) -> None:
    """Note MPTCP under kernels whose options turn it off, before any is built."""
    hint = "so it has no MPTCP; take the option away, or write protocol: tcp"
    reasons = {
        name: f"kernel '{case.kernel}' has {MPTCP}: n, {hint}"
        for name, case in cases.items()
        if case.kernel is not None and _turns_off_mptcp(kernels, case.kernel)
    }
    for name, reason in reasons.items():
        if cases[name].protocol == "mptcp":
            faults.add(("cases", name, "protocol"), reason)
    for index, entry in enumerate(traffic):
        if reasons and entry.transport and entry.transport.protocol == "mptcp":
            place = ("traffic", index, "transport", "protocol")
            faults.add(place, next(iter(reasons.values())))


def _turns_off_mptcp(kernels: Mapping[str, Kernel], label: str) -> bool:
    try:
        options = merged(kernels, label)[0].options or {}
    except (KeyError, ValueError):
        return False
    return options.get(MPTCP) == "n"


def _check_transport(case: Case, place: Loc, subject: str, faults: Faults) -> None:
    for key, words, known in (
        ("congestion_control", "congestion control", CONGESTION_CONTROLS),
        ("scheduler", "scheduler", (SCHEDULER,)),
        ("path_manager", "path manager", (PATH_MANAGER,)),
    ):
        given = getattr(case, key)
        if given is None:
            continue
        if given.name not in known:
            reason = f"{subject} and has no {words} '{given.name}'"
            faults.add((*place, key), f"{reason}; it has: {', '.join(known)}")
        for value, _ in given.values:
            reason = f"{subject} and has no such parameter"
            faults.add((*place, key, value), f"{reason}; take it away")
