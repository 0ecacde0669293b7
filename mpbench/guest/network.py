"""Build a Mininet topology in batches.

Mininet configures a link with a dozen shell commands, each of which takes a guest a few
milliseconds. The nodes, links and interfaces here are subclasses of Mininet's own. They
gather their configuration and hand it to one `ip -batch` for the network, and to one
`ip -batch` and one `tc -batch` per node. The batches are kept in the run's artefacts.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mininet.link import Intf, Link
from mininet.node import Node
from mininet.topo import Topo

from jobs import sysctls
from mpbench.guest import files
from mpbench.guest.namespaces import Namespace
from mpbench.guest.offloads import switch_off

IPV6 = Path("/proc/sys/net/ipv6")
"""Missing in a kernel without IPv6, such as the guest's."""


class NetworkError(Exception):
    """A command that configures the network failed."""


class LabNode(Node):
    """A Mininet node: a network namespace, and a shell if `open_shell` adds one."""

    def startShell(self, mnopts: str | None = None) -> None:
        self.namespace = Namespace(self.name)
        self.ip_batch: list[str] = []
        self.tc_batch: list[str] = []
        self.interfaces: list[str] = []
        self.holder: subprocess.Popen[bytes] | None = None

    def open_shell(self) -> None:
        """Start the shell that Mininet's command line talks to."""
        if self.shell is None:
            self.holder = self.popen(["sleep", "infinity"])
            with self.namespace.entered():
                self.inNamespace = False
                super().startShell()
                self.inNamespace = True
            self.pid = self.holder.pid

    def popen(
        self, argv: Sequence[str] | str, *more: str, **options: Any
    ) -> "subprocess.Popen[bytes]":
        """Start a process in this node, from a list or, like Mininet, from words."""
        words = " ".join((argv, *more)).split() if isinstance(argv, str) else list(argv)
        with self.namespace.entered():
            return subprocess.Popen(words, **options)

    def write_sysctls(
        self, values: Mapping[str, str | int], absent: Collection[str] = ()
    ) -> None:
        """Set the node's sysctls, named with dots (`net.ipv4.ip_forward`).

        absent : those that the kernel may lack

        Raises ValueError for a name outside `net.`, before anything is written.
        """
        paths = {name: sysctls.path(name) for name in values}
        with self.namespace.entered():
            for name, value in values.items():
                try:
                    files.write(paths[name], str(value))
                except OSError as error:
                    if name in absent and isinstance(error, FileNotFoundError):
                        continue
                    raise NetworkError(
                        f"{self.name}: sysctl {name} cannot be {value!r} in this "
                        f"kernel: {error.strerror}"
                    ) from error

    def read_sysctls(self, names: Sequence[str]) -> dict[str, str]:
        with self.namespace.entered():
            return {name: files.read(sysctls.path(name)).strip() for name in names}

    def terminate(self) -> None:
        if self.holder:
            self.holder.kill()
            self.holder.wait()
        if self.shell:
            os.killpg(self.shell.pid, signal.SIGHUP)
            self.cleanup()
        self.namespace.remove()


class Nodes(Protocol):
    """A network, as far as processes are started in it."""

    nodes: dict[str, LabNode]


class LabInterface(Intf):
    """One end of a link. Its node's batch holds its configuration."""

    def config(self, **parameters: Any) -> dict[str, str]:
        address, shape = parameters.get("ip"), parameters.get("shape")
        node = self.node
        node.interfaces.append(self.name)
        if address:
            self.ip, self.prefixLen = address.split("/")
            node.ip_batch.append(f"addr add {address} dev {self.name}")
        node.ip_batch.append(f"link set dev {self.name} up")
        if shape:
            node.tc_batch += shape.tc_commands(self.name)
        return {}

    def updateIP(self) -> str | None:
        """The configured address; Mininet would ask `ifconfig` for it."""
        address: str | None = self.ip
        return address


