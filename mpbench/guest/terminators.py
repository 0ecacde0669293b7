"""Transparent proxies: programs of routers that end connections which pass by.

    user --- (iif) router (forward) --- server

Packets of users to a server's address and port are delivered on the router itself,
where a relay listens. It answers from the server's address, so a user cannot tell. It
connects to the server from the router's own address.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from jobs import Job
from jobs.middleboxes import PROXY
from tools.own_programs import PYTHON
from tools.processes import Process
from tools.proxy.processes import PROGRAM
from tools.web import HOME
from topologies.wiring import Wiring

PREFERENCE = 100
"""Of rules: before those of the router's own routes."""
TABLE = 2000
"""Number of the routing table of the first box."""


@dataclass(frozen=True)
class Place:
    """A proxy at a router.

    number : of the box in the job
    interfaces : through which packets of users come
    source : the router's own address towards servers
    accepts, opens : protocols
    servers : port to the addresses of servers there
    """

    number: int
    router: str
    interfaces: tuple[str, ...]
    source: str
    accepts: str
    opens: str
    servers: dict[int, tuple[str, ...]]


def places(job: Job, wiring: Wiring) -> Iterator[Place]:
    """The transparent proxies of a run."""
    of_links = {place.link: place for place in wiring.links}
    for number, box in enumerate(job.middleboxes):
        if box.kind != PROXY:
            continue
        router, forward = of_links[box.link].forward
        ends = [
            end
            for wire in wiring.wires
            for end in (wire.one, wire.two)
            if end.node == router
        ]
        own = next(str(end.address) for end in ends if end.interface == forward)
        accepts, opens = str(box.action).split("-")
        yield Place(
            number,
            router,
            tuple(end.interface for end in ends if end.interface != forward),
            own.partition("/")[0],
            accepts,
            opens,
            _servers(job, wiring, box.link),
        )


def _servers(job: Job, wiring: Wiring, link: str) -> dict[int, tuple[str, ...]]:
    """The addresses of servers by port, of entries with a path over a link."""
    users = {u.host for u in job.users if any(link in path for path in u.paths)}
    found: dict[int, dict[str, None]] = {}
    for entry in job.traffic:
        if entry.datagrams or not users & {*entry.sources}:
            continue
        for host in entry.destinations:
            known = found.setdefault(entry.port, {})
            known[wiring.entrance(host)] = None
            if host not in wiring.entrances:
                known |= dict.fromkeys(port.address for port in wiring.ports[host])
    return {port: tuple(addresses) for port, addresses in found.items()}


def lines(job: Job, wiring: Wiring) -> dict[str, list[str]]:
    """Lines for `ip -batch` on each router with a proxy."""
    found: dict[str, list[str]] = {}
    for place in places(job, wiring):
        table = TABLE + place.number
        own = found.setdefault(place.router, [])
        every = dict.fromkeys(a for of_port in place.servers.values() for a in of_port)
        own += [f"route add local {address} dev lo table {table}" for address in every]
        own += [
            f"rule add pref {PREFERENCE} iif {interface} to {address} ipproto tcp"
            f" dport {port} table {table}"
            for port, addresses in place.servers.items()
            for address in addresses
            for interface in place.interfaces
        ]
    return found


def processes(job: Job, wiring: Wiring) -> Iterator[Process]:
    """A relay per proxy and port."""
    for place in places(job, wiring):
        for port in place.servers:
            name = f"box{place.number}-{port}"
            program = f"{HOME}/{name}/{PROGRAM.name}"
            words = (str(port), place.accepts, place.opens, "same", "0", place.source)
            yield Process(
                name=name,
                host=place.router,
                argv=(*PYTHON, program, *words),
                role="server",
                output=f"{name}.json",
                listens=port,
                lasting=True,
                files=((program, PROGRAM.read_text()),),
            )
