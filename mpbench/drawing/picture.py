"""Contents of a drawing of a network: users, links, and what varies or is computed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.words import many
from mpbench.drawing import traits
from mpbench.plan.parameters import computed, fixed
from mpbench.spec import Spec, change_checks, choices, varied_traits
from mpbench.spec.expressions import Expression, Reference
from mpbench.spec.factors import Factor
from mpbench.spec.traffic import Entry
from topologies import Description, Parameter

MOST_VALUES = 4
"""Values of a factor that are listed one by one."""

KEYS = (
    "capacity",
    "down_capacity",
    "delay",
    "down_delay",
    "queue",
    "down_queue",
    "queueing_delay",
    "down_queueing_delay",
    "loss",
    "down_loss",
    "jitter",
)
"""Parameters of a link in the order in which they are shown."""

WORDS: Mapping[str, str] = {
    "queueing_delay": "queue ",
    "down_queueing_delay": "queue down ",
    "loss": "loss ",
    "down_capacity": "down ",
    "down_delay": "down ",
    "down_queue": "down ",
    "down_loss": "loss down ",
    "jitter": "jitter ",
}
"""Words before the value of a parameter whose unit does not say what it is."""

QUANTITIES: Mapping[str, str] = {"up": "interfaces"}
"""Words for quantities that change during a run, if not their names."""


@dataclass(frozen=True)
class Shown:
    """A parameter in words.

    text : such as `10 Mbit/s` or `delay 1 to 25 ms`
    varies : whether it differs between points of the design
    formula : the expression that computes it, such as `1 Mbit/s * type1.users`
    """

    text: str
    varies: bool = False
    formula: str = ""


@dataclass(frozen=True)
class Link:
    """A link in words. only_delays : whether it has neither capacity nor queue"""

    name: str
    only_delays: bool
    parameters: tuple[Shown, ...]


@dataclass(frozen=True)
class User:
    """A host that opens connections.

    users : how many users it stands for
    backups : numbers of the paths, from 1, that some case keeps as a backup
    """

    host: str
    server: str
    paths: tuple[tuple[str, ...], ...]
    users: Shown | None
    backups: tuple[int, ...] = ()


@dataclass(frozen=True)
class Picture:
    """Everything that a drawing shows."""

    title: str
    users: tuple[User, ...]
    links: Mapping[str, Link]


def of_experiment(spec: Spec) -> Picture:
    """Picture of the network of an experiment."""
    varied = spec.design.factors if spec.design else {}
    factors = {n: f for n, f in varied.items() if isinstance(f, Factor)}
    values = computed(spec, fixed(spec))
    found = _picture(
        spec.name, spec.network_description, values, factors, spec.expressions
    )
    links = dict(found.links)
    for name, given in spec.link_traits.items():
        more = tuple(Shown(text) for text in traits.words(given))
        links[name] = replace(links[name], parameters=(*links[name].parameters, *more))
    for name, factor in (spec.design.choices if spec.design else {}).items():
        link = name.removesuffix(choices.SUFFIX)
        listed = Shown(f"discipline {', '.join(factor.by_label)}", varies=True)
        links[link] = replace(links[link], parameters=(*links[link].parameters, listed))
    for name, part in varied_traits.keys(spec.design).items():
        how = varied[name]
        shown = (
            _range(how, part.parameter(name, how.unit).unit)
            if isinstance(how, Factor)
            else ", ".join(map(str, how.values))
        )
        key = name.removeprefix(f"{part.link}.").replace("_", " ").replace(".", " ")
        more = (Shown(f"{key} {shown}", varies=True),)
        links[part.link] = replace(
            links[part.link], parameters=(*links[part.link].parameters, *more)
        )
    for name, (_, changes) in change_checks.named(spec.changes).items():
        words = [QUANTITIES.get(quantity, quantity) for quantity in changes.changed]
        more = (Shown(f"changes: {', '.join(words)}"),)
        links[name] = replace(links[name], parameters=(*links[name].parameters, *more))
    users = tuple(replace(u, backups=_backups(spec, u)) for u in found.users)
    return replace(found, links=links, users=users)


def _sources(spec: Spec, entry: Entry) -> set[str]:
    """The hosts that open an entry's connections."""
    return {here for here, _ in entry.ends(spec.network_description)}