class LabNetwork:
    """The nodes and links of a topology.

    topology : mininet.topo.Topo. Its nodes may have `router`, `offloads` and
        `configuration` (lines for `ip -batch`). The ends of its links may have `ip`
        and `shape`
    log : the folder that keeps the batches
    more : further lines for `ip -batch`, by node
    """

    def __init__(
        self, topology: Topo, log: Path, more: Mapping[str, Sequence[str]]
    ) -> None:
        self.topology = topology
        self.log = log
        self.more = more
        self.nodes: dict[str, LabNode] = {}
        self.links: list[Link] = []

    def build(self, undo: contextlib.ExitStack) -> None:
        """Build the network. `undo` gets the calls that take it down again.

        Raises NetworkError, with the tool's own words, if a step fails.
        """
        for name in self.topology.hosts():
            self.nodes[name] = LabNode(name)
            undo.callback(self.nodes[name].terminate)
        veths = list(self._add_links())
        first = next(iter(self.nodes.values()))
        run_batch(first, ["ip"], veths, self.log / "network.ip")
        for node in self.nodes.values():
            self._configure(node)

    def _add_links(self) -> Iterator[str]:
        self._neighbours: dict[str, list[str]] = {name: [] for name in self.nodes}
        links = self.topology.links(withInfo=True)
        for number, (one, two, options) in enumerate(links, start=1):
            options = {
                key: options[key]
                for key in ("intfName1", "intfName2", "params1", "params2")
            }
            macs = [_mac(number, end) for end in (1, 2)]
            link = LabLink(self.nodes[one], self.nodes[two], LabInterface, options)
            self.links.append(link)
            yield (
                f"link add {link.intf1.name} address {macs[0]} netns {one} "
                f"type veth peer name {link.intf2.name} address {macs[1]} netns {two}"
            )
            ends = (link.intf1, link.intf2)
            for here, there, mac in zip(ends, ends[::-1], macs[::-1], strict=True):
                if there.ip:
                    self._neighbours[here.node.name].append(
                        f"neigh add {there.ip} lladdr {mac} dev {here.name}"
                    )

    def neighbours(self, node: str, interface: str) -> list[str]:
        """The lines for `ip -batch` with the neighbours at an interface of a node."""
        lines = self._neighbours[node]
        return [line for line in lines if line.endswith(f" dev {interface}")]

    def _configure(self, node: LabNode) -> None:
        information = self.topology.nodeInfo(node.name)
        quiet: dict[str, str | int] = {}
        if IPV6.exists():
            quiet["net.ipv6.conf.all.disable_ipv6"] = 1
        if information.get("router"):
            quiet["net.ipv4.ip_forward"] = 1
        node.write_sysctls(quiet)
        if not information.get("offloads"):
            with node.namespace.entered():
                switch_off(node.interfaces)
        lines = [
            "link set dev lo up",
            *node.ip_batch,
            *self._neighbours[node.name],
            *information.get("configuration", []),
            *self.more.get(node.name, []),
        ]
        run_batch(node, ["ip"], lines, self.log / f"{node.name}.ip")
        if node.tc_batch:
            run_batch(node, ["tc"], node.tc_batch, self.log / f"{node.name}.tc")


def _mac(wire: int, end: int) -> str:
    """The address of an end of a wire. wire : its number, of up to three bytes"""
    high, middle, low = wire.to_bytes(3, "big")
    return f"02:00:{high:02x}:{middle:02x}:{low:02x}:{end:02x}"


class LabLink(Link):
    """A veth pair. The network makes all pairs in one batch."""

    def __init__(
        self, one: LabNode, two: LabNode, interface: type[Intf], options: Any
    ) -> None:
        super().__init__(one, two, intf=interface, **options)

    @classmethod
    def makeIntfPair(cls, *_arguments: Any, **_options: Any) -> None:
        return None


def run_batch(node: LabNode, tool: list[str], lines: list[str], log: Path) -> None:
    """Run lines with `ip -batch` or `tc -batch` in a node."""
    descriptor = os.open(log, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        files.write_all(descriptor, "".join(f"{line}\n" for line in lines))
        os.lseek(descriptor, 0, os.SEEK_SET)
        argv = [*tool, "-batch", "-"]
        status, output = run(node, argv, stdin=descriptor, stderr=subprocess.STDOUT)
    finally:
        os.close(descriptor)
    if status:
        words = " ".join(output.decode(errors="replace").split())
        raise NetworkError(f"{node.name}: {tool[0]} -batch {log.name}: {words}")


def run(node: LabNode, argv: list[str], **options: Any) -> tuple[int, bytes]:
    """Run a tool in a node; its exit status and its output.

    options : of `Popen`, whose own pipes need more system calls (see `files`)
    """
    reading, writing = os.pipe()
    try:
        try:
            process = node.popen(argv, stdout=writing, **options)
        finally:
            os.close(writing)
        output = files.read_all(reading)
    finally:
        os.close(reading)
    return process.wait(), output
