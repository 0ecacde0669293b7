"""A path of a host in the direction of the data."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.run.explain.facts import Facts
from jobs import Link


@dataclass(frozen=True)
class Way:
    """The links of a path in one direction.

    shapes : the links by their names, each with the shape of this direction
    capacity_mbps : of the bottleneck; None if no link has one
    round_trip_s : without queues
    """

    shapes: Mapping[str, Link]
    capacity_mbps: float | None
    round_trip_s: float


def of_path(facts: Facts, client: str, number: int, sender: str) -> Way:
    """A path of a client, for the data that one of its ends sends.

    number : of the path, from 1
    """
    known: dict[str, Link] = {link.name: link for link in facts.job.links}
    names = facts.users[client][number - 1].links
    links = {name: known[name] for name in names if name in known}
    shapes = {
        name: Link.of(name, one.direction(sender == client))
        for name, one in links.items()
    }
    capacities = [one.capacity_mbps for one in shapes.values() if one.capacity_mbps]
    delays_ms = [
        one.direction(forward).delay_ms
        for one in links.values()
        for forward in (True, False)
    ]
    return Way(shapes, min(capacities, default=None), 1e-3 * sum(delays_ms))
