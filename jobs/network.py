"""A network that the experiment file describes; its links stand beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from jobs import reading
from jobs.marks import Length
from jobs.values import MOST_ENTRIES, Name, Paths
from topologies import networks
from topologies.description import Description, User


@dataclass(frozen=True, kw_only=True)
class Network:
    """Who opens connections, and over which links.

    users : the hosts that open connections, each with its paths
    wiring : the template of its wiring (`topologies.templates`), which `jobs.fit`
        checks; None if all paths are chains of links
    """

    users: Annotated[tuple[User, ...], Length(1, networks.MOST_USERS)]
    wiring: Mapping[str, Any] | None = None

    def check(self) -> None:
        for number, user in enumerate(self.users):
            if user.count not in (None, f"{user.host}.users"):
                reason = "count is neither null nor the host's"
                raise reading.Fault(reason, "users", number)


def of_description(description: Description) -> Network | None:
    """The network of a description; None if a module of `topologies` has it."""
    if not description.described:
        return None
    return Network(users=description.users, wiring=description.wiring)


reading.foreign(
    User,
    {
        "host": Name,
        "server": Name,
        "paths": Annotated[
            tuple[Annotated[tuple[Name, ...], Length(0, MOST_ENTRIES)], ...],
            Length(1, networks.MOST_PATHS),
        ],
        "count": Annotated[str, Length(0, 100)] | None,
        "backups": Paths,
    },
    required=("count",),
)
