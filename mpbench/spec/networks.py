"""The section `network:`: links, and users with their paths over these links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict
from pydantic_core import core_schema

from mpbench.spec import expressions, ranges
from mpbench.spec.expressions import Expression
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import (
    ANY_QUANTITY,
    Faults,
    Loc,
    Part,
    parameter_value,
)
from topologies import NETWORK, Description, Parameter, User, networks
from topologies.parameters import (
    DOWN,
    delay_parameter,
    down_parameters,
    link_parameters,
    users_parameter,
)

Value = float | int | Expression

_KEYS = ("capacity", "delay", "queueing_delay", "queue", "loss", "jitter")

TWO_WAYS = ("capacity", "delay", "queue", "loss")
"""The keys of a link that can have a value for each direction."""

LINK_KEYS = (*_KEYS, *(f"{DOWN}{key}" for key in TWO_WAYS))
"""The parameters that a link can have."""

WAYS = ("up", "down")
"""The direction of what users send, and the direction towards them."""

ONLY_DELAYS = {"delay", f"{DOWN}delay"}
"""The parameters of a link without a capacity."""

MOST_NAMES = 2000
"""Links or users of a file, with every range written out."""

MOST_LIKES = 20
"""Links of which one is like the next."""


def parameters_of(link: str) -> dict[str, Parameter]:
    """The parameters of a link with a capacity, by key."""
    found = link_parameters(link, shared=True)
    return {parameter.name.rpartition(".")[2]: parameter for parameter in found}


_LINK = parameters_of("LINK")
_USERS = users_parameter("NAME")


def read_value(value: object, parameter: Parameter) -> Value:
    """A parameter's value in its canonical unit, or the expression that computes it.

    Raises ValueError with a one-line reason.
    """
    if expressions.is_expression(value):
        return expressions.parse(str(value))
    return parameter_value(value, parameter)


def _of(parameter: Parameter) -> BeforeValidator:
    """Reads the value of a parameter; None stands for a key that is not given."""

    def read(value: object) -> object:
        return None if value is None else read_value(value, parameter)

    return BeforeValidator(read)


@dataclass(frozen=True)
class Directions:
    """The values of a parameter in both directions."""

    up: Value
    down: Value

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda given: {way: _plain(getattr(given, way)) for way in WAYS}
            ),
        )


def _plain(value: Value) -> float | int | str:
    return value.text if isinstance(value, Expression) else value


def _of_both(parameter: Parameter) -> BeforeValidator:
    """Reads a value for both directions, or a mapping with a value for each."""

    def read(value: object) -> object:
        if not isinstance(value, dict):
            return None if value is None else read_value(value, parameter)
        faults = Faults()
        for key in value:
            if key not in WAYS:
                faults.add((str(key),), f"unknown key; {nearest(str(key), WAYS)}")
        found: dict[str, Value] = {}
        for way in WAYS:
            try:
                if way not in value:
                    raise ValueError("missing; give both directions, up and down")
                found[way] = read_value(value[way], parameter)
            except ValueError as error:
                faults.add((way,), str(error))
        faults.raise_any()
        return Directions(found["up"], found["down"])

    return BeforeValidator(read)


_BOTH_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {
            "type": "object",
            "properties": {way: ANY_QUANTITY for way in WAYS},
            "required": [*WAYS],
            "additionalProperties": False,
        },
    ]
}


class NetworkLink(Part):
    """The parameters of a link, where they are not the default.

    A link that has nothing but a delay only delays: it has no capacity and no queue.
    """

    like: str | None = Field(
        default=None,
        description="Another link, whose parameters this link follows unless it has"
        " its own.",
    )
    capacity: Annotated[Value | Directions | None, _of_both(_LINK["capacity"])] = Field(
        default=None,
        description="Rate in each direction, or {up, down}; whole packets count.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    delay: Annotated[Value | Directions | None, _of_both(_LINK["delay"])] = Field(
        default=None,
        description="One-way delay. A link with nothing but a delay has no queue.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    queueing_delay: Annotated[Value | None, _of(_LINK["queueing_delay"])] = Field(
        default=None,
        description="Longest wait in the queue; it gives the queue's size.",
        json_schema_extra=ANY_QUANTITY,
    )
    queue: Annotated[Value | Directions | None, _of_both(_LINK["queue"])] = Field(
        default=None,
        description="Size of the queue, in place of queueing_delay.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    loss: Annotated[Value | Directions | None, _of_both(_LINK["loss"])] = Field(
        default=None,
        description="Probability of random loss.",
        json_schema_extra=_BOTH_SCHEMA,
    )
    jitter: Annotated[Value | None, _of(_LINK["jitter"])] = Field(
        default=None,
        description="Variation of the delay; one packet time if not said.",
        json_schema_extra=ANY_QUANTITY,
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.queue is not None and self.queueing_delay is not None:
            faults = Faults()
            reason = "without effect beside queue; take one away"
            faults.add(("queueing_delay",), reason)
            faults.raise_any()
        return self

    @property
    def given(self) -> dict[str, Value]:
        """The parameters that the file gives, by key."""
        found: dict[str, Value] = {}
        for key in _KEYS:
            value = getattr(self, key)
            if isinstance(value, Directions):
                found |= {key: value.up, f"{DOWN}{key}": value.down}
            elif value is not None:
                found[key] = value
        return found

    @property
    def two_ways(self) -> bool:
        """Whether the link has a value of its own for the direction towards users."""
        return any(key.startswith(DOWN) for key in self.given)

    @property
    def only_delays(self) -> bool:
        """Whether the link, as far as it says itself, has a delay and no capacity."""
        only = "delay" in self.given and set(self.given) <= ONLY_DELAYS
        return only and self.like is None


def _path(text: object) -> tuple[str, ...]:
    """The links of a path, such as `access1 bottleneck` or `link1..4`."""
    if not isinstance(text, str):
        reason = f"'{shortened(text)}' is not a path"
        raise ValueError(f"{reason}; write its links in order: 'link1 link2'")
    if "," in text:
        raise ValueError(f"'{shortened(text)}': write spaces between links, no commas")
    return tuple(name for word in text.split() for name in ranges.names(word))


def _paths(value: object) -> object:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise ValueError("expected a list of paths, such as [link1, link2 link3]")
    if not value:
        raise ValueError("empty; give at least one path, such as [link1]")
    faults = Faults()
    paths = []
    for index, text in enumerate(value[: networks.MOST_PATHS + 1]):
        try:
            paths.append(_path(text))
        except ValueError as error:
            faults.add((index,), str(error))
    faults.raise_any()
    return tuple(paths)


def _paths_schema(schema: JsonDict) -> None:
    text: JsonDict = {"type": "string"}
    schema.clear()
    schema |= {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]}


class NetworkUser(Part):
    """A host that opens connections, and the paths to its server."""

    paths: Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_paths)] = Field(
        description="Each path as a string of links, in order from the user.",
        json_schema_extra=_paths_schema,
    )
    users: Annotated[Value | None, _of(_USERS)] = Field(
        default=None,
        description="How many users the host stands for; it can vary as NAME.users.",
        json_schema_extra=ANY_QUANTITY,
    )
    to: str | None = Field(
        default=None,
        description="Name of the host at the other end; server_NAME if not said.",
    )


def _user(value: object) -> object:
    return {"paths": value} if isinstance(value, str | list) else value


def _user_schema(schema: JsonDict) -> None:
    items = schema.pop("additionalProperties", {})
    schema["additionalProperties"] = {
        "anyOf": [
            items,
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
        ]
    }


Users = Annotated[
    dict[str, Annotated[NetworkUser, BeforeValidator(_user)]],
    Field(min_length=1, json_schema_extra=_user_schema),
]


def _link(value: object) -> object:
    return {} if value is None else value


class Network(Part):
    """A network: its links, and its users with their paths.

    The names of links and users may be ranges, which stand for several links or users
    with the same entry.
    """

    links: dict[str, Annotated[NetworkLink, BeforeValidator(_link)]] = Field(
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
        self._check_expressions(faults)
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

    def _check_expressions(self, faults: Faults) -> None:
        known = {p.name: p for p in self.description.parameters}
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
        """What the network computes: name of a parameter to its expression.

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
        """Where the file gives a parameter its value; None if it does not."""
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
            at = (both,)
            if isinstance(getattr(link, both), Directions):
                at = (both, "up" if key == both else "down")
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
        return set(link.given) <= ONLY_DELAYS and self._delays(link.like)

    def _two_ways(self, name: str) -> bool:
        """Whether a link's directions can differ, by itself or by the link that it is
        like."""
        link = self.named_links[name]
        if link.two_ways:
            return True
        return link.like is not None and self._two_ways(link.like)

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
                user.paths,
                None if user.users is None else f"{name}.users",
            )
            for name, user in self.named_users.items()
        ]


Named = dict[str, str]
"""Every name to the key of the file that gives it, which may be a range."""


def expression_fault(
    name: str, expression: Expression, known: Mapping[str, Parameter], of: str
) -> str:
    """Why a parameter cannot be computed by an expression; empty if it can.

    known : every parameter by name
    of : what messages call the network
    """
    for used in expression.names:
        if used not in known:
            return f"{of} has no parameter '{shortened(used)}'; {nearest(used, known)}"
    try:
        units = {parameter.name: parameter.unit for parameter in known.values()}
        expression.check(known[name].unit, units)
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
