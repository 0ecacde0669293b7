"""Settings of single hosts: addresses, MPTCP, sysctls, limits and endpoints.

They stand in the words of ip-mptcp(8). A host without settings has those of its
transport (`mpbench.guest.transport`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Among, Bounds, Length, Matching
from jobs.values import Name, Port, Seconds, Sysctl, SysctlValue

FLAGS = ("signal", "subflow", "backup", "fullmesh", "laminar")
"""The flags of an endpoint that a user can set."""
MOST_LIMIT = 8
MOST_ENDPOINTS = 8
MOST_CHANGES = 10_000
ANNOUNCE, REMOVE, CREATE = "announce", "remove", "create"
DESTROY, SET_FLAGS = "destroy", "set_flags"
COMMANDS = (ANNOUNCE, REMOVE, CREATE, DESTROY, SET_FLAGS)
"""The commands that a path manager in user space gives the kernel."""
KERNEL, USERSPACE = "kernel", "userspace"
MANAGERS = (KERNEL, USERSPACE)
IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)")

Address = Annotated[str, Matching(IPV4, "an IPv4 address")]
Flags = Annotated[tuple[Annotated[str, Among(FLAGS)], ...], Length(1, len(FLAGS))]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Number of further subflows that a connection may have, and of announced addresses
    that it accepts. None for the usual limit."""

    subflows: Annotated[int, Bounds(0, MOST_LIMIT)] | None = None
    add_addr_accepted: Annotated[int, Bounds(0, MOST_LIMIT)] | None = None


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An address that the host's path manager knows.

    link : the link to which the address belongs: of a path of a user, or of
        `addresses` of a server; None for the host's first address
    flags : of FLAGS
    port : of an announced address, where the kernel listens too; None for the port of
        the connection
    """

    link: Name | None
    flags: Flags
    port: Port | None = None

    def check(self) -> None:
        if self.port is not None and "signal" not in self.flags:
            raise ValueError("port: only a signal endpoint has one")
        if "fullmesh" in self.flags and "signal" in self.flags:
            raise ValueError("flags: fullmesh and signal exclude one another")


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of one address of a host, or of its limits, while traffic runs.

    at_s : seconds after the start of the traffic
    link : to which the address belongs; None for a change of limits
    flags : of the endpoint from then on; empty for no endpoint, None for no change
    present : whether the host has the address from then on; None for no change
    command : of COMMANDS, for every MPTCP connection that the host has then; None for a
        change of what the host has. `set_flags` has flags, of which `backup` counts
    to : the peer's address of a subflow to create; None for that of the first subflow
    limits : those that change; None for no change
    """

    at_s: Seconds
    link: Name | None
    flags: (
        Annotated[tuple[Annotated[str, Among(FLAGS)], ...], Length(0, len(FLAGS))]
        | None
    ) = None
    present: bool | None = None
    command: Annotated[str, Among(COMMANDS)] | None = None
    to: Address | None = None
    limits: Limits | None = None

    def check(self) -> None:
        if (self.limits is None) == (self.link is None):
            raise ValueError("link: all but a change of limits have one")
        if self.limits is not None:
            if (self.flags, self.present, self.command) != (None, None, None):
                raise ValueError("limits: a change of its own")
        elif self.command is not None:
            with_flags = self.command == SET_FLAGS
            if self.present is not None or with_flags != (self.flags is not None):
                raise ValueError("a command has flags if it is set_flags, and no more")
        elif (self.flags is None) == (self.present is None):
            raise ValueError("changes either the endpoint or the address")
        if self.to is not None and self.command != CREATE:
            raise ValueError("to: only a subflow to create has it")


@dataclass(frozen=True, kw_only=True)
class Host:
    """The settings of one host.

    addresses : link to a further address of a server; packets of clients that have not
        chosen an address yet take the path with this link
    mptcp : whether the programs of the host open MPTCP sockets; None as the transport
        says
    sysctls : name to value, more than those of the transport
    limits : of the path manager; None for the usual ones
    endpoints : all endpoints of the path manager; None for the usual ones
    changes : of endpoints and addresses while traffic runs
    pm : `userspace` where the changes say which subflows there are; None for the path
        manager of the kernel
    """

    addresses: Mapping[Name, Address] | None = None
    mptcp: bool | None = None
    sysctls: Mapping[Sysctl, SysctlValue] | None = None
    limits: Limits | None = None
    endpoints: Annotated[tuple[Endpoint, ...], Length(0, MOST_ENDPOINTS)] | None = None
    changes: Annotated[tuple[Change, ...], Length(0, MOST_CHANGES)] = ()
    pm: Annotated[str, Among(MANAGERS)] | None = None

    def check(self) -> None:
        commands = any(change.command is not None for change in self.changes)
        if commands and not self.in_userspace:
            raise ValueError("changes: commands need pm: userspace")

    @property
    def in_userspace(self) -> bool:
        return self.pm == USERSPACE

    @property
    def manages(self) -> bool:
        """Whether the host's own settings decide which subflows there are."""
        if self.changes or self.in_userspace:
            return True
        given = (self.addresses, self.mptcp, self.limits, self.endpoints)
        return any(one is not None for one in given)
