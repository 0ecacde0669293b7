"""Sysctls of a kernel that lacks some of MPTCP's."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

from jobs import Transport
from jobs.ends import Change, Host
from mpbench.guest import transport
from mpbench.guest.network import LabNode
from topologies.wiring import Port

OLD = {"net.ipv4.tcp_congestion_control": "cubic", "net.mptcp.enabled": "1"}
NEW = {**OLD, "net.mptcp.scheduler": "lowrtt", "net.mptcp.path_manager": "kernel"}


class Node(LabNode):
    """A node whose sysctls are a dictionary."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
        self.written: dict[str, Any] = {}

    def read_sysctls(self, names: Sequence[str]) -> dict[str, str]:
        if any(name not in self.values for name in names):
            raise FileNotFoundError
        return {name: self.values[name] for name in names}

    def write_sysctls(
        self, values: Mapping[str, Any], absent: Collection[str] = ()
    ) -> None:
        self.written.update(values)
        self.absent = set(absent)


def test_what_an_old_kernel_uses() -> None:
    assert transport.read_back(Node(OLD)) == {
        "congestion_control": "cubic",
        "scheduler": "default",
        "path_manager": "kernel",
    }


def test_what_a_new_kernel_says() -> None:
    assert transport.read_back(Node(NEW))["scheduler"] == "lowrtt"


def test_no_value_is_made_up_for_what_every_kernel_has() -> None:
    with pytest.raises(FileNotFoundError):
        transport.read_back(Node({}))


@pytest.mark.parametrize(("scheduler", "written"), [("default", 0), ("lowrtt", 1)])
def test_only_another_scheduler_is_written(scheduler: str, written: int) -> None:
    node = Node(NEW)
    case = Transport(
        protocol="mptcp",
        congestion_control="cubic",
        scheduler=scheduler,
        path=None,
        path_manager="fullmesh",
        sysctls={},
    )
    transport.configure(node, case)
    assert ("net.mptcp.scheduler" in node.written) == bool(written)


@pytest.mark.parametrize(("protocol", "absent"), [("mptcp", 0), ("tcp", 1)])
def test_a_kernel_without_mptcp_is_enough_for_tcp(protocol: str, absent: int) -> None:
    node = Node(OLD)
    case = Transport(
        protocol=protocol,
        congestion_control="cubic",
        scheduler=None,
        path=None,
        path_manager=None,
        sysctls={},
    )
    transport.configure(node, case)
    assert ("net.mptcp.enabled" in node.absent) == bool(absent)


@pytest.mark.parametrize("changes", [(), (Change(at_s=1.0, link="path2", flags=()),)])
def test_endpoints_that_change_later_have_the_number_of_their_path(
    changes: tuple[Change, ...],
) -> None:
    """A change names an endpoint by its id; without one, the kernel chooses the ids."""
    case = Transport(
        protocol="mptcp",
        congestion_control="cubic",
        scheduler=None,
        path=None,
        path_manager="fullmesh",
        sysctls={},
    )
    ports = {"client": [Port(f"eth{n}", f"10.0.{n}.2") for n in (1, 2)]}
    own = {"client": Host(changes=changes)}
    lines = transport.endpoint_lines({"client": case}, ports, {}, (), own)["client"]
    number = " id 2" if changes else ""
    assert lines[1:] == [f"mptcp endpoint add 10.0.2.2{number} dev eth2 subflow"]
