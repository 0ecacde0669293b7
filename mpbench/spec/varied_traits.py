"""Traits of links at a point of the design, with the parts of them that vary.

A link that is like another one has that link's traits, also those that vary, unless it
has its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mpbench.spec import choices, queues
from mpbench.spec.design import Design
from mpbench.spec.factors import Factor
from mpbench.spec.impairments import Settings
from mpbench.spec.link_traits import NUMBERS, UP, WAYS, Both
from mpbench.spec.networks import Network
from mpbench.spec.queues import Given, Size
from mpbench.spec.trait_factors import SWITCH, TraitKey, Words, parse, size_unit
from mpbench.spec.worded_traits import WORDED
from topologies import Parameter
from topologies.queues import DROP_TAIL, OPTIONS

Traits = dict[str, dict[str, Both[Any]]]


def keys(design: Design | None) -> dict[str, TraitKey]:
    """The factors of a design that are parts of links, by name."""
    found = {name: parse(name) for name in (design.factors if design else ())}
    return {name: key for name, key in found.items() if key is not None}


def parameters(design: Design | None) -> dict[str, Parameter]:
    """The factors of a design that are parts of links, as parameters, by name."""
    return {
        name: key.parameter(name, _unit(design.factors[name] if design else None))
        for name, key in keys(design).items()
    }


def chosen_at(
    design: Design, point: Mapping[str, Any] | None
) -> dict[str, Both[queues.Given]]:
    """The disciplines that a design chooses at a point, by link.

    point : name of a factor to its value; None for the first discipline of each list
    """
    return {
        name.removesuffix(choices.SUFFIX): factor.values[0]
        if point is None
        else factor.by_label[point[name]]
        for name, factor in design.choices.items()
        if point is None or name in point
    }


def with_factors(
    own: Traits,
    design: Design | None,
    network: Network | None,
    point: Mapping[str, Any] | None,
) -> Traits:
    """Traits of links with what the design varies.

    own : traits that links have by the file, those included that they have from the
        link that they are like
    point : name of a factor to its value; None for any values, and without
        disciplines that are factors themselves

    Raises ValueError for an option of another discipline than a link has.
    """
    if design is None:
        return own
    values = {
        name: (key, _stand_in(design.factors[name]) if point is None else point[name])
        for name, key in keys(design).items()
        if point is None or name in point
    }
    chosen = chosen_at(design, point) if point is not None else {}
    if not values and not chosen:
        return own
    # A factor of one direction first, so that one of both finds what it changes.
    order = sorted(values, key=lambda name: values[name][0].way is None)
    changed: dict[tuple[str, str], list[Change]] = {}
    for name in order:
        key, value = values[name]
        change = Change(key, value, _unit(design.factors[name]), point is None)
        changed.setdefault((key.link, key.trait), []).append(change)
    made = _Links(own, network, chosen, changed)
    traits = {choices.KEY} if chosen else set()
    traits |= {trait for _, trait in changed}
    links = dict.fromkeys([*own, *(network.named_links if network else ()), *chosen])
    links |= dict.fromkeys(link for link, _ in changed)
    result: Traits = {name: dict(given) for name, given in own.items()}
    for link in links:
        for trait in sorted(traits):
            if (found := made.of(link, trait)) is not None:
                result.setdefault(link, {})[trait] = found
    return result


def _stand_in(factor: object) -> Any:
    """One of a factor's values."""
    if isinstance(factor, Factor):
        return factor.largest
    return factor.values[0] if isinstance(factor, Words) else None


def _unit(factor: object) -> str | None:
    return factor.unit if isinstance(factor, Factor) else None


@dataclass(frozen=True)
class Change:
    """A value of a part of a link.

    unit : of the factor, as the file spells it
    lenient : whether a link may lack the discipline of an option
    """

    key: TraitKey
    value: Any
    unit: str | None
    lenient: bool

    def on(self, both: Both[Any] | None) -> Both[Any] | None:
        """The trait with this value; None if the link does not have it.

        A factor of both directions leaves a direction alone that has no such trait,
        if the other one has it.
        """
        wanted = WAYS if self.key.way is None else (self.key.way,)
        ways = {way: both.way(way != UP) if both else None for way in WAYS}
        there = [way for way in wanted if not _absent(ways[way])]
        if self.key.trait == choices.KEY and not there:
            if self.lenient:
                return both
            raise ValueError(f"drop tail has no {self.key.key}")
        for way in there if there and self.key.way is None else wanted:
            ways[way] = self._one(ways[way])
        return Both(ways[UP], ways[WAYS[1]])

    def _one(self, trait: Any) -> Any:
        key, option = self.key.key, self.key.option
        if option is not None:
            known = {each.name for each in OPTIONS[trait.name]}
            if key not in known and self.lenient:
                return trait
            if key not in known:
                raise ValueError(f"{trait.name} has no {key}")
            return Given(
                trait.name, tuple(sorted((dict(trait.values) | {key: self.at}).items()))
            )
        if not key:
            return self.at
        given = trait or Settings(self.key.trait, ())
        return given.with_key(key, float(self.value))

    @property
    def at(self) -> Any:
        """The value in the type that the trait has in an experiment file."""
        option = self.key.option
        if option is None:
            if worded := WORDED.get(self.key.trait):
                return worded.made(self.value)
            whole = NUMBERS[self.key.trait].whole
            return int(self.value) if whole else float(self.value)
        if option.unit == "switch":
            return self.value == SWITCH[1]
        if option.unit == "word":
            return self.value
        if option.size:
            return Size(float(self.value), size_unit(self.unit))
        whole = option.unit in ("", "bytes")
        return int(self.value) if whole else float(self.value)


def _absent(trait: Any) -> bool:
    return trait is None or (isinstance(trait, Given) and trait.name == DROP_TAIL)


@dataclass
class _Links:
    """The traits of links at one point, each resolved once."""

    own: Traits
    network: Network | None
    chosen: Mapping[str, Both[queues.Given]]
    changed: Mapping[tuple[str, str], list[Change]]
    done: dict[tuple[str, str], Both[Any] | None] = field(default_factory=dict)

    def of(self, name: str, trait: str) -> Both[Any] | None:
        """A trait of a link; None if it has none."""
        if (name, trait) not in self.done:
            found = self._given(name, trait)
            for change in self.changed.get((name, trait), ()):
                found = change.on(found)
            self.done[name, trait] = found
        return self.done[name, trait]

    def _given(self, name: str, trait: str) -> Both[Any] | None:
        """The trait before parts of it vary."""
        if trait == choices.KEY and name in self.chosen:
            return self.chosen[name]
        link = self.network.named_links.get(name) if self.network else None
        if link is None or trait in link.traits or link.like is None:
            return self.own.get(name, {}).get(trait)
        return self.of(link.like, trait)
