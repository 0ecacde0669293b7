"""Requests that a kernel of Debian's cannot meet, because only mpbench's kernel can."""

from collections.abc import Mapping

from mpbench.spec.cases import Case
from mpbench.spec.kernels import Kernel
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults, Loc

CONGESTION_CONTROLS = ("bbr", "cubic", "reno", "vegas")
SCHEDULER = "default"
PATH_MANAGER = "fullmesh"


def check(
    kernels: Mapping[str, Kernel],
    cases: Mapping[str, Case],
    traffic: tuple[Entry, ...],
    fabric: str,
    faults: Faults,
) -> None:
    """Note what cases with a kernel of Debian's ask for in vain.

    fabric : the key that puts the network on the fabric; empty if none does
    """
    debians = {name for name, kernel in kernels.items() if kernel.machine is not None}
    there = {n: case.kernel for n, case in cases.items() if case.kernel in debians}
    for name, kernel in there.items():
        _check_transport(cases[name], ("cases", name), str(kernel), faults)
    label = next(iter(there.values()), None)
    if label is None:
        return
    for index, entry in enumerate(traffic):
        if entry.transport is not None:
            place = ("traffic", index, "transport")
            _check_transport(entry.transport, place, label, faults)
    if fabric:
        reason = f"kernel '{label}' is Debian's and has no fabric"
        faults.add((fabric,), f"{reason}; only mpbench's kernel has one")


def _check_transport(case: Case, place: Loc, label: str, faults: Faults) -> None:
    for key, words, known in (
        ("congestion_control", "congestion control", CONGESTION_CONTROLS),
        ("scheduler", "scheduler", (SCHEDULER,)),
        ("path_manager", "path manager", (PATH_MANAGER,)),
    ):
        given = getattr(case, key)
        if given is None:
            continue
        if given.name not in known:
            reason = f"kernel '{label}' is Debian's and has no {words} '{given.name}'"
            faults.add((*place, key), f"{reason}; it has: {', '.join(known)}")
        for value, _ in given.values:
            reason = f"kernel '{label}' is Debian's and has no such parameter"
            faults.add((*place, key, value), f"{reason}; take it away")
