"""A topology as an experiment file sees it: users, their paths, parameters."""

from dataclasses import dataclass

from topologies.parameters import Parameter


@dataclass(frozen=True)
class User:
    """A host that opens connections, or several users on one host.

    host : its name; server : the host at the other end of its paths
    paths : of each path, numbered from 1, the links that it takes, in order
    count : name of the parameter that says how many users it is, if there is one
    """

    host: str
    server: str
    paths: tuple[tuple[str, ...], ...]
    count: str | None = None


@dataclass(frozen=True)
class Description:
    """What a topology is, without what it takes to build it."""

    name: str
    parameters: tuple[Parameter, ...]
    users: tuple[User, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The end hosts, between which traffic may flow."""
        servers = dict.fromkeys(user.server for user in self.users)
        return (*self.initiators, *servers)

    @property
    def initiators(self) -> tuple[str, ...]:
        """Hosts that may open connections: those that choose a path."""
        return tuple(user.host for user in self.users)

    @property
    def paths(self) -> int:
        """The most paths that a user has; cases name them from 1."""
        return max(len(user.paths) for user in self.users)

    @property
    def links(self) -> tuple[str, ...]:
        """The links that have a capacity: the bottlenecks."""
        return self._links_with("capacity")

    @property
    def all_links(self) -> tuple[str, ...]:
        """Every link: the bottlenecks by name, then those that only delay."""
        return tuple(dict.fromkeys((*sorted(self.links), *self._links_with("delay"))))

    def _links_with(self, quantity: str) -> tuple[str, ...]:
        keys = (p.name.rpartition(".") for p in self.parameters)
        return tuple(link for link, _, what in keys if what == quantity)

    def user(self, host: str) -> User:
        """Raises KeyError for a host that opens no connections."""
        for user in self.users:
            if user.host == host:
                return user
        raise KeyError(host)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None

    def defaults(self) -> dict[str, float | int | None]:
        """Every canonical key with its default."""
        return {p.key: p.default for p in self.parameters}
