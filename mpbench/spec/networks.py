"""The section `network:`: links, and users with their paths over these links."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    model_validator,
)

from mpbench.spec import expressions, ranges
from mpbench.spec.expressions import Expression
from mpbench.spec.link_traits import Both
from mpbench.spec.messages import shortened
from mpbench.spec.network_links import (
    ONLY_DELAYS,
    Directions,
    NetworkLink,
    link_or_default,
    parameters_of,
)
from mpbench.spec.network_users import NetworkUser, Users
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import (
    Faults,
    Loc,
    Part,
    context,
)
from topologies import NETWORK, Description, Parameter, User, networks
from topologies.parameters import (
    DOWN,
    delay_parameter,
    down_parameters,
    down_queueing_delay,
)

DOWN_QUEUEING_DELAY = f"{DOWN}queueing_delay"

MOST_NAMES = 2000
"""Links or users of a file, with every range written out."""

MOST_LIKES = 20
"""Links of which one is like the next."""


class Network(Part):
    """A network: its links, and its users with their paths.

    The names of links and users may be ranges, which stand for several links or users
    with the same entry.
    """

    links: dict[str, Annotated[NetworkLink, BeforeValidator(link_or_default)]] = Field(
        min_length=1, description="The links by name; `access1..3` stands for three."
    )
    users: Users = Field(
        description="The hosts that open connections, each with its paths."
    )

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        faults = Faults()
        links = _expanded(self.links, "links", faults)
        users = _expanded(self.users, "users", faults)
        faults.raise_any()
        self._check_likes(links, faults)
        faults.raise_any()
        for place, reason in networks.faults(self._users(), list(links)):
            faults.add(_place(place, links, users), self._with_hint(reason, links))
        faults.raise_any()
        self._check_expressions(faults, context(info).variables)
        faults.raise_any()
        return self

    def _check_likes(self, links: "Named", faults: Faults) -> None:
        """Every link that is followed exists, and no link follows itself."""
        for name, raw in links.items():
            seen = [name]
            while (leader := self.links[links[seen[-1]]].like) is not None:
                if leader not in links:
                    if seen == [name]:
                        reason = f"no link '{shortened(leader)}'"
                        hint = nearest(leader, links)
                        faults.add(("links", raw, "like"), f"{reason}; {hint}")
                    break
                if leader in seen:
                    if leader == name:
                        circle = " is like ".join([*seen, name])
                        reason = f"a loop: {circle}; give one of them its parameters"
                        faults.add(("links", raw, "like"), reason)
                    break
                seen.append(leader)
                if len(seen) > MOST_LIKES:
                    reason = f"more than {MOST_LIKES} links that are like one another"
                    faults.add(("links", raw, "like"), f"{reason}; name the last one")
                    break

    def _with_hint(self, reason: str, links: "Named") -> str:
        """The reason, with the nearest link for one that does not exist."""
        head, quote, rest = reason.partition("no link '")
        if not quote or head:
            return reason
        return f"{reason}; {nearest(rest.removesuffix(chr(39)), links)}"

    def _check_expressions(
        self, faults: Faults, variables: tuple[Parameter, ...]
    ) -> None:
        known = {p.name: p for p in (*self.description.parameters, *variables)}
        for name, expression in self.expressions.items():
            place = self.place(name)
            reason = expression_fault(name, expression, known, NETWORK)
            if reason and place is not None:
                faults.add(place[1:], reason)

    @cached_property
    def description(self) -> Description:
        """The network as the other parts of the file see it."""
        parameters: list[Parameter] = []
        for name in self.named_links:
            parameters += self._parameters(name)
        made = networks.describe(NETWORK, parameters, self._users())
        counts: dict[str, float | int] = {
            f"{name}.users": user.users
            for name, user in self.named_users.items()
            if isinstance(user.users, int | float)
        }
        return replace(
            made,
            parameters=tuple(
                replace(p, default=counts.get(p.name, p.default))
                for p in made.parameters
            ),
        )

    @cached_property
    def expressions(self) -> dict[str, Expression]:
        """Expressions of the network: name of a parameter to its expression.

        A parameter that a link takes from the link that it is like is an expression
        too.
        """
        found: dict[str, Expression] = {}
        for name, link in self.named_links.items():
            given = link.given
            for key, value in given.items():
                if isinstance(value, Expression):
                    found[f"{name}.{key}"] = value
            if link.like is None:
                continue
            for parameter in self._parameters(name):
                key = parameter.name.rpartition(".")[2]
                if key not in given and self._has(link.like, key):
                    # What the link gives for both directions is not the leader's.
                    own = key.removeprefix(DOWN) in given
                    replaced = key == "queue" and "queueing_delay" in given
                    if not replaced and not own:
                        found[f"{name}.{key}"] = expressions.follow(
                            f"{link.like}.{key}"
                        )
        for name, user in self.named_users.items():
            if isinstance(user.users, Expression):
                found[f"{name}.users"] = user.users
        return found

    @property
    def given(self) -> tuple[str, ...]:
        """The parameters that the file gives for a link itself."""
        return tuple(
            f"{name}.{key}"
            for name, link in self.named_links.items()
            for key in link.given
        )

    def place(self, parameter: str) -> Loc | None:
        """Place where the file gives a parameter its value; None if it does not."""
        name, _, key = parameter.rpartition(".")
        if key == "users" and name in self.named_users:
            given = self.named_users[name].users is not None
            return (
                ("network", "users", self._raw("users")[name], key) if given else None
            )
        link = self.named_links.get(name)
        if link is None or (key not in link.given and link.like is None):
            return None
        at: Loc = ("like",)
        if key in link.given:
            both = key.removeprefix(DOWN)
            if both == "queueing_delay" and link.queueing_delay is None:
                both = "queue"  # which gives a time
            at = (both,)
            if isinstance(getattr(link, both), Directions):
                at = (both, "down" if key.startswith(DOWN) else "up")
        return ("network", "links", self._raw("links")[name], *at)

    def _has(self, link: str, key: str) -> bool:
        return any(p.name.rpartition(".")[2] == key for p in self._parameters(link))

    def _parameters(self, name: str) -> Iterator[Parameter]:
        """The parameters of a link, with the defaults that the file gives."""
        link = self.named_links[name]
        only_delays = self._delays(name)
        known = {"delay": delay_parameter(name, 0.0)}
        if not only_delays:
            known = parameters_of(name)
        if self._two_ways(name):
            for parameter in down_parameters(name, only_delays=only_delays):
                known[parameter.name.rpartition(".")[2]] = parameter
            if self._two_times(name):
                known[DOWN_QUEUEING_DELAY] = down_queueing_delay(name)
        for key, parameter in known.items():
            value = link.given.get(key)
            if isinstance(value, int | float):
                parameter = replace(parameter, default=value)
            yield parameter

    def _delays(self, name: str) -> bool:
        """Whether a link only delays, by itself or as the link that it is like."""
        link = self.named_links[name]
        if link.like is None:
            return link.only_delays
        own = set(link.given) <= ONLY_DELAYS and not link.traits
        return own and self._delays(link.like)

    def _two_ways(self, name: str) -> bool:
        """Whether a link's directions can differ, by itself or by the link that it is
        like."""
        link = self.named_links[name]
        if link.two_ways:
            return True
        return link.like is not None and self._two_ways(link.like)

    def _two_times(self, name: str) -> bool:
        """Whether a link's queue has a time of its own towards users, by itself or by
        the link that it is like."""
        link = self.named_links[name]
        if DOWN_QUEUEING_DELAY in link.given:
            return True
        return link.like is not None and self._two_times(link.like)

    def traits(self, name: str) -> dict[str, Both[Any]]:
        """Traits of a link beside its numbers, by key: its own, and where it has none,
        those of the link that it is like."""
        link = self.named_links[name]
        leaders = {} if link.like is None else self.traits(link.like)
        return leaders | link.traits

    def trait_place(self, name: str, key: str) -> Loc:
        """Place where the file gives a link a discipline or impairment."""
        link = self.named_links[name]
        if key not in link.traits and link.like is not None:
            return self.trait_place(link.like, key)
        at = (key,) if key in link.traits else ()
        return ("network", "links", self._raw("links")[name], *at)

    def _raw(self, section: str) -> "Named":
        part: Mapping[str, Any] = getattr(self, section)
        return {name: raw for raw in part for name in ranges.names(raw)}

    @cached_property
    def named_links(self) -> dict[str, NetworkLink]:
        """The links by name, without ranges."""
        return {name: self.links[raw] for name, raw in self._raw("links").items()}

    @cached_property
    def named_users(self) -> dict[str, NetworkUser]:
        """The hosts that open connections by name, without ranges."""
        return {name: self.users[raw] for name, raw in self._raw("users").items()}

    def _users(self) -> list[User]:
        return [
            User(
                name,
                f"server_{name}" if user.to is None else user.to,
                tuple(path.links for path in user.paths),
                None if user.users is None else f"{name}.users",
                tuple(n for n, path in enumerate(user.paths, 1) if path.backup),
            )
            for name, user in self.named_users.items()
        ]


Named = dict[str, str]
"""Every name to the key of the file that gives it, which may be a range."""


def expression_fault(
    name: str, expression: Expression, known: Mapping[str, Parameter], of: str
) -> str:
    """Reason why a parameter cannot be computed by an expression; empty if it can.

    known : every parameter by name
    of : what messages call the network
    """
    return value_fault(expression, known[name].unit, known, of)


def value_fault(
    expression: Expression, unit: str, known: Mapping[str, Parameter], of: str
) -> str:
    """Reason why an expression gives no value of a unit; empty if it does.

    known, of : as for `expression_fault`
    """
    for used in expression.names:
        if used not in known:
            return f"{of} has no parameter '{shortened(used)}'; {nearest(used, known)}"
    try:
        units = {parameter.name: parameter.unit for parameter in known.values()}
        expression.check(unit, units)
    except ValueError as error:
        return str(error)
    return ""


def _expanded(part: Mapping[str, Any], section: str, faults: Faults) -> Named:
    """Every name of a section to its key in the file."""
    found: Named = {}
    for raw in part:
        try:
            expanded = ranges.names(raw)
        except ValueError as error:
            faults.add((section, raw), str(error))
            continue
        for name in expanded:
            if name in found:
                reason = f"'{name}' stands in {found[name]} already; give another name"
                faults.add((section, raw), reason)
                break
            found[name] = raw
        if len(found) > MOST_NAMES:
            faults.add((section,), f"more than {MOST_NAMES} {section}; give fewer")
            break
    return found


def _place(place: networks.Place, links: Named, users: Named) -> Loc:
    """The place in the section that a place among all names stands for."""
    section, *rest = place
    if not rest:
        return (section,)
    raw = (links if section == "links" else users)[str(rest[0])]
    if len(rest) == 1:
        return (section, raw)
    return (section, raw, "paths", rest[1])
