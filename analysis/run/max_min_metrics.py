"""Distance of a run's goodputs from the max-min fair ones.

Source: [mpcc] Gilad et al., CoNEXT 2020, sec. 4.2 and Theorem 5.1. The fair rates are
those of `analysis.models.max_min`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from analysis.run import tools
from analysis.run.artefacts import Artefacts
from analysis.run.flow_phase_metrics import flow_in_phase
from analysis.run.payload import TCP_SHARE
from analysis.run.run_metrics import flows

MOST_USERS = 16
"""Hosts that open connections; with more, the linear programs take too long."""
Links = tuple[tuple[str, float], ...]
Users = tuple[tuple[str, tuple[tuple[str, ...], ...], int], ...]


def columns(run: Artefacts) -> dict[str, Any]:
    """The columns of a run in which several hosts send with iperf3 for a time.

    max_min_distance : the largest relative shortfall of a user's goodput from its
        lexicographic max-min fair rate, 0 (nobody has less) to 1 (somebody has
        nothing). A user is a connection; all users of a host count by their mean.
        Background traffic takes its fair share of the links, and counts no further
    PHASE.max_min_distance : the same in a phase, among the users that are active then

    A link counts with the payload that its capacity can carry, 1448 of 1514 bytes, and
    without its random loss. The columns are missing if fewer than two hosts send, if
    more than MOST_USERS do, if a host has several entries, if data flow both ways, and
    in data centres, whose links stand for classes of links.
    """
    entries = run.traffic
    hosts = [entry.source for entry in entries]
    bulk = all(tools.has(each, "BULK") and each.duration_s for each in entries)
    if not bulk or len({entry.forward for entry in entries}) > 1 or run.has_classes:
        return {}
    if not 2 <= len(hosts) <= MOST_USERS or len(set(hosts)) < len(hosts):
        return {}
    moved = dict(enumerate(flows(run)))
    found = {"max_min_distance": _distance(run, _means(run, moved))}
    for phase, (start_s, end_s) in run.job.phases.items():
        active = {
            index: flow
            for index in range(len(entries))
            if (flow := flow_in_phase(run, index, start_s, end_s)) is not None
        }
        means = _means(run, active)
        found[f"{phase}.max_min_distance"] = _distance(run, means) if means else None
    return found


def _means(run: Artefacts, moved: Mapping[int, Any]) -> dict[int, float]:
    """The mean goodput of a connection, 10^6 bit/s, by the number of the entry."""
    entries = run.traffic
    return {i: flow.goodput_mbps / entries[i].parallel for i, flow in moved.items()}


def _distance(run: Artefacts, measured: Mapping[int, float]) -> float | None:
    """None if nothing limits a user."""
    entries = run.traffic
    forward = entries[0].forward
    users: Users = tuple(
        (
            entries[index].source,
            tuple(path.links for path in run.paths_of(entries[index]).values()),
            entries[index].parallel,
        )
        for index in sorted(measured)
    )
    limited = {link.name for link in run.job.links if link.capacity_mbps}
    paths = [path for _, paths, _ in users for path in paths]
    if not all(limited & set(path) for path in paths):
        return None
    used = {link for path in paths for link in path}
    links: Links = tuple(
        (link.name, (link.direction(forward).capacity_mbps or 0.0) * TCP_SHARE)
        for link in run.job.links
        if link.name in used
    )
    fair = dict(_fair(links, users))
    shown = [i for i in sorted(measured) if not entries[i].background]
    return max([0.0, *(1 - measured[i] / fair[entries[i].source] for i in shown)])


@lru_cache(maxsize=1000)
def _fair(links: Links, users: Users) -> tuple[tuple[str, float], ...]:
    """The fair rate of one user of each host, 10^6 bit/s. links : 0 for no limit"""
    from analysis.models import max_min
    from analysis.models.networks import Network, User

    network = Network(
        links={name: mbps or float("inf") for name, mbps in links},
        users={name: User(paths, count) for name, paths, count in users},
    )
    return tuple(max_min.rates(network).items())
