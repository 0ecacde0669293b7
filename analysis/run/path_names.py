"""The names of a user's paths, and what belongs to a path and not to one link.

A metric is about the first path of a user, whatever its links are called. A path that
is a single link has the link's name, unless that is the name of a path with another
number. Other paths are numbered in the order in which the experiment file lists them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from analysis.run import metrics, traffic
from analysis.run.link_traffic import path_bytes
from jobs import Job, Link

if TYPE_CHECKING:
    from analysis.run.artefacts import Artefacts

COLUMN = "path_names"
"""The column with the names, separated by commas, where they do not follow from the
names of the columns."""
SEPARATOR = ","
_LINK = re.compile(r"path\d+")
_NUMBERED = re.compile(r"path(\d+)\.capacity_mbps")


def numbered(columns: Sequence[str]) -> tuple[str, ...]:
    """`path1`, `path2` and so on, as far as columns have their capacity."""
    return _numbered(tuple(columns))


@lru_cache(maxsize=1000)
def _numbered(columns: tuple[str, ...]) -> tuple[str, ...]:
    """The rows of a campaign have few different sets of columns."""
    matches = (_NUMBERED.fullmatch(str(name)) for name in columns)
    return tuple(f"path{n}" for n in sorted(int(m[1]) for m in matches if m))


def of_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the paths of a run, in the user's order; empty if it has no user of
    its own."""
    named = row.get(COLUMN)
    if isinstance(named, str):
        return tuple(filter(None, named.split(SEPARATOR)))
    return numbered(list(row))


def of_job(job: Job) -> tuple[str, ...]:
    """The same of a job; empty if several users open connections."""
    hosts = {*traffic.initiators(traffic.of_job(job))}
    if not _by_host(job):
        return numbered(list(job.parameters))
    if len(hosts) != 1:
        return ()
    (host,) = hosts
    paths = [_limits(job, path) for path in _by_host(job).get(host, ())]
    taken = {link.name for link in job.links}
    every = [name for path in paths for name in path]
    limits = {link.name for link in job.links if link.capacity_mbps is not None}
    alone = all(len(path) == 1 for path in paths) and len(set(every)) == len(every)
    if alone and set(every) == limits and not _misleading(every):
        return tuple(every)
    prefix = "" if not any(f"path{n + 1}" in taken for n in range(len(paths))) else host
    names = (f"path{number}" for number in range(1, len(paths) + 1))
    return tuple(f"{prefix}.{name}" if prefix else name for name in names)


def misread(job: Job) -> frozenset[str]:
    """Links whose names look like the number of a path, which they are not or not for
    every user."""
    if not job.network:
        return frozenset()
    return frozenset(
        link.name
        for link in job.links
        if _LINK.fullmatch(link.name) and link.name not in of_job(job)
    )


def words(job: Job, host: str, number: int) -> str:
    """A path in running text: `path 2`, or the name of its only own link in a network
    of the user's own.

    host : one end of the path; paths are those of the host that opens the connections
    """
    paths = _of_end(job, host)
    if job.topology is not None or not 0 < number <= len(paths):
        return f"path {number}"
    others = {n for i, path in enumerate(paths, 1) if i != number for n in path}
    own = [name for name in paths[number - 1] if name not in others]
    limits = [name for name in own if name in _limits(job, own)]
    (name,) = (limits or own) if len(limits or own) == 1 else (f"path{number}",)
    if _misleading([*[""] * (number - 1), name]):
        return f"path {number} ({name})"
    return re.sub(r"^path(\d+)$", r"path \1", name)


def of_line(job: Job, host: str, number: int, hosts: int, paths: int) -> str:
    """The name of a path's line over time: the path's, the host's, or both.

    hosts, paths : the number of hosts that are shown, and of paths of this one

    The one path of a transport has the user's own name for it, as beside others.
    """
    named = words(job, host, number)
    if paths > 1:
        return f"{host}, {named}" if hosts > 1 else named
    return host if hosts > 1 or named.startswith("path ") else named


def settings(job: Job) -> dict[str, Any]:
    """The columns of a run's paths that follow from its job, where those of its links
    are not the same."""
    names = of_job(job)
    columns: dict[str, Any] = {}
    if names != numbered(list(job.parameters)):
        columns[COLUMN] = SEPARATOR.join(names)
    hosts = traffic.initiators(traffic.of_job(job))
    links = {link.name: link for link in job.links}
    for name, path in zip(names, _by_host(job).get(hosts[0], ()), strict=False):
        own = [_asked(job, links[link]) for link in path if link in links]
        for key, value in _of_path(own).items():
            if f"{name}.{key}" not in job.parameters:
                columns[f"{name}.{key}"] = value
    return columns


def measured(run: "Artefacts", known: Mapping[str, Any]) -> dict[str, Any]:
    """The share of each path in the bytes of frames that the user's paths carried.

    known : columns that are there already, which are those of links
    """
    names = of_job(run.job)
    both_ways = len({entry.forward for entry in run.traffic}) > 1
    if not names or both_ways or all(f"{name}.share" in known for name in names):
        return {}
    entry = run.traffic[0]
    carried = path_bytes(run, entry)
    counts = [carried.get(number, 0) for number in range(1, len(names) + 1)]
    shares: Sequence[float | None] = [None] * len(names)
    if any(counts):
        shares = metrics.shares(counts)
    columns: dict[str, Any] = {}
    for name, count, share in zip(names, counts, shares, strict=True):
        columns[f"{name}.bytes"] = count
        columns[f"{name}.share"] = share
    return {key: value for key, value in columns.items() if key not in known}


def _misleading(names: Sequence[str]) -> bool:
    """Whether a path has the name of a path with another number, as `path2` first."""
    numbers = (re.fullmatch(r"path(\d+)", name) for name in names)
    return any(m and int(m[1]) != place for place, m in enumerate(numbers, start=1))


def _by_host(job: Job) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The links of each path of each host that opens connections, in networks that an
    experiment file describes."""
    return {user.host: user.paths for user in job.network.users} if job.network else {}


def _of_end(job: Job, host: str) -> tuple[tuple[str, ...], ...]:
    """The paths of a host; those of its clients for a server, if all have the same."""
    known = _by_host(job)
    if host in known or not known:
        return known.get(host, ())
    clients = {
        known.get(entry.source, ())
        for entry in traffic.of_job(job)
        if host == entry.destination
    }
    return clients.pop() if len(clients) == 1 else ()


def _limits(job: Job, path: Sequence[str]) -> list[str]:
    """The links of a path that have a capacity."""
    capacity = {link.name: link.capacity_mbps for link in job.links}
    return [name for name in path if capacity.get(name) is not None]


def _asked(job: Job, link: Link) -> Link:
    """The link with the delay that the experiment asks for, also in a repetition that
    changes it."""
    if not job.report or link.name not in job.report.delay_changes_percent:
        return link
    delay_ms = job.parameters.get(f"{link.name}.delay_ms")
    return link if delay_ms is None else replace(link, delay_ms=delay_ms)


def _of_path(links: Sequence[Link]) -> dict[str, float]:
    """The capacity, delay and loss of links in a row, of what users send."""
    capacities = [
        each.capacity_mbps for each in links if each.capacity_mbps is not None
    ]
    arrives = 1.0
    for each in links:
        arrives *= 1 - each.loss_percent / 100
    found = {"delay_ms": sum(each.delay_ms for each in links)}
    if capacities:
        found["capacity_mbps"] = min(capacities)
        found["loss_percent"] = round(100 * (1 - arrives), 9)
    return found
