"""A job may set sysctls of the network; no other name reaches a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs import sysctls
from mpbench.guest.namespaces import Namespace
from mpbench.guest.network import LabNode

HARMFUL = [
    "/usr/bin/iperf3",
    "kernel.core_pattern",
    "net/../kernel/core_pattern",
    "net..",
    "net.",
    "net",
    "net.ipv4.tcp_sack\n",
    "",
]


class OwnNamespace(Namespace):
    """The namespace that this process is in anyway."""

    def __init__(self) -> None:
        pass

    @contextmanager
    def entered(self) -> Iterator[None]:
        yield


@pytest.mark.parametrize("name", HARMFUL)
def test_a_name_outside_the_network_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a network sysctl"):
        sysctls.path(name)


def test_a_node_writes_none_of_its_sysctls_if_one_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "iperf3"
    program.write_text("program")
    node = LabNode.__new__(LabNode)
    node.name = "client"
    node.namespace = OwnNamespace()
    with pytest.raises(ValueError, match="not a network sysctl"):
        node.write_sysctls({str(program): "overwritten"})
    assert program.read_text() == "program"


def test_a_network_sysctl_is_a_file_below_proc_sys_net() -> None:
    assert sysctls.path("net.ipv4.tcp_sack") == "/proc/sys/net/ipv4/tcp_sack"
