"""Set the kernel's transport as a case asks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mpbench.guest import interfaces
from mpbench.guest.network import LabNode
from tools import part
from topologies.description import User
from topologies.pairs import ends
from topologies.wiring import Port

READ_BACK = {
    "congestion_control": "net.ipv4.tcp_congestion_control",
    "scheduler": "net.mptcp.scheduler",
    "path_manager": "net.mptcp.path_manager",
}
DEFAULTS: dict[str, str | int] = {
    "net.ipv4.tcp_no_metrics_save": 1,
    "net.ipv4.tcp_rmem": "4096 131072 67108864",
    "net.ipv4.tcp_wmem": "4096 16384 67108864",
    "net.mptcp.enabled": 1,
}
"""The buffers do not limit a transfer, as in the thesis (3.3.1, "well-sized")."""
SUBFLOW_LIMIT = 8
ONLY_CHOICE = {"net.mptcp.scheduler": "default", "net.mptcp.path_manager": "kernel"}
"""The values in a new namespace. A kernel without these sysctls (before 6.6 and 6.16),
which a native run may have, behaves accordingly."""


def of(entry: Mapping[str, Any], job: Mapping[str, Any]) -> Mapping[str, Any]:
    """The transport of a traffic entry: its own, or else that of the run's case."""
    own: Mapping[str, Any] = entry.get("transport") or job["transport"]
    return own


def by_host(job: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The transport of every host that traffic goes from or to; users come first.

    All entries of a host have the same transport, except for the path that a TCP takes,
    because the settings belong to the host. Entries of a tool with
    OWN_CONTROL may have another protocol and congestion control, which they set on each
    socket.
    """
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for end in (0, 1):
        for entry in job["traffic"]:
            for host in ends(entry, end):
                entries.setdefault(host, []).append(entry)
    return {host: _joined(of_host, job) for host, of_host in entries.items()}


def _joined(
    entries: Sequence[Mapping[str, Any]], job: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The settings of a host that has these entries.

    Congestion control is that of entries which cannot set their own. The scheduler and
    the path manager are those of an MPTCP, if there is one.
    """
    transports = [of(entry, job) for entry in entries]
    first = transports[0]
    if all(transport == first for transport in transports):
        return first
    fixed = [of(entry, job) for entry in entries if not _has(entry, "OWN_CONTROL")]
    mptcps = [each for each in transports if each["protocol"] == "mptcp"]
    own = (fixed or transports)[0]
    sysctls: dict[str, Any] = {}
    for transport in transports:
        sysctls |= transport.get("sysctls") or {}
    control = own["congestion_control"]
    return {**(mptcps or [own])[0], "congestion_control": control, "sysctls": sysctls}


def tool_sysctls(job: Mapping[str, Any]) -> dict[str, dict[str, str | int]]:
    """The sysctls that the tools of a host's traffic need, by host."""
    found: dict[str, dict[str, str | int]] = {}
    for entry in job["traffic"]:
        wanted = _has(entry, "SYSCTLS") or {}
        for end in (0, 1) if wanted else ():
            for host in ends(entry, end):
                found.setdefault(host, {}).update(wanted)
    return found


def _has(entry: Mapping[str, Any], name: str) -> Any:
    """A constant of an entry's tool; None if the tool has none of this name."""
    return getattr(part(entry["tool"], "processes"), name, None)


def configure(
    node: LabNode,
    transport: Mapping[str, Any],
    more: Mapping[str, str | int] | None = None,
) -> None:
    """Set congestion control, scheduler and any other sysctl of an end host.

    more : sysctls of the traffic's tool, which those of the transport override
    """
    values = {**DEFAULTS, **(more or {})}
    values["net.ipv4.tcp_congestion_control"] = transport["congestion_control"]
    mptcp = transport["protocol"] == "mptcp"
    if mptcp and transport["scheduler"] != ONLY_CHOICE["net.mptcp.scheduler"]:
        values["net.mptcp.scheduler"] = transport["scheduler"]
    values.update(transport.get("sysctls") or {})
    node.write_sysctls(values)


def backups(
    hosts: Mapping[str, Mapping[str, Any]], users: Sequence[User]
) -> dict[str, set[int]]:
    """The numbers of the paths, from 1, that each host keeps as backups.

    What a transport says counts more than what the network says.
    """
    found = {user.host: set(user.backups) for user in users}
    for host, transport in hosts.items():
        if host in found and transport.get("backup") is not None:
            found[host] = set(transport["backup"])
    return found


def endpoint_lines(
    hosts: Mapping[str, Mapping[str, Any]],
    ports: Mapping[str, Sequence[Port]],
    backups: Mapping[str, Collection[int]],
    switched: Collection[str] = (),
) -> dict[str, list[str]]:
    """Lines for `ip -batch` on each MPTCP host.

    They tell the kernel's path manager to open a subflow from every address of the
    host, and to accept subflows.

    The kernel opens the first subflow without being told. It needs an endpoint only to
    tell the server that the path is a backup.

    ports : those of all hosts; a server has one port and opens no subflow
    backups : numbers of the paths, from 1, that a host uses when no other works
    switched : hosts with interfaces that go down and up. Their first address, with
        which connections begin, is known to the path manager too
    """
    limit = f"mptcp limits set subflow {SUBFLOW_LIMIT} add_addr_accepted 0"
    return {
        host: [
            limit,
            *(
                interfaces.endpoint_line(
                    number, port.address, port.interface, number in kept
                )
                if host in switched
                else f"mptcp endpoint add {port.address} dev {port.interface} subflow"
                f"{' backup' if number in kept else ''}"
                for number, port in enumerate(ports[host], start=1)
                if over_all(transport)
                and (number > 1 or host in switched or number in kept)
            ),
        ]
        for host, transport in hosts.items()
        if transport["protocol"] == "mptcp"
        for kept in [backups.get(host, ())]
    }


def over_all(transport: Mapping[str, Any]) -> bool:
    """Whether every address gets a subflow.

    `ndiffports` needs only the first address, over which the kernel itself opens
    several subflows.
    """
    return transport.get("path_manager") != "ndiffports"


def read_back(node: LabNode) -> dict[str, str]:
    """The values that the kernel reports."""
    return {name: _read(node, sysctl) for name, sysctl in READ_BACK.items()}


def _read(node: LabNode, sysctl: str) -> str:
    try:
        return node.read_sysctls([sysctl])[sysctl]
    except FileNotFoundError:
        if sysctl in ONLY_CHOICE:
            return ONLY_CHOICE[sysctl]
        raise
