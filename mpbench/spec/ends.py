"""The section `hosts:`: addresses, MPTCP, sysctls, limits and endpoints of a host."""

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from jobs import ends
from jobs.ends import FLAGS, MOST_ENDPOINTS, MOST_LIMIT
from mpbench.spec.checked_sysctls import checked_sysctls
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, OneOf, Part, Quantity, Switch, Whole, check_each

BACKUP, NONE = "backup", "none"
"""The flags of an endpoint that is no more."""
_TIME = Quantity("s", 0, 86_400)
_Limit = Annotated[Whole, Field(ge=0, le=MOST_LIMIT)]
_FLAG: JsonDict = {"enum": [*FLAGS]}
_FLAGS_SCHEMA: JsonDict = {
    "anyOf": [_FLAG, {"type": "array", "items": _FLAG, "minItems": 1}]
}


_BY_LINK: JsonDict = {"additionalProperties": {"type": ["string", "array"]}}


def _instead(choices: JsonDict) -> Callable[[JsonDict], None]:
    """A change of a field's schema that puts choices in the place of its type."""

    def change(schema: JsonDict) -> None:
        for key in ("type", "items", "additionalProperties"):
            schema.pop(key, None)
        schema.update(choices)

    return change


def _flags(value: object) -> object:
    """The flags, in the order of the kernel's list, from one word or a list."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not words:
        reason = f"'{shortened(value)}' is no list of flags"
        raise ValueError(f"{reason}; write e.g. [signal, backup]")
    for word in words:
        if word not in FLAGS:
            hint = nearest(shortened(word), FLAGS)
            raise ValueError(f"unknown flag '{shortened(word)}'; {hint}")
    return tuple(flag for flag in FLAGS if flag in words)


def _addresses(value: object) -> object:
    return check_each(value, _address) if isinstance(value, dict) else value


def _of_six(value: object) -> str:
    """The limit that an address of IPv6 meets, as a part of a sentence."""
    try:
        ipaddress.IPv6Address(str(value))
    except ValueError:
        return ""
    return ", and guests have no IPv6"


def _address(_link: str, value: object) -> str:
    try:
        found = ipaddress.IPv4Address(str(value))
    except ValueError:
        reason = f"'{shortened(value)}' is no IPv4 address{_of_six(value)}"
        raise ValueError(f"{reason}; write e.g. 10.250.0.2") from None
    if not found.is_private or found.is_loopback or found.is_link_local:
        raise ValueError(f"{found} is not a private address; write e.g. 10.250.0.2")
    if str(found).split(".")[0] == "10" and not str(found).startswith("10.250."):
        raise ValueError(f"{found} may be another host's; write e.g. 10.250.0.2")
    return str(found)


def _flags_by_link(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return check_each(value, lambda _, one: () if one == NONE else _flags(one))


def _links(value: object) -> object:
    """Links from a name, a list of them, or a mapping to what else a command needs."""
    if isinstance(value, str):
        return {value: None}
    if isinstance(value, list | tuple):
        for name in value:
            if not isinstance(name, str):
                raise ValueError(f"'{shortened(name)}' is no link; write e.g. [path2]")
        return dict.fromkeys(value)
    return value


def _created(value: object) -> object:
    """Links, each with the peer's address or None."""
    found = _links(value)
    if not isinstance(found, dict):
        return found
    return check_each(found, lambda _, to: None if to is None else _any_address(to))


def _any_address(value: object) -> str:
    try:
        return str(ipaddress.IPv4Address(str(value)))
    except ValueError:
        reason = f"'{shortened(value)}' is no IPv4 address{_of_six(value)}"
        raise ValueError(f"{reason}; write e.g. 10.250.0.2") from None


def _priorities(value: object) -> object:
    """Links, each with the flags `backup` or none."""
    if not isinstance(value, dict):
        return value

    def one(_link: str, word: object) -> tuple[str, ...]:
        if word not in (BACKUP, NONE):
            reason = f"'{shortened(word)}' is no priority of a subflow"
            raise ValueError(f"{reason}; write {BACKUP} or {NONE}")
        return (BACKUP,) if word == BACKUP else ()

    return check_each(value, one)


_LINKS_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
    ]
}
_Links = Annotated[dict[str, None], BeforeValidator(_links)]


