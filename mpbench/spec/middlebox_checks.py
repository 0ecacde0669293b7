"""Whether the middleboxes of a file fit its network, its traffic and its kernels."""

from collections.abc import Mapping
from dataclasses import replace

from jobs.linux import Linux
from jobs.middleboxes import KERNEL_OPTIONS, MOST_BOXES, NAT, PROXY, STATEFUL
from mpbench.spec import kernels, link_checks
from mpbench.spec.change_checks import TCLINK
from mpbench.spec.messages import shortened
from mpbench.spec.middleboxes import Box, merged
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Loc
from mpbench.spec.worded_traits import SENDER
from topologies import Description

Given = Mapping[str, tuple[Box, ...]]


def has_boxes(spec: Sections) -> bool:
    """Whether a case of the file has middleboxes."""
    return any(merged(spec.middlebox, case.middlebox) for case in spec.cases.values())


def kernel_of(spec: Sections, case: str) -> Linux | None:
    """The kernel of a case; None for mpbench's own.

    Where any case has middleboxes, all cases have the same options for them, so that
    they compare; a kernel of Debian's stays as it is.
    """
    label = spec.cases[case].kernel
    own = kernels.resolved(spec.kernels, label) if label else None
    base = own or Linux()
    if base.in_qemu or not has_boxes(spec):
        return own
    options = {**(base.options or {}), **KERNEL_OPTIONS}
    return replace(base, options=options)


def check(spec: Sections, topology: Description | None, faults: Faults) -> None:
    """Adds a fault for each box that cannot stand where it does."""
    places: list[tuple[Loc, Given, Given]] = [
        (("middlebox",), spec.middlebox, spec.middlebox)
    ]
    for index, entry in enumerate(spec.traffic):
        if entry.transport is not None and entry.transport.middlebox:
            wrong = ("traffic", index, "transport", "middlebox")
            faults.add(wrong, "of a case or of the whole file; write it there")
    for name, case in spec.cases.items():
        whole = merged(spec.middlebox, case.middlebox)
        places.append((("cases", name, "middlebox"), case.middlebox, whole))
        if sum(map(len, whole.values())) > MOST_BOXES:
            faults.add(places[-1][0], f"more than {MOST_BOXES} boxes; take some away")
    for at, given, _ in places:
        if given and topology is not None:
            _check_network(spec, topology, given, at, faults)
        for link, boxes in given.items():
            _check_boxes(spec, boxes, (*at, link), faults)
    if has_boxes(spec):
        _check_kernels(spec, faults)


def _check_network(
    spec: Sections, topology: Description, given: Given, at: Loc, faults: Faults
) -> None:
    if topology.mesh or spec.fabric is not None:
        hint = "; use a network of links" if topology.mesh else "; take 'fabric' away"
        faults.add(at, f"the fabric has no routers for middleboxes{hint}")
        return
    if topology.name in TCLINK:
        reason = f"the links of {topology.name} have no routers of their own"
        faults.add(at, f"{reason}; use two_path")
        return
    for link in given:
        if link not in topology.all_links:
            hint = nearest(link, topology.all_links)
            reason = f"{topology.name} has no link '{shortened(link)}'; {hint}"
            faults.add((*at, link), reason)
        elif SENDER in link_checks.shapers(spec, link):
            reason = "a host shapes this link, and no router, where a box could stand"
            faults.add((*at, link), f"{reason}; give the box another link of the path")
    for index, entry in enumerate(spec.traffic):
        if not entry.by_address:
            continue
        hosts = {here for here, _ in entry.ends(topology)}
        users = [user for user in topology.users if user.host in hosts]
        own = {link for user in users for path in user.paths for link in path}
        for link in own & {*given}:
            for number, box in enumerate(given[link]):
                if box.kind in (NAT, PROXY):
                    reason = f"traffic[{index}] is of {entry.tool}, which knows its"
                    reason += " connections by the client's address"
                    faults.add((*at, link, number), f"{reason}; use another tool")


def _check_boxes(
    spec: Sections, boxes: tuple[Box, ...], at: Loc, faults: Faults
) -> None:
    states = [
        index for index, box in enumerate(boxes) if box.kind in (*STATEFUL, PROXY)
    ]
    for index in states[1:]:
        kind = boxes[states[0]].kind
        reason = f"the link has a {kind}, which remembers connections already"
        faults.add((*at, index), f"{reason}; take one of them away")
    for index, box in enumerate(boxes):
        end_s = spec.known_end_s
        if end_s is not None and box.begin is not None and box.begin >= end_s:
            reason = f"not before the end of the traffic, at {end_s:g} s"
            faults.add((*at, index, "from"), f"{reason}; give an earlier time")


def _check_kernels(spec: Sections, faults: Faults) -> None:
    for name, case in spec.cases.items():
        kernel = spec.kernels.get(case.kernel or "")
        if kernel is None or kernel.machine is None:
            continue
        if merged(spec.middlebox, case.middlebox):
            reason = "middleboxes need a kernel that mpbench builds"
            hint = "take another one, or the case's boxes away"
            faults.add(("cases", name, "kernel"), f"{reason}; {hint}")
    for name, kernel in spec.kernels.items():
        for option, value in kernel.options.items():
            if KERNEL_OPTIONS.get(option, value) != value:
                at = ("kernels", name, "options", option)
                faults.add(
                    at, f"middleboxes need {KERNEL_OPTIONS[option]}; take it away"
                )
