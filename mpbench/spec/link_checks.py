"""The disciplines and impairments of an experiment's links, and whether they fit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mpbench.spec import change_checks, queues
from mpbench.spec.builtin import network_of
from mpbench.spec.link_traits import Both
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Loc
from topologies import Description
from topologies.parameters import DOWN
from topologies.queues import CAKE, DROP_TAIL, RED

if TYPE_CHECKING:
    from mpbench.spec.experiment import Spec

MININET = "minitopo"
"""The topology whose links are Mininet's."""

QUEUE_KEYS = ("queue", "queueing_delay", f"{DOWN}queue", f"{DOWN}queueing_delay")

Traits = Mapping[str, Both[Any]]


def traits(spec: "Spec") -> dict[str, dict[str, Both[Any]]]:
    """What links have beside their numbers, by link and key; no entry for nothing."""
    network = spec.network or network_of(spec.topology or "")
    found = {n: network.traits(n) for n in network.named_links} if network else {}
    for name, link in spec.links.items():
        found[name] = found.get(name, {}) | link.traits
    return {name: given for name, given in found.items() if given}


def place(spec: "Spec", link: str, key: str) -> Loc:
    """Where the file gives a link its discipline or impairment."""
    if link in spec.links and key in spec.links[link].traits:
        return ("links", link, key)
    if spec.network is not None:
        return spec.network.trait_place(link, key)
    return ("topology",)


def check(spec: "Spec", topology: Description, faults: Faults) -> None:
    """Adds the faults of disciplines and impairments that no value can mend."""
    if spec.network is not None and spec.links:
        reason = "the network of this file has links; write it there"
        faults.add(("links",), f"{reason}: network: links:")
        return
    for name in spec.links:
        if name not in topology.all_links:
            hint = nearest(name, topology.all_links)
            faults.add(("links", name), f"{topology.name} has no such link; {hint}")
        elif spec.topology == MININET:
            reason = "links of Mininet's have drop tail only; take two_path"
            faults.add(("links", name), reason)
        elif name not in topology.links:
            reason = "only delays, and has no queue; give another link"
            faults.add(("links", name), reason)
    for name, found in traits(spec).items():
        if "discipline" in found:
            _check_queue(spec, name, found["discipline"], faults)
        if spec.fabric is not None or topology.mesh:
            _check_fabric(spec, name, found, faults)
    _check_changes(spec, faults)
    if spec.fabric is not None or topology.mesh:
        _check_changes_on_fabric(spec, faults)


def _check_fabric(spec: "Spec", name: str, found: Traits, faults: Faults) -> None:
    """Adds the faults of traits that a link of the fabric cannot have."""
    for key, given in found.items():
        if key != "discipline":
            reason = f"a link of the fabric has no {key}; take one of them away"
            faults.add(place(spec, name, key), reason)
            continue
        names = {one.name for one in (given.up, given.down) if one}
        for other in sorted(names - {DROP_TAIL, RED}):
            reason = f"a link of the fabric has no {other}; take drop_tail or red"
            faults.add(place(spec, name, key), reason)


def _check_changes_on_fabric(spec: "Spec", faults: Faults) -> None:
    for key, changes in spec.changes.items():
        others = [quantity for quantity in changes.changed if quantity != "capacity"]
        if others:
            reason = f"a link of the fabric has the same {others[0]} all the time; only"
            faults.add(
                ("changes", key), f"{reason} capacity can change, or take fabric away"
            )


def _check_changes(spec: "Spec", faults: Faults) -> None:
    """Adds the faults of links that change what their traits need as it is."""
    found = traits(spec)
    for name, (key, changes) in change_checks.named(spec.changes).items():
        for quantity in changes.changed:
            if reason := _fixed(quantity, found.get(name, {})):
                faults.add(("changes", key), f"{name}: {reason}")


def _fixed(quantity: str, given: Traits) -> str:
    """Why a quantity of a link with these traits cannot change; empty if it can."""
    managed = given.get("discipline")
    names = (
        {one.name for one in (managed.up, managed.down) if one} if managed else set()
    )
    fixed = sorted(names & {RED, CAKE})
    if quantity in ("capacity", "queue") and fixed:
        reason = f"the {quantity} of a link with {fixed[0]} cannot change"
        return f"{reason}; take codel, fq_codel, pie or drop_tail"
    if quantity == "loss" and "burst_loss" in given:
        return "the link has burst_loss, and no loss that could change"
    order = given.get("reordering")
    by_ms = [one.by_ms for one in (order.up, order.down) if one] if order else []
    if quantity == "delay" and any(by_ms):
        return "its delay cannot change, because reordering has 'by'; take 'by' away"
    return ""


def _check_queue(
    spec: "Spec", link: str, given: Both[queues.Given], faults: Faults
) -> None:
    """Adds a fault for a queue's size that no direction of a link uses."""
    for key in QUEUE_KEYS:
        ways = [given.down] if key.startswith(DOWN) else [given.up, given.down]
        idle = all(one is not None and one.limits_itself for one in ways)
        if idle and _is_given(spec, f"{link}.{key}"):
            reason = "without effect beside cake, which has its own 'memory'"
            at = place(spec, link, "discipline")
            faults.add(at, f"{link}.{key} is {reason}; take one away")


def _is_given(spec: "Spec", parameter: str) -> bool:
    """Whether the file gives a parameter a value or varies it."""
    varied = spec.design.factors if spec.design else {}
    own = spec.network is not None and parameter in spec.network.given
    return own or parameter in varied or parameter in spec.parameters
