"""Set the kernel's transport as a case asks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from jobs import Entry, Job, Transport
from jobs.ends import Host, Limits
from mpbench.guest import interfaces
from mpbench.guest.network import LabNode
from tools import part
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


def tool_sysctls(job: Job) -> dict[str, dict[str, str | int]]:
    """The sysctls that the tools of a host's traffic need, by host."""
    found: dict[str, dict[str, str | int]] = {}
    for entry in job.traffic:
        wanted = _has(entry, "SYSCTLS") or {}
        for host in (*entry.sources, *entry.destinations) if wanted else ():
            found.setdefault(host, {}).update(wanted)
    return found


def _has(entry: Entry, name: str) -> Any:
    """A constant of an entry's tool; None if the tool has none of this name."""
    return getattr(part(entry.tool, "processes"), name, None)


def configure(
    node: LabNode,
    transport: Transport,
    more: Mapping[str, str | int] | None = None,
) -> None:
    """Set congestion control, scheduler and any other sysctl of an end host.

    more : sysctls of the traffic's tool, which those of the transport override
    """
    values = {**DEFAULTS, **(more or {})}
    values["net.ipv4.tcp_congestion_control"] = transport.kernel_control
    scheduler = transport.scheduler if transport.is_mptcp else None
    if scheduler and scheduler != ONLY_CHOICE["net.mptcp.scheduler"]:
        values["net.mptcp.scheduler"] = scheduler
    values.update(transport.sysctls)
    node.write_sysctls(values, () if transport.is_mptcp else ("net.mptcp.enabled",))


def endpoint_lines(
    hosts: Mapping[str, Transport],
    ports: Mapping[str, Sequence[Port]],
    backups: Mapping[str, Collection[int]],
    switched: Collection[str] = (),
    own: Mapping[str, Host] | None = None,
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
    own : settings of single hosts. One with endpoints of its own gets these later
    """
    return {
        host: [
            _limit_line((own or {}).get(host)),
            *(
                interfaces.endpoint_line(
                    number, port.address, port.interface, number in kept
                )
                if host in switched or _changes((own or {}).get(host))
                else f"mptcp endpoint add {port.address} dev {port.interface} subflow"
                f"{' backup' if number in kept else ''}"
                for number, port in enumerate(ports[host], start=1)
                if transport.over_all
                and not _has_endpoints((own or {}).get(host))
                and (number > 1 or host in switched or number in kept)
            ),
        ]
        for host, transport in hosts.items()
        if transport.is_mptcp
        for kept in [backups.get(host, ())]
    }


def _changes(settings: Host | None) -> bool:
    """Whether endpoints change while traffic runs: such a change names their ids."""
    return settings is not None and bool(settings.changes)


def _has_endpoints(settings: Host | None) -> bool:
    """Whether a host does not have the usual endpoints, one per path."""
    if settings is None:
        return False
    return settings.endpoints is not None or bool(settings.addresses)


def limits(settings: Host | None) -> tuple[int, int]:
    """The limits of a host's path manager: subflows, and announced addresses."""
    own = (settings.limits if settings else None) or Limits()
    subflows = SUBFLOW_LIMIT if own.subflows is None else own.subflows
    return subflows, own.add_addr_accepted or 0


def _limit_line(settings: Host | None) -> str:
    subflows, accepted = limits(settings)
    return f"mptcp limits set subflow {subflows} add_addr_accepted {accepted}"


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
