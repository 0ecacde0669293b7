"""The disciplines and impairments of an experiment's links, and whether they fit."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mpbench.spec import (
    change_checks,
    choices,
    computed_cases,
    queues,
    varied_checks,
    varied_traits,
)
from mpbench.spec.builtin import network_of
from mpbench.spec.expressions import Expression
from mpbench.spec.link_traits import NUMBERS, Both
from mpbench.spec.networks import Network
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Loc
from mpbench.spec.worded_traits import SHAPER
from topologies import Description, Parameter
from topologies.parameters import DOWN
from topologies.queues import CAKE, DROP_TAIL, RED

QUEUE_KEYS = ("queue", "queueing_delay", f"{DOWN}queue", f"{DOWN}queueing_delay")

Traits = Mapping[str, Both[Any]]


def traits(
    spec: Sections, point: Mapping[str, Any] | None = None
) -> dict[str, dict[str, Both[Any]]]:
    """Traits of links beside their numbers, by link and key; no entry for nothing.

    point : name of a factor to its value; None for any values of impairments, and
        without disciplines that vary

    Raises ValueError for an option of another discipline than a link has at the point.
    """
    network = spec.network or network_of(spec.topology or "")
    found = own_traits(spec, network)
    found = varied_traits.with_factors(found, spec.design, network, point)
    return {name: given for name, given in found.items() if given}


def fixed_traits(spec: Sections) -> dict[str, dict[str, Both[Any]]]:
    """Traits of links, by link and key, that are the same in all points."""
    network = spec.network or network_of(spec.topology or "")
    parts = varied_traits.keys(spec.design).values()
    varied = {(part.link, part.trait) for part in parts if part.trait != choices.KEY}
    return {
        link: {key: both for key, both in given.items() if (link, key) not in varied}
        for link, given in own_traits(spec, network).items()
    }


def check_used(
    spec: Sections,
    expressions: Iterable[Expression],
    own: Sequence[Parameter],
    faults: Faults,
) -> None:
    """Adds the faults of factors with names of the user's own without effect.

    expressions : of parameters, without those that other values replace
    own : these factors
    """
    used = {name for how in expressions for name in how.names}
    for changes in spec.changes.values():
        used.update(n for place in changes.expressions for n in place.expression.names)
    for place in computed_cases.places(spec):
        used.update(place.expression.names)
    for parameter in own:
        if parameter.name not in used:
            reason = "nothing is computed from it, because other factors and parameters"
            hint = "take the place of its expressions; take it away"
            faults.add(("design", "factors", parameter.name), f"{reason} {hint}")


def own_traits(spec: Sections, network: Network | None) -> varied_traits.Traits:
    """Traits that the file gives to links, by link and key."""
    found = {n: network.traits(n) for n in network.named_links} if network else {}
    for name, link in spec.links.items():
        found[name] = found.get(name, {}) | link.traits
    return found


def _leaders(spec: Sections, network: Network | None) -> dict[str, str]:
    """By link: the link whose varied discipline it has.

    A link that is like another one has its discipline, unless it has its own.
    """
    varied = [
        name.removesuffix(choices.SUFFIX)
        for name in (spec.design.choices if spec.design else ())
    ]
    found = {name: name for name in varied}
    for name, link in network.named_links.items() if network and varied else ():
        here, seen = (name, link), {name}
        while here[0] not in varied and choices.KEY not in here[1].traits:
            like = here[1].like
            if network is None or like is None or like in seen:
                break
            seen.add(like)
            here = (like, network.named_links[like])
        if here[0] in varied:
            found[name] = here[0]
    return found


def disciplines(spec: Sections) -> dict[str, list[Both[queues.Given]]]:
    """All disciplines that a link has at some point, by the link's name."""
    network = spec.network or network_of(spec.topology or "")
    words = spec.design.choices if spec.design else {}
    found = {
        name: [given[choices.KEY]]
        for name, given in traits(spec).items()
        if choices.KEY in given
    }
    for name, leader in _leaders(spec, network).items():
        found[name] = list(words[leader + choices.SUFFIX].values)
    return found


def shapers(spec: Sections, link: str) -> tuple[str, ...]:
    """Who shapes each direction of a link, where the file says so."""
    both = traits(spec).get(link, {}).get(SHAPER)
    return () if both is None else tuple(one for one in (both.up, both.down) if one)


def _names(given: Sequence[Both[queues.Given]]) -> set[str]:
    """The names of disciplines."""
    return {one.name for both in given for one in (both.up, both.down) if one}


def place(spec: Sections, link: str, key: str) -> Loc:
    """Place where the file gives a link its discipline or impairment."""
    varied = spec.design.choices if spec.design else {}
    if key == choices.KEY and link + choices.SUFFIX in varied:
        return ("design", "factors", link + choices.SUFFIX)
    for name, part in varied_traits.keys(spec.design).items():
        if (part.link, part.trait) == (link, key):
            return ("design", "factors", name)
    if link in spec.links and key in spec.links[link].traits:
        return ("links", link, key)
    if spec.network is not None:
        return spec.network.trait_place(link, key)
    return ("topology",)


