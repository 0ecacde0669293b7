"""The kernel's transport settings, as a case asks for them."""

from collections.abc import Callable, Mapping
from typing import Any

from mpbench.guest.network import LabNetwork, LabNode

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
"""Buffers that do not limit, as in the thesis (3.3.1, "well-sized")."""
SUBFLOW_LIMIT = 8
ONLY_CHOICE = {"net.mptcp.scheduler": "default", "net.mptcp.path_manager": "kernel"}
"""What a new namespace has, and what a kernel without these sysctls (before 6.6
and 6.16) does; a native run may meet one."""


def configure(
    network: LabNetwork, hosts: tuple[str, ...], transport: Mapping[str, Any]
) -> None:
    """Set congestion control, scheduler and any other sysctl on the end hosts."""
    values = dict(DEFAULTS)
    values["net.ipv4.tcp_congestion_control"] = transport["congestion_control"]
    mptcp = transport["protocol"] == "mptcp"
    if mptcp and transport["scheduler"] != ONLY_CHOICE["net.mptcp.scheduler"]:
        values["net.mptcp.scheduler"] = transport["scheduler"]
    values.update(transport.get("sysctls") or {})
    for host in hosts:
        network.nodes[host].write_sysctls(values)


def opened_paths(transport: Mapping[str, Any], paths: int) -> int:
    """How many paths get a subflow by their addresses; `ndiffports` needs only the
    first, over which the kernel itself opens several.
    """
    return 1 if transport["path_manager"] == "ndiffports" else paths


def endpoint_lines(
    hosts: tuple[str, ...],
    paths: int,
    address: Callable[[str, int | None], str],
) -> dict[str, list[str]]:
    """Lines for `ip -batch` on each host that tell the in-kernel path manager to
    open a subflow from every address of the client, and the server to accept them.
    """
    limit = f"mptcp limits set subflow {SUBFLOW_LIMIT} add_addr_accepted 0"
    client = hosts[0]
    endpoints = [
        f"mptcp endpoint add {address(client, path)} dev {client}-eth{path} subflow"
        for path in range(2, paths + 1)
    ]
    return {host: [limit, *(endpoints if host == client else [])] for host in hosts}


def read_back(node: LabNode) -> dict[str, str]:
    """What the kernel says that it uses now."""
    return {name: _read(node, sysctl) for name, sysctl in READ_BACK.items()}


def _read(node: LabNode, sysctl: str) -> str:
    try:
        return node.read_sysctls([sysctl])[sysctl]
    except FileNotFoundError:
        if sysctl in ONLY_CHOICE:
            return ONLY_CHOICE[sysctl]
        raise
