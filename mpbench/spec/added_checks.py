"""Names that kernels add, checked: none that is there already, and each where it is."""

from collections.abc import Iterator, Mapping

from mpbench.spec.cases import Case
from mpbench.spec.kernels import ADDED_KEYS, KNOWN, Kernel
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults, Loc


def of(kernels: Mapping[str, Kernel], label: str, key: str) -> tuple[str, ...]:
    """The names that a kernel and its bases add. key : as for `given`"""
    found: dict[str, None] = {}
    passed = set[str]()
    here: str | None = label
    while here is not None and here in kernels and here not in passed:
        passed.add(here)
        adds = kernels[here].adds
        found |= dict.fromkeys(adds.names(key) if adds else ())
        here = kernels[here].base
    return tuple(found)


def check_kernel(
    name: str, kernel: Kernel, own: tuple[str, ...], faults: Faults
) -> None:
    """Note names that mpbench or the file has already, and what can add none.

    own : names of the controllers and schedulers of the file's plug-ins
    """
    if kernel.adds is None:
        return
    place = ("kernels", name, "adds")
    if kernel.machine is not None:
        faults.add(place, "'machine: qemu' boots a binary as it is; take it away")
    for key, known in KNOWN.items():
        for each in kernel.adds.names(key):
            if each in known:
                reason = f"mpbench knows '{each}' already; take it away"
                faults.add((*place, key), reason)
            elif each in own:
                reason = f"a plug-in is called '{each}'; give one of them another name"
                faults.add((*place, key), reason)


def check_cases(
    kernels: Mapping[str, Kernel],
    cases: Mapping[str, Case],
    traffic: tuple[Entry, ...],
    faults: Faults,
) -> None:
    """Note cases that use an added name under a kernel that does not add it."""
    for key, section in ADDED_KEYS.items():
        adding = {label: of(kernels, label, section) for label in kernels}
        every = {each for names in adding.values() for each in names}
        for place, label, name in _used(cases, traffic, key):
            if name not in every or name in adding.get(label or "", ()):
                continue
            have = [other for other, names in adding.items() if name in names]
            who = f"kernel '{label}' does" if label else "mpbench's own kernel does"
            hint = f"write kernel: {have[0]}, or add it to `adds` of '{label}'"
            reason = f"{who} not add '{name}'"
            faults.add(place, f"{reason}; {hint if label else hint.split(',')[0]}")


def _used(
    cases: Mapping[str, Case], traffic: tuple[Entry, ...], key: str
) -> Iterator[tuple[Loc, str | None, str]]:
    """The place, the kernel and the name of all controllers or schedulers in use."""
    for label, case in cases.items():
        if (one := getattr(case, key)) is not None and not case.is_quic:
            yield ("cases", label, key), case.kernel, one.name
        for index, entry in enumerate(traffic):
            other = getattr(entry.transport, key) if entry.transport else None
            if other is not None and entry.transport and not entry.transport.is_quic:
                yield ("traffic", index, "transport", key), case.kernel, other.name
