"""Requests of an experiment file that a kernel cannot meet, with the line of the file.

A kernel is asked what it has when it is new (`mpbench.backends.features`). Once that is
known, a file is compared with it where the file is read.
"""

import contextlib
from collections.abc import Iterator, Mapping

from jobs.linux import OWN
from mpbench.backends import features
from mpbench.backends.features import Features
from mpbench.errors import UserError
from mpbench.kernel.faults import OPTIONS, PATCHES, KernelFault
from mpbench.plan.transports import transport
from mpbench.spec import Spec, kernels
from mpbench.spec.cases import Case
from mpbench.spec.ends import HostSettings
from mpbench.spec.messages import shortened
from mpbench.spec.values import Loc


def check(spec: Spec) -> None:
    """Raise UserError, one line per fault, for what a known kernel lacks.

    A kernel that has not been built or asked yet is left alone.
    """
    faults: dict[str, None] = {}
    for label in dict.fromkeys(case.kernel for case in spec.cases.values()):
        has = _known(spec, label) if label else None
        if label is None or has is None:
            continue
        for place, words in _lacking(spec, label, has):
            at = ".".join(shortened(str(key)) for key in place)
            kernel = f"kernel '{shortened(label)}' ({shortened(has.release)})"
            faults[f"{spec.where(*place)}: {at}: {kernel} has {words}"] = None
    if faults:
        raise UserError("\n".join(faults))


@contextlib.contextmanager
def told_with_lines(spec: Spec) -> Iterator[None]:
    """Tell faults of new kernels with the line of the file.

    These are what such a kernel lacks, and that it cannot be built or does not run.
    """
    try:
        yield
    except KernelFault as error:
        raise named(spec, error) from None
    except UserError:
        check(spec)
        raise


def named(spec: Spec, error: KernelFault) -> UserError:
    """A fault of a kernel, with its label and the line of the file."""
    for label in spec.kernels:
        if kernels.resolved(spec.kernels, label) == error.linux:
            lines = [
                _placed(spec, label, error.key, *one) for one in error.reasons.items()
            ]
            return UserError("\n".join(lines))
    return error


def _placed(spec: Spec, label: str, key: str, name: str, reason: str) -> str:
    """A reason with the place of the file: that of the option or the patches of the
    kernel, or of the base that has them."""
    here: str | None = label
    while here is not None:
        own = spec.kernels[here]
        known = own.options if key == OPTIONS else [p.name for p in own.patches]
        if name in known or (not name and known):
            break
        here = own.base
    place: Loc = ("kernels", here or label)
    if key and here is not None:
        place += (key, name) if key == OPTIONS and name else (key,)
    at = ".".join(shortened(str(part)) for part in place)
    said = f"{shortened(name)}: {reason}" if name and key == PATCHES else reason
    return f"{spec.where(*place)}: {at}: {said}"


def _known(spec: Spec, label: str) -> Features | None:
    """The features of a kernel; None if they are not known."""
    try:
        linux = kernels.resolved(spec.kernels, label)
    except (KeyError, ValueError):
        return None
    if linux == OWN:
        return None
    # What builds kernels takes long to load, and few files name one.
    from mpbench.backends.qemu import binaries
    from mpbench.kernel import cache, variants
    from mpbench.kernel import recipe as recipes

    if linux.in_qemu:
        return features.kept(binaries.folder() / binaries.key(linux))
    base = cache.lookup(recipes.read("guest"))
    try:
        made = variants.lookup(base, linux) if base else None
    except UserError:
        return None
    return features.kept(made.folder) if made else None


def _lacking(spec: Spec, label: str, has: Features) -> Iterator[tuple[Loc, str]]:
    """Each request that a kernel cannot meet: its place in the file, and words."""
    defaults = dict(spec.network_description.sysctls)
    for name, case in spec.cases.items():
        if case.kernel == label:
            yield from _of_case(case, ("cases", name), has, defaults)
            yield from _of_hosts(case.hosts, ("cases", name, "hosts"), has)
    yield from _of_hosts(spec.hosts, ("hosts",), has)
    for index, entry in enumerate(spec.traffic):
        if entry.transport is not None:
            place = ("traffic", index, "transport")
            yield from _of_case(entry.transport, place, has, {})


def _of_case(
    case: Case, place: Loc, has: Features, defaults: Mapping[str, str]
) -> Iterator[tuple[Loc, str]]:
    if case.is_quic:
        return
    for lack in features.of_transport(transport(case, defaults), has):
        yield (*place, *lack.key), lack.words


def _of_hosts(
    hosts: Mapping[str, HostSettings], place: Loc, has: Features
) -> Iterator[tuple[Loc, str]]:
    for host, settings in hosts.items():
        for lack in features.of_sysctls(settings.sysctls or {}, has):
            yield (*place, host, *lack.key), lack.words
