"""Hosts for proxies that the network of a file does not have: `at` of a proxy.

    client -- (to_router) -- router == client's paths == vps -- (to_server) -- server

A proxy at the client takes over its paths, and the client has one ideal link to it. A
proxy at the server stands at the end of these paths, with one ideal link to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from topologies import Description, User
from topologies.networks import NAME, RESERVED
from topologies.parameters import delay_parameter

CLIENT, SERVER = "client", "server"
ENDS = (CLIENT, SERVER)
WITHOUT_ROUTERS = ("minitopo",)
"""Topologies whose links are no chains between routers."""


@dataclass(frozen=True)
class Way:
    """A traffic entry, as far as it places proxies.

    placed : the name and the end of each proxy that has one, in their order
    """

    source: str
    destination: str
    placed: tuple[tuple[str, str], ...]


def link_to(host: str) -> str:
    """The name of the ideal link that leads to a host."""
    return f"to_{host}"[:30]


def ways(traffic: object) -> tuple[Way, ...]:
    """The entries that place proxies, from the values of a file that may be faulty."""
    return tuple(_ways(traffic if isinstance(traffic, list) else []))


def _ways(traffic: Sequence[object]) -> Iterator[Way]:
    for entry in traffic:
        if isinstance(entry, dict) and entry.get("via") is not None:
            listed = entry["via"]
            parts = listed if isinstance(listed, list) else [listed]
            found = tuple(_placed(parts))
            ends = entry.get("from"), entry.get("to")
            if found and all(isinstance(end, str) for end in ends):
                yield Way(str(ends[0]), str(ends[1]), found)


def _placed(parts: Sequence[Any]) -> Iterator[tuple[str, str]]:
    for part in parts:
        if isinstance(part, dict) and part.get("at") in ENDS:
            host = part.get("host")
            if isinstance(host, str):
                yield host, str(part["at"])


def possible(description: Description) -> bool:
    """Whether proxies can be placed: all paths are chains of links with routers."""
    own = description.wiring is not None or description.mesh
    return not own and description.name not in WITHOUT_ROUTERS


def extended(description: Description, asked: Sequence[Way]) -> Description:
    """The network with the hosts of proxies that have a place; as it is without any.

    A proxy that cannot stand where it is asked for is left out.
    """
    if not asked or not possible(description):
        return description
    users = {user.host: user for user in description.users}
    own: dict[str, str] = {}
    links: list[str] = []
    known = {*description.hosts, *description.all_links}
    for way in asked:
        for host, end in way.placed:
            if host in own or not _free(host, known | {*links}):
                if end == SERVER and own.get(host) == SERVER:
                    _lead(users, way, host)
                continue
            if _place(users, way, host, end, links):
                own[host] = end
                known.add(host)
    if not own:
        return description
    more = tuple(delay_parameter(link, 0.0) for link in links)
    return replace(
        description,
        parameters=(*description.parameters, *more),
        users=tuple(users.values()),
        described=True,
    )


def _free(host: str, known: set[str]) -> bool:
    fits = NAME.fullmatch(host) and not RESERVED.fullmatch(host)
    return bool(fits) and host not in known


def _place(
    users: dict[str, User], way: Way, host: str, end: str, links: list[str]
) -> bool:
    """Add the host of a proxy, and its link. Returns whether there is a place."""
    if end == CLIENT:
        clients = [name for name, at in way.placed if at == CLIENT and name in users]
        before = users.get(clients[-1] if clients else way.source)
        if before is None:
            return False
        users[before.host] = User(
            before.host, host, ((link_to(host),),), count=before.count
        )
        users[host] = replace(before, host=host, count=None)
        links.append(link_to(host))
        return True
    if not _lead(users, way, host):
        return False
    users[host] = User(host, way.destination, ((link_to(way.destination),),))
    if link_to(way.destination) not in links:
        links.append(link_to(way.destination))
    return True


def _lead(users: dict[str, User], way: Way, host: str) -> bool:
    """Lead the way to a proxy in place of its last host. Returns whether there was
    one."""
    last = users.get(way.source)
    seen: set[str] = set()
    while last is not None and last.server != way.destination:
        if last.host in seen:
            return False
        seen.add(last.host)
        last = users.get(last.server)
    if last is None:
        return False
    users[last.host] = replace(last, server=host)
    return True


def of_entries(entries: Sequence[Any]) -> tuple[Way, ...]:
    """The entries of a valid file that place proxies."""
    found = []
    for entry in entries:
        placed = tuple((one.host, one.at) for one in entry.via or () if one.at)
        if placed:
            found.append(Way(entry.source, entry.destination, placed))
    return tuple(found)


def stands(description: Description, host: str, end: str, destination: str) -> bool:
    """Whether a host of a network is one that `extended` has placed at an end."""
    if end == CLIENT:
        alone = ((link_to(host),),)
        return any(u.server == host and u.paths == alone for u in description.users)
    return any(
        user.host == host and user.paths == ((link_to(destination),),)
        for user in description.users
    )
