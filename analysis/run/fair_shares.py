"""The fair share of each traffic entry over time, where links change.

Fairness is lexicographic max-min, as in the MPCC paper (Gilad et al., CoNEXT 2020, sec.
4.2 and Fig. 8): see `analysis.models.max_min`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.run import changed_links, schedules, series, tools
from analysis.run.artefacts import Artefacts
from analysis.run.payload import TCP_SHARE
from analysis.run.schedules import Steps
from analysis.run.traffic import Traffic

MOST_STRETCHES = 500
"""Stretches of time with constant capacities; a trace has more, and no columns."""


def columns(run: Artefacts) -> dict[str, Any]:
    """The columns of each named entry of a run whose links change.

    NAME.fair_mbps : mean of the goodput that would be fair, per connection
    NAME.distance_mbps : mean over time of the difference between its goodput and the
        fair one, as the receiver's intervals show it

    A run has none if one entry has everything, if not all entries are of iperf3 in one
    direction, or if links change too often.
    """
    fair = steps_of(run)
    found: dict[str, Any] = {}
    measured = series.reported(run, ()) if fair else {}
    for entry in run.traffic if fair else ():
        line = next((measured[n] for n in measured if _is(n, entry)), None)
        if line is None or not len(line.times):
            continue
        steps = fair[str(entry.name)]
        values = np.array([schedules.at(steps, time) for time in line.times])
        found[f"{entry.name}.fair_mbps"] = float(values.mean())
        distance = np.abs(line.values - values).mean()
        found[f"{entry.name}.distance_mbps"] = float(distance)
    return found


def _is(line: str, entry: Traffic[Any]) -> bool:
    return line == entry.name or line.startswith(f"{entry.name} (")


def steps_of(run: Artefacts) -> Mapping[str, Steps]:
    """The fair goodput of each entry's connections over time, by the entry's name.

    Empty where `columns` has none.
    """
    entries = run.traffic
    alike = all(tools.has(e, "BULK") and e.name and e.duration_s for e in entries)
    several = len(entries) > 1 and len({e.forward for e in entries}) == 1
    if not run.job.changes or not alike or not several:
        return {}
    ends = [entry.start_s + (entry.duration_s or 0.0) for entry in entries]
    until_s = max(ends)
    used = {link.name: link for link in run.used_links}
    capacities = {
        name: changed_links.capacity(run.job, link, entries[0].forward, until_s)
        for name, link in used.items()
    }
    edges = {time for steps in capacities.values() for time, _ in steps}
    edges |= {entry.start_s for entry in entries} | set(ends)
    times = sorted(time for time in edges if time < until_s)
    if len(times) > MOST_STRETCHES:
        return {}
    found: dict[str, Steps] = {str(entry.name): [] for entry in entries}
    for time_s in times:
        active = [
            entry
            for entry, end_s in zip(entries, ends, strict=True)
            if entry.start_s <= time_s < end_s
        ]
        now = {name: schedules.at(steps, time_s) for name, steps in capacities.items()}
        rates = _rates(run, active, now)
        for entry in entries:
            rate = rates.get(str(entry.name), 0.0) * TCP_SHARE
            found[str(entry.name)].append((time_s, rate))
    return found


def _rates(
    run: Artefacts, entries: list[Traffic[Any]], capacities: Mapping[str, float]
) -> dict[str, float]:
    """The fair rate of each entry's connections, in the unit of the capacities."""
    from analysis.models import max_min
    from analysis.models.networks import Network, User

    users: dict[str, User] = {}
    for entry in entries:
        paths = [
            tuple(name for name in path.links if name in capacities)
            for path in run.paths_of(entry).values()
        ]
        open_ = [path for path in paths if path and all(capacities[n] for n in path)]
        if open_:
            users[str(entry.name)] = User(tuple(open_), count=entry.parallel)
    taken = {name for user in users.values() for path in user.paths for name in path}
    if not users:
        return {}
    links = {name: 1e6 * capacities[name] for name in taken}
    return {
        name: rate / 1e6 for name, rate in max_min.rates(Network(links, users)).items()
    }
