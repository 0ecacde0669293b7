"""Events at servers behind a NAT, with the addresses that clients have.

A server sees the router's address, and the port that the client chose, which NAT keeps
where it can. Both hosts' events of a subflow then bear the same ends again.
"""

from collections.abc import Iterator
from dataclasses import replace

from analysis.run.events import Event, Events
from jobs import Job
from jobs.middleboxes import NAT


def untranslated(events: Events, job: Job) -> Events:
    """The events with clients' own addresses; the same without a NAT."""
    routers = set(_addresses(job))
    if not routers:
        return events
    users = {port.address for user in job.users for port in job.wiring.ports[user.host]}
    own = {_port(event.local): event for event in events.all if event.address in users}
    changed = tuple(_translated(event, routers, own) for event in events.all)
    return replace(events, all=changed)


def _addresses(job: Job) -> Iterator[str]:
    """The addresses that servers see, of routers with NAT."""
    nats = {box.link for box in job.middleboxes if box.kind == NAT}
    if not nats or not job.users:
        return
    places = {place.forward for place in job.wiring.links if place.link in nats}
    for wire in job.wiring.wires:
        for end in (wire.one, wire.two):
            if (end.node, end.interface) in places and end.address:
                yield end.address.partition("/")[0]


def _translated(event: Event, routers: set[str], own: dict[str, Event]) -> Event:
    address, _, port = event.remote.rpartition(":")
    if address not in routers or port not in own:
        return event
    return replace(event, remote=own[port].local)


def _port(end: str) -> str:
    return end.rpartition(":")[2]
