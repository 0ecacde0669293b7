"""Give hosts the addresses, limits and endpoints that a job has for them."""

import socket
from collections.abc import Collection, Mapping

from jobs import Job
from jobs.ends import Endpoint, Host
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.mptcp_netlink import PathManager
from mpbench.guest.network import LabNetwork
from topologies.wiring import Port, Wiring

USERSPACE = "net.mptcp.pm_type"
"""1 for a path manager in user space, in all releases of Linux that can have one."""


def numbered(job: Job, host: str) -> Mapping[str | None, int]:
    """The number of each address of a host, from 1, by its link; None is the first.

    The numbers of a user's host are those of its paths.
    """
    found: dict[str | None, int] = {None: 1}
    for user in job.description.users:
        if user.host == host:
            for number, path in enumerate(user.paths, start=1):
                for link in path:
                    found.setdefault(link, number)
    settings = (job.host_settings or {}).get(host)
    for number, link in enumerate((settings and settings.addresses) or (), start=2):
        found[link] = number
    return found


def port_of(job: Job, host: str, link: str | None) -> tuple[int, Port]:
    """The number of a host's address on a link, and its place."""
    number = numbered(job, host)[link]
    ports: Wiring = job.wiring
    return number, ports.ports[host][number - 1]


def apply(job: Job, network: LabNetwork | FabricNetwork) -> None:
    """Set the endpoints and sysctls of all hosts that have their own."""
    for host, settings in (job.host_settings or {}).items():
        node = network.nodes[host]
        if settings.in_userspace:
            node.write_sysctls({USERSPACE: 1})
        if settings.sysctls:
            node.write_sysctls(settings.sysctls)
        if settings.endpoints is not None and host in job.transports:
            add_all(job, host, settings, PathManager(node), network)


def add_all(
    job: Job,
    host: str,
    settings: Host,
    manager: PathManager,
    network: LabNetwork | FabricNetwork,
) -> None:
    for endpoint in settings.endpoints or ():
        add(job, host, endpoint, manager, network)
    manager.close()


def add(
    job: Job,
    host: str,
    endpoint: Endpoint,
    manager: PathManager,
    network: LabNetwork | FabricNetwork,
) -> None:
    """Add an endpoint; its id is the number of its address."""
    number, port = port_of(job, host, endpoint.link)
    add_flags(network, host, manager, number, port, endpoint.flags, endpoint.port)


def add_flags(
    network: LabNetwork | FabricNetwork,
    host: str,
    manager: PathManager,
    number: int,
    port: Port,
    flags: Collection[str],
    listens: int | None = None,
) -> None:
    """Add an endpoint with an id. listens : its own port, where the kernel listens"""
    with network.nodes[host].namespace.entered():
        interface = socket.if_nametoindex(port.interface)
    manager.add(number, port.address, interface, flags, listens)