def _links_field(words: str) -> Any:
    return Field(
        default={}, description=words, json_schema_extra=_instead(_LINKS_SCHEMA)
    )


class Limits(Part):
    """The limits of a host's path manager, as `ip mptcp limits` has them."""

    subflows: _Limit | None = Field(
        default=None,
        description="Further subflows that a connection may have, 0 to 8; 8 if not"
        " said.",
    )
    add_addr_accepted: _Limit | None = Field(
        default=None,
        description="Announced addresses that a connection accepts, 0 to 8; 0 if not"
        " said.",
    )


class Endpoint(Part):
    """An address that the path manager knows, as `ip mptcp endpoint` has it."""

    link: str | None = Field(
        default=None,
        description="The link to which the address belongs; the host's first address"
        " if neither this nor `address` is said.",
    )
    address: str | None = Field(
        default=None, description="One of the `addresses`, instead of its link."
    )
    flags: Annotated[tuple[str, ...], BeforeValidator(_flags)] = Field(
        description="signal, subflow, backup, fullmesh, laminar: a word or a list.",
        json_schema_extra=_instead(_FLAGS_SCHEMA),
    )
    port: Annotated[Whole, Field(ge=1, le=65535)] | None = Field(
        default=None,
        description="Port of an announced address, where the kernel listens too.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = Faults()
        if self.link is not None and self.address is not None:
            faults.add(("address",), "the link says it already; take one of them away")
        if self.port is not None and "signal" not in self.flags:
            faults.add(("port",), "only a signal endpoint has one; take it away")
        if {"fullmesh", "signal"} <= set(self.flags):
            reason = "the kernel refuses fullmesh together with signal"
            faults.add(("flags",), f"{reason}; take one of them away")
        faults.raise_any()
        return self


def _limits(given: Limits) -> ends.Limits:
    return ends.Limits(
        subflows=given.subflows, add_addr_accepted=given.add_addr_accepted
    )


class HostStep(Part):
    """State of a host from a time on. What is not named stays as it is."""

    endpoints: Annotated[
        dict[str, tuple[str, ...]], BeforeValidator(_flags_by_link)
    ] = Field(
        default={},
        description="Link of an address to the flags of its endpoint, or 'none'.",
        json_schema_extra=_BY_LINK,
    )
    addresses: dict[str, Switch] = Field(
        default={}, description="Link of an address to whether the host has it."
    )
    limits: Limits | None = Field(
        default=None, description="The limits that change, as `limits` of a host."
    )
    announce: _Links = _links_field("With pm: userspace: addresses to announce.")
    remove: _Links = _links_field("Addresses to take back, by their links.")
    create: Annotated[dict[str, str | None], BeforeValidator(_created)] = Field(
        default={},
        description="Addresses from which to open subflows; a mapping says to which"
        " address of the peer.",
        json_schema_extra=_instead(
            {
                "anyOf": [
                    *_LINKS_SCHEMA["anyOf"],  # type: ignore[misc]
                    {"type": "object", "additionalProperties": {"type": "string"}},
                ]
            }
        ),
    )
    destroy: _Links = _links_field("Addresses whose subflows to close.")
    set_flags: Annotated[dict[str, tuple[str, ...]], BeforeValidator(_priorities)] = (
        Field(
            default={},
            description="Address to the priority of its subflows: backup or none.",
            json_schema_extra=_BY_LINK,
        )
    )

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        given = self.limits.model_dump() if self.limits else {}
        limited = any(value is not None for value in given.values())
        if not (self.endpoints or self.addresses or self.commands or limited):
            words = "name 'endpoints', 'addresses' or 'limits'"
            raise ValueError(f"changes nothing; {words}")
        return self

    @model_serializer(mode="wrap")
    def _without_commands(
        self, handler: SerializerFunctionWrapHandler
    ) -> dict[str, Any]:
        """The commands that a step does not have enter no hash."""
        values: dict[str, Any] = handler(self)
        names = (*ends.COMMANDS, "limits")
        absent = [name for name in names if not getattr(self, name)]
        return {key: value for key, value in values.items() if key not in absent}

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands to a path manager in user space: name, and link."""
        return [(name, link) for name in ends.COMMANDS for link in getattr(self, name)]


def _steps(value: object) -> object:
    """The steps, whose times rise."""
    if not isinstance(value, dict):
        return value
    times = check_each(value, lambda text, _: _TIME.check(text))
    for (before, earlier), (text, later) in pairwise(times.items()):
        if later <= earlier:
            reason = f"'{shortened(text)}' stands behind '{shortened(before)}'"
            raise ValueError(f"{reason}; sort the times, each of them once")
    return value


class HostSettings(Part):
    """Settings of one host; what is not said is as usual."""

    pm: Annotated[str, OneOf("path manager", ends.MANAGERS)] | None = Field(
        default=None,
        description="userspace: the steps of `at` say which subflows there are; the"
        " kernel if not said.",
    )

    addresses: Annotated[dict[str, str], BeforeValidator(_addresses)] | None = Field(
        default=None,
        description="Further addresses of a server: a link of the network to the"
        " address, such as {path2: 10.250.0.2}.",
    )
    mptcp: Switch | None = Field(
        default=None,
        description="Whether the programs of the host open MPTCP sockets; as the case"
        " says if not said.",
    )
    sysctls: (
        Annotated[dict[str, str | int], BeforeValidator(checked_sysctls)] | None
    ) = Field(default=None, description="Network sysctls of this host alone.")
    limits: Limits | None = Field(
        default=None, description="{subflows, add_addr_accepted} of the path manager."
    )
    endpoints: (
        Annotated[tuple[Endpoint, ...], Field(max_length=MOST_ENDPOINTS)] | None
    ) = Field(
        default=None,
        description="All endpoints of the path manager; a client has one per path"
        " if not said, and a server none.",
    )

    at: Annotated[dict[str, HostStep], BeforeValidator(_steps)] | None = Field(
        default=None,
        min_length=1,
        description="Time after the start of the traffic to endpoints and addresses"
        " from then on.",
    )

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        return {key: value for key, value in values.items() if value is not None}

    def under(self, other: "HostSettings") -> "HostSettings":
        """These settings, where `other` has none of its own."""
        given = {key: getattr(other, key) for key in other.model_fields_set}
        return self.model_copy(update=given)

    def link_of(self, endpoint: Endpoint) -> str | None:
        """The link of an endpoint's address; None for the first address."""
        for link, address in (self.addresses or {}).items():
            if address == endpoint.address:
                return link
        return endpoint.link

    @property
    def steps(self) -> list[tuple[str, float, HostStep]]:
        """The steps of `at`: the time in the words of the file and in seconds, and what
        changes."""
        return [(text, _TIME.check(text), one) for text, one in (self.at or {}).items()]

    def _changes(self) -> Iterator[ends.Change]:
        for _, at_s, step in self.steps:
            if step.limits is not None:
                yield ends.Change(at_s=at_s, link=None, limits=_limits(step.limits))
            for link, present in step.addresses.items():
                yield ends.Change(at_s=at_s, link=link, present=present)
            for link, flags in step.endpoints.items():
                yield ends.Change(at_s=at_s, link=link, flags=flags)
            for command, link in step.commands:
                yield ends.Change(
                    at_s=at_s,
                    link=link,
                    command=command,
                    flags=step.set_flags[link] if command == ends.SET_FLAGS else None,
                    to=step.create[link] if command == ends.CREATE else None,
                )

    def job(self) -> ends.Host:
        """The settings as a run's job has them."""
        return ends.Host(
            addresses=self.addresses,
            mptcp=self.mptcp,
            sysctls=None
            if self.sysctls is None
            else {name: str(self.sysctls[name]) for name in sorted(self.sysctls)},
            limits=_limits(self.limits) if self.limits else None,
            endpoints=None
            if self.endpoints is None
            else tuple(
                ends.Endpoint(link=self.link_of(one), flags=one.flags, port=one.port)
                for one in self.endpoints
            ),
            changes=tuple(self._changes()),
            pm=self.pm if self.pm == ends.USERSPACE else None,
        )


Hosts = dict[str, HostSettings]


def merged(
    usual: Mapping[str, HostSettings], own: Mapping[str, HostSettings]
) -> dict[str, HostSettings]:
    """The settings of all hosts in a case.

    usual : of the experiment; own : of the case, which counts more, key by key
    """
    found = {**usual}
    for host, settings in own.items():
        found[host] = found[host].under(settings) if host in found else settings
    return found
