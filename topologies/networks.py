"""Networks that an experiment file describes, as jobs hold them.

Such a network is a set of links and of users. A job holds its users under `network`,
and its links under `links`, with the names of both. Everything about it follows from
these two.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from topologies.description import Description, User
from topologies.parameters import (
    DOWN,
    Parameter,
    delay_parameter,
    down_parameters,
    down_queueing_delay,
    link_parameters,
    users_parameter,
)
from topologies.shaping import Shape

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")
"""A name of a link or host. It has no dash, which expressions read as a minus, and no
dot, which separates columns."""

RESERVED = re.compile(r"traffic[0-9]*")
"""Names with which the parameters of the traffic begin."""

MOST_USERS = 99
"""Hosts that open connections: each has a byte of the addresses of its paths."""
MOST_PATHS = 100
MOST_LINKS = 500
MOST_STEPS = 5000
"""Links of all paths together, each counted as often as paths take it."""

Place = tuple[str | int, ...]


def describe(
    name: str, parameters: Sequence[Parameter], users: Sequence[User]
) -> Description:
    """The description of a network.

    parameters : those of the links; those of the users follow from `users`
    """
    counts = [users_parameter(user.host) for user in users if user.count]
    return Description(name, (*parameters, *counts), tuple(users), described=True)


def to_json(description: Description) -> dict[str, Any]:
    """The key `network` of a job."""
    users = [
        {
            "host": user.host,
            "server": user.server,
            "paths": [list(path) for path in user.paths],
            "count": user.count,
            **({"backups": list(user.backups)} if user.backups else {}),
        }
        for user in description.users
    ]
    if description.wiring is None:
        return {"users": users}
    return {"users": users, "wiring": dict(description.wiring)}


def described(
    users: Sequence[User],
    shapes: Mapping[str, Shape],
    of: str,
    keys: Collection[str] = (),
    wiring: Mapping[str, Any] | None = None,
) -> Description:
    """The description of a job's network.

    shapes : of the links, by name
    of : the name of the description
    keys : the job's parameters, which say what only some links have
    wiring : the template of its wiring; None if all paths are chains of links
    """
    parameters: list[Parameter] = []
    for name, shape in shapes.items():
        only_delays = shape.capacity_mbps is None
        if only_delays:
            parameters.append(delay_parameter(name, 0.0))
        else:
            parameters += link_parameters(name, shared=True)
        two_ways = shape.down is not None
        if keys:  # directions may differ in their disciplines alone
            two_ways = f"{name}.{DOWN}delay_ms" in keys
        if two_ways:
            parameters += down_parameters(name, only_delays=only_delays)
            longest = down_queueing_delay(name)
            parameters += [longest] if longest.key in keys else []
    made = describe(of, parameters, users)
    return made if wiring is None else replace(made, wiring=wiring)


def faults(
    users: Sequence[User], links: Collection[str]
) -> Iterator[tuple[Place, str]]:
    """Faults of a network, each with its place and what would work.

    A place is ("links", link), ("users", host) or ("users", host, number of the path,
    from 0).
    """
    yield from _name_faults(users, links)
    if len(links) > MOST_LINKS:
        yield ("links",), f"{len(links)} links; at most {MOST_LINKS} work"
    if len(users) > MOST_USERS:
        reason = f"{len(users)} hosts that open connections; at most {MOST_USERS} work"
        yield ("users",), f"{reason}; write 'users: 10' for ten users on one host"
    steps = sum(len(path) for user in users for path in user.paths)
    if steps > MOST_STEPS:
        yield ("users",), f"paths of {steps} links in all; at most {MOST_STEPS} work"
        return
    used: set[str] = set()
    for user in users:
        if len(user.paths) > MOST_PATHS:
            reason = f"{len(user.paths)} paths; at most {MOST_PATHS} work"
            yield ("users", user.host), reason
        for number, path in enumerate(user.paths):
            used.update(path)
            for reason in _path_faults(user, number, links):
                yield ("users", user.host, number), reason
        if reason := backup_fault(user.backups, len(user.paths)):
            yield ("users", user.host), reason
    for link in links:
        if link not in used:
            reason = "no path takes this link; remove it, or add it to a path"
            yield ("links", link), reason


def backup_fault(backups: Collection[int], paths: int) -> str:
    """Reason why a host cannot have these backups; empty if it can.

    paths : number of its paths
    """
    for number in backups:
        if not 1 <= number <= paths:
            return f"there is no path {number} to keep as a backup; the last is {paths}"
    if len(set(backups)) == paths:
        return "every path is a backup; leave at least one for regular use"
    return ""


def _name_faults(
    users: Sequence[User], links: Collection[str]
) -> Iterator[tuple[Place, str]]:
    places: dict[str, Place] = {}
    kinds = {link: "a link" for link in links}
    for name in links:
        places[name] = ("links", name)
    for user in users:
        if user.host in kinds:
            reason = f"'{user.host}' is the name of a link too; give another"
            yield ("users", user.host), reason
        places[user.host] = ("users", user.host)
        if user.server in kinds:
            reason = f"its server '{user.server}' is the name of a link too"
            yield ("users", user.host), f"{reason}; write 'to: another_name'"
        if circle := circle_of(user, users):
            reason = f"a loop: {' to '.join(circle)}"
            yield ("users", user.host), f"{reason}; end at a host that has no paths"
        places.setdefault(user.server, ("users", user.host))
    for name, place in places.items():
        if not NAME.fullmatch(name):
            reason = f"'{name[:40]}' cannot be a name; use up to 30 letters, digits"
            yield place, f"{reason} and '_', and begin with a letter"
        elif RESERVED.fullmatch(name):
            reason = f"'{name}' is the name of the traffic in factors"
            yield place, f"{reason}; give another"


def circle_of(user: User, users: Sequence[User]) -> list[str]:
    """The hosts on the way from a user back to itself; empty if there is no such way.

    A user's server may be another user, where a proxy can stand.
    """
    servers = {one.host: one.server for one in users}
    way = [user.host]
    while (server := servers.get(way[-1])) is not None:
        way.append(server)
        if server == user.host:
            return way
        if server in way[:-1]:
            return []  # another user's circle
    return []


def _path_faults(user: User, number: int, links: Collection[str]) -> Iterator[str]:
    path = user.paths[number]
    if not path:
        yield "a path of nothing; name the links that it takes, such as 'link1 link2'"
        return
    for link, count in Counter(path).items():
        if link not in links:
            yield f"no link '{link[:40]}'"
        elif count > 1:
            reason = f"a loop: this path takes {link} {count} times"
            yield f"{reason}; name each link once"
    if path in user.paths[:number]:
        first = user.paths.index(path) + 1
        reason = f"takes the same links as path {first} of {user.host}"
        hint = "remove it, or begin it with a link of its own that only delays"
        yield f"{reason}; {hint}"
