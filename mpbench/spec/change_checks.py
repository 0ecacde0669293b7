"""Whether the section `changes:` fits the network, the design and the traffic."""

from collections.abc import Collection, Mapping, Sequence

from mpbench.spec import ranges
from mpbench.spec.change_values import Range
from mpbench.spec.changes import UP, Changes, LinkChanges
from mpbench.spec.expressions import Expression
from mpbench.spec.messages import shortened
from mpbench.spec.networks import value_fault
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Loc
from topologies import Description, Parameter
from topologies.parameters import DOWN

TCLINK = ("minitopo",)
"""Topologies whose links are not made of the disciplines that can change."""


def named(changes: Changes) -> dict[str, tuple[str, LinkChanges]]:
    """Every link that changes: its name to the key of the file, and its changes.

    The keys were checked by `check`.
    """
    return {
        name: (key, given) for key, given in changes.items() for name in _names(key)
    }


def _names(key: str) -> list[str]:
    try:
        return ranges.names(key)
    except ValueError:
        return []


def check(
    changes: Changes,
    topology: Description | None,
    factors: Collection[str],
    own: Sequence[Parameter],
    end_s: float | None,
    faults: Faults,
) -> None:
    """Every change is of a link that can change so, within the time of the traffic.

    topology : None if the file has no valid one
    factors : the design's
    own : those with names of the user's own
    end_s : when the last traffic ends; None if that is not known beforehand
    """
    seen: dict[str, str] = {}
    for key, given in changes.items():
        at: Loc = ("changes", key)
        try:
            links = ranges.names(key)
        except ValueError as error:
            faults.add(at, str(error))
            continue
        for link in links:
            if link in seen:
                reason = f"'{link}' stands under {seen[link]} already; join them"
                faults.add(at, reason)
                break
            seen[link] = key
        _check_times(given, at, end_s, faults)
        if topology is not None:
            known = {p.name: p for p in (*topology.parameters, *own)}
            for place in given.expressions:
                how, unit = place.expression, place.unit
                if reason := value_fault(how, unit, known, topology.name):
                    faults.add((*at, *place.at), reason)
            for link in links:
                unfit = _unfit(link, given, topology, factors)
                if unfit:
                    faults.add((*at, *unfit[0]), unfit[1])
                    break


def _check_times(
    given: LinkChanges, at: Loc, end_s: float | None, faults: Faults
) -> None:
    if end_s is None:
        return
    for text, time_s, _ in given.steps:
        if time_s >= end_s:
            reason = f"not before the end of the traffic, at {end_s:g} s"
            faults.add((*at, "at", text), f"{reason}; give an earlier time")


def _unfit(
    link: str, given: LinkChanges, topology: Description, factors: Collection[str]
) -> tuple[Loc, str] | None:
    """Reason why a link cannot change so, with the place below its entry; None if it
    can."""
    if link not in topology.all_links:
        hint = nearest(link, topology.all_links)
        return (), f"{topology.name} has no link '{shortened(link)}'; {hint}"
    if topology.name in TCLINK:
        return (), f"the links of {topology.name} cannot change; use two_path"
    for quantity in given.changed:
        place = _place(given, quantity)
        if quantity == UP:
            if not any(path[0] == link for u in topology.users for path in u.paths):
                reason = f"no path of a user begins with {link}, so that no interface"
                return place, f"{reason} can go down; write 'capacity: 0'"
            continue
        if link not in topology.links and quantity != "delay":
            reason = f"{link} only delays; give it a capacity where it is described"
            return place, reason
        for name in _parameters(link, quantity):
            if name in factors and name not in _sources(given, quantity):
                return place, f"{name} is a factor of the design too; take one away"
    return None


def _sources(given: LinkChanges, quantity: str) -> set[str]:
    """The parameters and factors from which the values of a quantity follow."""
    places = [place for place in given.expressions if place.quantity == quantity]
    return {name for place in places for name in place.expression.names}


def _parameters(link: str, quantity: str) -> list[str]:
    """The parameters that a change of a quantity leaves without a meaning."""
    found = [f"{link}.{quantity}", f"{link}.{DOWN}{quantity}"]
    return [*found, f"{link}.queueing_delay"] if quantity == "queue" else found


def _place(given: LinkChanges, quantity: str) -> Loc:
    """Place where the file changes a quantity first."""
    if quantity in given.ranges:
        return (quantity,)
    for text, step in given.at_items():
        if quantity in step.given or (quantity == UP and step.up is not None):
            return ("at", text, quantity)
    return ("trace",)


def initial(given: LinkChanges) -> Mapping[str, Mapping[str, float | int]]:
    """Value that a link has at 0 s by its changes: parameter, then direction, to value.

    Where values are drawn, this is the middle of the range. A capacity of 0 is no
    capacity that a queue could be sized by, and is left out. So are the capacity of a
    trace, and values of expressions.
    """
    found: dict[str, dict[str, float | int]] = {}
    for quantity, drawn in given.ranges.items():
        found[quantity] = {
            way: _middle(span.min, span.max)
            for way, span in drawn.ways.items()
            if isinstance(span, Range)
            and not isinstance(span.min, Expression)
            and not isinstance(span.max, Expression)
        }
    for _, time_s, step in given.steps:
        if time_s > 0:
            break
        for quantity, value in step.given.items():
            found[quantity] = {
                way: number
                for way, number in value.ways.items()
                if isinstance(number, float | int)
                and (number or quantity != "capacity")
            }
    return found


def _middle(low: float | int, high: float | int) -> float | int:
    if isinstance(low, int) and isinstance(high, int):
        return (low + high) // 2
    return (low + high) / 2
