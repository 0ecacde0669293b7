"""Whether parts of links that a design varies fit the links."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mpbench.spec import choices, queues, varied_traits
from mpbench.spec.impairments import Settings
from mpbench.spec.link_traits import WAYS, Both
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.trait_factors import TraitKey
from mpbench.spec.values import Faults
from topologies.queues import DROP_TAIL, OPTIONS

Disciplines = Sequence[Both[queues.Given]]


def check(
    spec: Sections,
    traits: Mapping[str, Mapping[str, Both[Any]]],
    disciplines: Mapping[str, Disciplines],
    faults: Faults,
) -> None:
    """Adds the faults of factors that are parts of links.

    traits : of links, at some point
    disciplines : all that a link has at some point
    """
    varied = varied_traits.keys(spec.design)
    parts = {
        (part.link, part.trait, part.way, part.key): part for part in varied.values()
    }
    for name, part in varied.items():
        at = ("design", "factors", name)
        if part.way is not None and (part.link, part.trait, None, part.key) in parts:
            reason = f"without effect beside {name.replace(f'.{part.way}', '', 1)}"
            faults.add(at, f"{reason}; take one away, or name both directions")
        elif part.trait == choices.KEY:
            _check_option(part, disciplines.get(part.link, ()), name, faults)
        _check_given_once(spec, part, name, faults)
    _check_whole(spec, varied, traits, faults)


def _check_option(
    part: TraitKey, disciplines: Disciplines, name: str, faults: Faults
) -> None:
    """Adds a fault for an option that a discipline of the link does not have."""
    at = ("design", "factors", name)
    for both in disciplines or (Both(None, None),):
        ways = [both.way(way == WAYS[1]) for way in WAYS if part.way in (None, way)]
        there = [one for one in ways if one is not None and one.name != DROP_TAIL]
        if not there:
            reason = f"{part.link} has drop tail, which has no {part.key}"
            hint = f"give it another discipline, or write {_example(part)}"
            faults.add(at, f"{reason}; {hint}")
            return
        for one in there:
            known = [option.name for option in OPTIONS[one.name]]
            if part.key not in known:
                reason = f"{part.link} has {one.name}, which has no {part.key}"
                hint = nearest(part.key, known)
                faults.add(at, f"{reason}; {hint}, or write {_example(part)}")
                return
            if len(disciplines) > 1 and part.key in dict(one.values):
                reason = f"a discipline of {part.link} has {part.key} already"
                faults.add(at, f"{reason}; take one away")
                return


def _example(part: TraitKey) -> str:
    """A list of disciplines with the option."""
    able = [n for n, known in OPTIONS.items() if part.key in {o.name for o in known}]
    return f"{part.link}.{choices.KEY}: [{{name: {able[0]}, {part.key}: ...}}]"


def _check_given_once(
    spec: Sections, part: TraitKey, name: str, faults: Faults
) -> None:
    """Adds a fault for a part that 'links' gives and the design varies."""
    link = spec.links.get(part.link)
    both = link.traits.get(part.trait) if link else None
    if both is None:
        return
    for way in WAYS:
        one = both.way(way == WAYS[1])
        if part.way not in (None, way) or one is None:
            continue
        if not part.key or part.key in dict(one.values):
            at: tuple[str, ...] = ("links", part.link, part.trait)
            if not both.alike:
                at = (*at, way)
            reason = f"{name} is a factor of the design too; take one away"
            faults.add((*at, part.key) if part.key else at, reason)
            return


def _check_whole(
    spec: Sections,
    varied: Mapping[str, TraitKey],
    traits: Mapping[str, Mapping[str, Both[Any]]],
    faults: Faults,
) -> None:
    """Adds the faults of impairments that lack a key, in the file and in the design."""
    for link, given in traits.items():
        for trait, both in given.items():
            reason = next(_missing(both), "")
            if not reason:
                continue
            own = [n for n, p in varied.items() if (p.link, p.trait) == (link, trait)]
            if own:
                faults.add(("design", "factors", own[0]), f"{link}.{trait}: {reason}")
            elif link in spec.links and trait in spec.links[link].traits:
                faults.add(("links", link, trait), reason)
            elif spec.network is not None:
                faults.add(spec.network.trait_place(link, trait), reason)


def _missing(both: Both[Any]) -> Iterator[str]:
    for one in (both.up, both.down):
        if isinstance(one, Settings) and one.missing:
            yield one.missing
