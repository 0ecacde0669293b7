"""A topology as an experiment file sees it: its users, their paths, its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from topologies.parameters import Parameter


@dataclass(frozen=True)
class User:
    """A host that opens connections. It may stand for several users.

    host : its name
    server : the name of the host at the other end of all its paths
    paths : the links of path 1, of path 2 and so on, each in order from the user
    count : name of the parameter that says how many users the host stands for; None
        for a single user
    backups : numbers of the paths, from 1, that MPTCP uses only when no other works
    """

    host: str
    server: str
    paths: tuple[tuple[str, ...], ...]
    count: str | None = None
    backups: tuple[int, ...] = ()


@dataclass(frozen=True)
class Description:
    """Features of a topology that experiment files can set.

    described : True if an experiment file describes the network itself, so that a job
        keeps the description; False if a module of this package has the name
    wiring : template of the network's wiring (`topologies.templates`); None if all
        paths are chains of links, or if a module of this package wires it
    mesh : True for a data centre (`topologies.families`): every host reaches every
        other one, the links are classes of links, and only the fabric can have it.
        Its users have no server.
    sysctls : those of the end hosts that differ from the default of other topologies
    """

    name: str
    parameters: tuple[Parameter, ...]
    users: tuple[User, ...]
    described: bool = False
    wiring: Mapping[str, Any] | None = None
    mesh: bool = False
    sysctls: tuple[tuple[str, str], ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The end hosts, between which traffic can flow: users' hosts, then servers."""
        if self.mesh:
            return self.initiators
        servers = (user.server for user in self.users)
        return tuple(dict.fromkeys((*self.initiators, *servers)))

    @property
    def initiators(self) -> tuple[str, ...]:
        """The hosts that open connections: those of the users."""
        return tuple(user.host for user in self.users)

    @property
    def paths(self) -> int:
        """The number of paths of the user with the most paths."""
        return max(len(user.paths) for user in self.users)

    @property
    def links(self) -> tuple[str, ...]:
        """The links that have a capacity: the bottlenecks."""
        return self._links_with("capacity")

    @property
    def all_links(self) -> tuple[str, ...]:
        """All links: the bottlenecks sorted by name, then those that only delay."""
        return tuple(dict.fromkeys((*sorted(self.links), *self._links_with("delay"))))

    def _links_with(self, quantity: str) -> tuple[str, ...]:
        keys = (p.name.rpartition(".") for p in self.parameters)
        return tuple(link for link, _, what in keys if what == quantity)

    @property
    def relays(self) -> tuple[str, ...]:
        """The hosts that open connections and are at the end of another user's paths,
        so that a proxy can stand there."""
        servers = {user.server for user in self.users}
        return () if self.mesh else tuple(h for h in self.initiators if h in servers)

    def user(self, host: str) -> User:
        """The user on a host. Raises KeyError if the host opens no connections."""
        for user in self.users:
            if user.host == host:
                return user
        raise KeyError(host)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter with a name such as `path1.capacity`; None if there is none."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None

    def defaults(self) -> dict[str, float | int | None]:
        """Default value by canonical key, such as `path1.capacity_mbps`."""
        return {p.key: p.default for p in self.parameters}