def check(spec: Sections, topology: Description, faults: Faults) -> None:
    """Adds the faults of disciplines and impairments that no value can mend."""
    if spec.network is not None and spec.links:
        reason = "the network of this file has links; write it there"
        faults.add(("links",), f"{reason}: network: links:")
        return
    for name in spec.links:
        if name not in topology.all_links:
            hint = nearest(name, topology.all_links)
            faults.add(("links", name), f"{topology.name} has no such link; {hint}")
        elif spec.topology == choices.MININET:
            reason = "links of Mininet's have drop tail only; take two_path"
            faults.add(("links", name), reason)
        elif name not in topology.links:
            reason = "only delays, and has no queue; give another link"
            faults.add(("links", name), reason)
    _check_given_once(spec, faults)
    varied_checks.check(spec, traits(spec), disciplines(spec), faults)
    for name, given in disciplines(spec).items():
        _check_queue(spec, name, given, faults)
    if spec.fabric is not None or topology.mesh:
        _check_fabric(spec, topology, faults)
    _check_changes(spec, faults)
    if spec.fabric is not None or topology.mesh:
        _check_changes_on_fabric(spec, topology, faults)


def _check_given_once(spec: Sections, faults: Faults) -> None:
    """Adds the faults of disciplines that a file sets and varies."""
    for name in spec.design.choices if spec.design else ():
        link = name.removesuffix(choices.SUFFIX)
        if link in spec.links and choices.KEY in spec.links[link].traits:
            reason = f"{name} is a factor of the design too; take one away"
            faults.add(("links", link, choices.KEY), reason)


def _check_fabric(spec: Sections, topology: Description, faults: Faults) -> None:
    """Adds the faults of traits that a link of the fabric cannot have."""
    for name, found in traits(spec).items():
        for key in found:
            if key != choices.KEY:
                reason = f"a link of the fabric has no {key}; take {key} away"
                reason += "" if topology.mesh else ", or 'fabric'"
                if key in NUMBERS:
                    reason = NUMBERS[key].on_fabric or reason
                faults.add(place(spec, name, key), reason)
    for name, given in disciplines(spec).items():
        for other in sorted(_names(given) - {DROP_TAIL, RED}):
            reason = f"a link of the fabric has no {other}; take drop_tail or red"
            faults.add(place(spec, name, choices.KEY), reason)


def _check_changes_on_fabric(
    spec: Sections, topology: Description, faults: Faults
) -> None:
    for key, changes in spec.changes.items():
        others = [quantity for quantity in changes.changed if quantity != "capacity"]
        if others:
            reason = f"a link of the fabric has the same {others[0]} all the time; only"
            reason += " capacity can change"
            reason += "" if topology.mesh else ", or take 'fabric' away"
            faults.add(("changes", key), reason)


def _check_changes(spec: Sections, faults: Faults) -> None:
    """Adds the faults of links that change what their traits need as it is."""
    found, managed = traits(spec), disciplines(spec)
    for name, (key, changes) in change_checks.named(spec.changes).items():
        for quantity in changes.changed:
            names = _names(managed.get(name, ()))
            if reason := _fixed(quantity, found.get(name, {}), names):
                faults.add(("changes", key), f"{name}: {reason}")


def _fixed(quantity: str, given: Traits, names: set[str]) -> str:
    """Reason why a quantity of a link with these traits cannot change; empty if it can.

    names : of its disciplines
    """
    fixed = sorted(names & {RED, CAKE})
    if quantity in ("capacity", "queue") and fixed:
        reason = f"the {quantity} of a link with {fixed[0]} cannot change"
        return f"{reason}; take codel, fq_codel, pie or drop_tail"
    if quantity == "loss" and "burst_loss" in given:
        return "the link has burst_loss, and no loss that could change"
    order = given.get("reordering")
    ways = (order.up, order.down) if order else ()
    if quantity == "delay" and any("by" in dict(one.values) for one in ways if one):
        return "its delay cannot change, because reordering has 'by'; take 'by' away"
    return ""


def _check_queue(
    spec: Sections, link: str, given: Sequence[Both[queues.Given]], faults: Faults
) -> None:
    """Adds a fault for a queue's size that no direction of a link ever uses."""
    for key in QUEUE_KEYS:
        ways = [both.down for both in given]
        ways += [] if key.startswith(DOWN) else [both.up for both in given]
        idle = all(one is not None and one.limits_itself for one in ways)
        if idle and _is_given(spec, f"{link}.{key}"):
            reason = "without effect beside cake, which has its own 'memory'"
            at = place(spec, link, choices.KEY)
            faults.add(at, f"{link}.{key} is {reason}; take one away")


def _is_given(spec: Sections, parameter: str) -> bool:
    """Whether the file gives a parameter a value or varies it."""
    varied = spec.design.factors if spec.design else {}
    own = spec.network is not None and parameter in spec.network.given
    return own or parameter in varied or parameter in spec.parameters
