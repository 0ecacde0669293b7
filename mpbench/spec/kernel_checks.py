"""Faults of the section `kernels:`, beside those of single values."""

import re
from collections.abc import Mapping

from jobs.linux import OWN, Linux
from mpbench.kernel import archive, releases
from mpbench.spec.kernels import (
    RELEASE,
    Kernel,
    is_address,
    merged,
    unread,
)
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults


def check(kernels: Mapping[str, Kernel], faults: Faults) -> None:
    """Note bases that are not there, circles of bases, and kernels that are equal."""
    for name, kernel in kernels.items():
        if kernel.base is not None and kernel.base not in kernels:
            reason = f"no kernel '{shortened(kernel.base)}' here"
            hint = nearest(kernel.base, kernels)
            faults.add(("kernels", name, "base"), f"{reason}; {hint}")
        _check_machine(kernels, name, faults)
        _check_git(kernels, name, faults)
        if kernel.linux is not None and kernel.machine is None:
            series = archive.series(kernel.linux)
            if series not in _buildable() and not releases.is_newer(series):
                place = ("kernels", name, "linux")
                faults.add(place, releases.unknown(series))
    if faults.found:
        return
    seen: dict[str, str] = {}
    for name in kernels:
        try:
            linux, asked = merged(kernels, name)
        except ValueError as error:
            faults.add(("kernels", name), str(error))
            continue
        reason = _lab_fault(linux, asked)
        if reason:
            faults.add(("kernels", name), reason)
        if kernels[name].image is not None and linux.binary is None:
            continue
        unlocked = asked if asked and linux.release is None else None
        waiting = unread(kernels, name)
        if waiting is not None:
            continue
        other = seen.setdefault(repr((linux, unlocked)), name)
        if other != name:
            reason = f"the same kernel as '{other}'; take one of them away"
            faults.add(("kernels", name), reason)
        elif linux == OWN and asked is None and kernels[name].linux is None:
            hint = "leave `kernel` out of the cases that are to have it"
            faults.add(("kernels", name), f"is mpbench's own kernel; {hint}")


def _check_machine(kernels: Mapping[str, Kernel], name: str, faults: Faults) -> None:
    """Note what a kernel of Debian's cannot have, and what only such a one has."""
    kernel = kernels[name]
    if kernel.machine is None:
        if kernel.packages:
            reason = "only 'machine: qemu' has packages; take the key away"
            faults.add(("kernels", name, "packages"), reason)
        for key in ("image", "modules", "binary"):
            if getattr(kernel, key):
                reason = "only 'machine: qemu' has one; add it, or take the key away"
                faults.add(("kernels", name, key), reason)
        base = kernels.get(kernel.base or "")
        if base is not None and base.machine is not None:
            reason = f"'{kernel.base}' is a finished binary, which stays as it is"
            faults.add(("kernels", name, "base"), f"{reason}; take another base")
        return
    if kernel.image is not None or kernel.binary is not None:
        _check_image(kernel, name, faults)
    elif kernel.modules is not None:
        reason = "modules of which image? add 'image', or take the key away"
        faults.add(("kernels", name, "modules"), reason)
    elif kernel.linux is None:
        reason = "missing; 'machine: qemu' needs a release, such as linux: '6.12'"
        reason += ", or an image"
        faults.add(("kernels", name, "linux"), reason)
    elif not re.fullmatch(RELEASE, kernel.linux):
        reason = f"'{kernel.linux}' is no release of a binary; write e.g. '6.12'"
        faults.add(("kernels", name, "linux"), reason)
    elif not kernel.packages:
        reason = "the packages of this release are missing"
        faults.add(("kernels", name, "packages"), f"{reason}; take the key away")
    for key in ("base", "lab", "patches", "options", "release"):
        if getattr(kernel, key):
            reason = "'machine: qemu' boots a finished binary as it is; take it away"
            faults.add(("kernels", name, key), reason)


def _check_image(kernel: Kernel, name: str, faults: Faults) -> None:
    """Note keys that do not go with an image."""
    for key in ("linux", "packages"):
        if getattr(kernel, key):
            reason = "the image says already which Linux it is; take one of them away"
            faults.add(("kernels", name, key), reason)


def _check_git(kernels: Mapping[str, Kernel], name: str, faults: Faults) -> None:
    """Note keys beside `git` that it does not go with, and those that need it."""
    kernel = kernels[name]
    if kernel.git is None:
        for key in ("commit", "dirty", "tree"):
            if getattr(kernel, key):
                reason = "only a kernel with git has one"
                faults.add(
                    ("kernels", name, key), f"{reason}; add git, or take it away"
                )
        return
    for key in ("linux", "base", "machine", "release"):
        if getattr(kernel, key):
            reason = "git says already which Linux it is; take one of them away"
            faults.add(("kernels", name, key), reason)
    if kernel.dirty and kernel.commit is not None:
        reason = "changes that are in no commit belong to the one that is checked out"
        faults.add(("kernels", name, "dirty"), f"{reason}; take 'commit' away")
    if kernel.dirty and is_address(kernel.git):
        reason = "an address has no changes that are in no commit; take it away"
        faults.add(("kernels", name, "dirty"), reason)
    if "://" in kernel.git and not is_address(kernel.git):
        reason = f"'{shortened(kernel.git)}' is no folder and no https address"
        hint = "clone it, and name the folder"
        faults.add(("kernels", name, "git"), f"{reason}; {hint}")


def _buildable() -> tuple[str, ...]:
    """All series of Linux of which kernels are built."""
    return (*releases.known(), releases.OWN)


def _lab_fault(linux: Linux, asked: str | None) -> str:
    """Reason why a release cannot have mpbench's network code; empty if it can."""
    if linux.tree is not None:
        series = linux.tree.series
        older = series not in _buildable() and not releases.is_newer(series)
        if older:
            return releases.unknown(series)
        if linux.lab and series != releases.OWN:
            return (
                f"mpbench's network code is for Linux {releases.OWN}, and this commit"
                f" is Linux {linux.tree.version}; write lab: none"
            )
        return ""
    if asked is None or not linux.lab or archive.series(asked) == releases.OWN:
        return ""
    return (
        f"mpbench's network code is for Linux {releases.OWN}, not {asked}; write"
        " lab: none"
    )
