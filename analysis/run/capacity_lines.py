"""The capacity of the links that change, beside the lines of a run over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.run import changed_links, path_names, schedules
from analysis.run.artefacts import Artefacts
from analysis.run.labels import label
from analysis.run.schedules import Steps
from analysis.run.traffic import Traffic
from jobs import Link

OF_RATES = ("goodput", "throughput", "rate")
"""The quantities beside which a capacity can stand: those in Mbit/s."""


@dataclass(frozen=True)
class Outage:
    """A stretch of time in which a link has no capacity.

    link : its name in running text
    """

    link: str
    begin_s: float
    end_s: float


def steps(
    run: Artefacts, quantity: str, users: Sequence[str], until_s: float
) -> dict[str, Steps]:
    """The capacity over time in Mbit/s, by the name of the line that it belongs to.

    quantity, users : as in `analysis.run.series.lines`

    A path has the capacity of its narrowest link, and a traffic entry that of all its
    paths together. Lines have none over links that all stay as they are, and over links
    that several paths or hosts share.
    """
    if quantity not in OF_RATES or not run.job.changes:
        return {}
    entries = [e for e in _entries(run) if not users or e.sending_host in users]
    found: dict[str, Steps] = {}
    for entry in entries:
        paths = _paths(run, entry)
        name = entry.name or f"{entry.source} to {entry.destination}"
        if quantity == "goodput":
            every = [link for links in paths.values() for link in links]
            alone = not _shared(run, entry, every) and entry.parallel == 1
            alone = alone and entry in run.traffic
            if alone and _changes(run, every):
                found[name] = _together(run, entry, paths, until_s)
            continue
        hosts = len({each.sending_host for each in entries})
        for number, links in paths.items():
            if _changes(run, links) and not _shared(run, entry, links):
                found[
                    path_names.of_line(
                        run.job, entry.sending_host, number, hosts, len(paths)
                    )
                ] = _narrowest(run, entry, links, until_s)
    return found


def outages(run: Artefacts, until_s: float) -> list[Outage]:
    """When a link that the transports use has no capacity, in order of time."""
    forward = any(entry.forward for entry in run.traffic)
    found = [
        Outage(label(link.name), *span)
        for link in run.used_links
        if changed_links.changes(run.job, link.name)
        for span in schedules.zero_spans(
            changed_links.capacity(run.job, link, forward, until_s), until_s
        )
    ]
    return sorted(found, key=lambda outage: (outage.begin_s, outage.link))


def _paths(run: Artefacts, entry: Traffic[Any]) -> dict[int, list[Link]]:
    """The bottlenecks on each path that an entry may take."""
    settings = {link.name: link for link in run.job.links}
    return {
        number: [
            settings[name]
            for name in path.links
            if name in settings and settings[name].capacity_mbps is not None
        ]
        for number, path in run.paths_of(entry).items()
    }


def _changes(run: Artefacts, links: Sequence[Link]) -> bool:
    return any(changed_links.changes(run.job, link.name) for link in links)


def _shared(run: Artefacts, entry: Traffic[Any], links: Sequence[Link]) -> bool:
    """Whether another host, or another path of this one, takes one of some links too.

    links : of one path of the entry or of all of them, each as often as paths take it
    """
    own = [link.name for link in links]
    taken = [link.name for path in _paths(run, entry).values() for link in path]
    return any(taken.count(name) > 1 for name in own) or any(
        other.source != entry.source
        and other.forward == entry.forward
        and set(own) & {li.name for path in _paths(run, other).values() for li in path}
        for other in _entries(run)
    )


def _entries(run: Artefacts) -> tuple[Traffic[Any], ...]:
    """The traffic entries, one for each host of those with several.

    In a data centre, an entry between many hosts stands with its first host.
    """
    if run.has_classes:
        return run.traffic
    return tuple(own for entry in run.traffic for own in entry.by_host)


def _capacity(run: Artefacts, entry: Traffic[Any], link: Link, until_s: float) -> Steps:
    return changed_links.capacity(run.job, link, entry.forward, until_s)


def _narrowest(
    run: Artefacts, entry: Traffic[Any], links: Sequence[Link], until_s: float
) -> Steps:
    every = [_capacity(run, entry, link, until_s) for link in links]
    return schedules.combined(every, min)


def _together(
    run: Artefacts,
    entry: Traffic[Any],
    paths: dict[int, list[Link]],
    until_s: float,
) -> Steps:
    """The sum over the paths."""
    every = [_narrowest(run, entry, path, until_s) for path in paths.values()]
    return schedules.combined(every, sum)