def _backups(spec: Spec, user: User) -> tuple[int, ...]:
    """The paths that a host keeps as backups in some case."""
    entries = [e for e in spec.traffic if e.many or user.host in _sources(spec, e)]
    own = [entry.transport for entry in entries]
    transports = [t for t in own if t is not None]
    if len(transports) < len(own) or not own:
        transports += spec.cases.values()
    kept: set[int] = set()
    for transport in transports:
        if transport.protocol == "mptcp":
            given = transport.backup
            kept.update(user.backups if given is None else given)
    return tuple(sorted(kept))


def of_topology(description: Description) -> Picture:
    """Picture of a topology when no parameter is set."""
    values = {p.name: p.default for p in description.parameters}
    return _picture(description.name, description, values, {}, {})


def _picture(
    title: str,
    description: Description,
    values: Mapping[str, Any],
    factors: Mapping[str, Factor],
    expressions: Mapping[str, Expression],
) -> Picture:
    def shown(parameter: Parameter) -> Shown | None:
        name = parameter.name
        return _shown(
            parameter, values.get(name), factors.get(name), expressions.get(name)
        )

    links = {}
    for name in description.all_links:
        found = {}
        for parameter in description.parameters:
            link, _, key = parameter.name.rpartition(".")
            if link == name and (text := shown(parameter)) is not None:
                found[key] = text
        if "queue" in found:
            found.pop("queueing_delay", None)
        parameters = tuple(found[key] for key in KEYS if key in found)
        links[name] = Link(name, name not in description.links, parameters)
    counts = {p.name: shown(p) for p in description.parameters}
    users = tuple(
        User(
            user.host,
            user.server,
            user.paths,
            counts.get(user.count or ""),
            user.backups,
        )
        for user in description.users
    )
    if description.mesh:
        # All hosts are alike, and a class of links is drawn as one link.
        hosts = f"{description.hosts[0]}..{len(users)}"
        users = (User(hosts, "any other host", users[0].paths, None),)
    return Picture(title, users, links)


def _shown(
    parameter: Parameter,
    value: float | None,
    factor: Factor | None,
    expression: Expression | None,
) -> Shown | None:
    """A parameter in words; None if it says nothing, such as a loss of 0."""
    key = parameter.name.rpartition(".")[2]
    word = WORDS.get(key, "")
    if factor is not None:
        return Shown(f"{word}{_range(factor, parameter.unit)}", varies=True)
    follows = expression is not None and isinstance(expression.tree, Reference)
    formula = ""
    if expression is not None and not follows:
        formula = expression.text.lstrip("= ")
    if value is None or math.isnan(value):
        if expression is None:
            return None
        if follows:
            # The leader varies, or is not set; only the first says something.
            leader = expression.names[0]
            return Shown(f"{word}as {leader}", varies=True) if value is None else None
        return Shown(f"{word}{formula}", varies=True)
    if value == 0 and key in ("loss", "jitter"):
        return None
    return Shown(f"{word}{quantity(value, parameter.unit)}", formula=formula)


def _range(factor: Factor, unit: str) -> str:
    """The values of a factor: `1 to 100 Mbit/s`, or a list."""
    if factor.values is None:
        low, high = factor.ends
        return f"{low:g} to {high:g} {unit}"
    if len(factor.values) <= MOST_VALUES:
        return f"{', '.join(f'{value:g}' for value in factor.values)} {unit}"
    low, high = min(factor.values), max(factor.values)
    return f"{low:g} to {high:g} {unit}, {many(len(factor.values), 'value')}"


def quantity(value: float, unit: str) -> str:
    """A value with the unit that needs the fewest digits."""
    if unit == "Mbit/s" and value >= 1000:
        return f"{value / 1000:g} Gbit/s"
    if unit == "Mbit/s" and 0 < value < 1:
        return f"{value * 1000:g} kbit/s"
    if value == 1 and unit in ("packets", "users"):
        unit = unit[:-1]
    return f"{value:g} {unit}"
