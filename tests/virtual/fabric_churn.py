"""Networks on the fabric that are made, used and taken down again; in the guest.

Each round makes four hosts, with two paths between any two, and lets every host send to
every other one over MPTCP, TCP and UDP. While packets are under way, the round ends in
one of the ways of `ENDS`. `artefacts/fabric_churn.json` has what was left over, and the
new lines of the kernel's log. Standard library only.
"""

import contextlib
import itertools
import json
import os
import socket
import sys
import time
from pathlib import Path

from mpbench.guest.network import LabNode, run_batch
from tests.virtual.churn import IPPROTO_MPTCP, messages
from tests.virtual.fabric_orders import links, order

HOSTS = 4
PORT = 7001
MARK = "churn of the fabric begins"
CHOICES = ("rotate", "hash", "random")
ENDS = ("order", "hosts", "device", "down", "captured")
"""Ends of a round: the order `end` first, the hosts first, a device that is deleted,
one that is set down, or the order while packets are captured."""
BUSY_S = 0.15
GATHER_NS = 3_000_000
SENT = bytes(8000)
QUIET_S = 70.0
"""Time that the kernel may take to let go of the last connections."""


class Round:
    """A network and its connections. number : of the round, from 0"""

    def __init__(self, number: int) -> None:
        self.number = number
        self.sockets: list[socket.socket] = []
        self.listeners: list[socket.socket] = []
        self.bytes = 0
        order("\n".join([*self._links(), ""]))
        self.nodes = [LabNode(f"h{number}_{host}") for host in range(HOSTS)]
        for host, node in enumerate(self.nodes):
            with node.namespace.entered():
                order(f"port eth0 {address(host)}")
            lines = [
                f"addr add {address(host)}/32 dev eth0",
                "link set dev eth0 up",
                "route add default dev eth0",
            ]
            run_batch(node, ["ip"], lines, Path("artefacts") / f"{node.name}.ip")
        order("\n".join([*self._paths(), ""]))
        if ENDS[number % len(ENDS)] == "captured":
            order(f"capture 0 link0 full artefacts/link0-{number}.pcap\n")

    def _links(self) -> list[str]:
        """Two links from each host to the middle, and two back; loss and jitter on
        some, RED, segments without data first or a capacity that changes on others. In
        every third network, segments without data have a link of their own. In every
        second one, hosts hand down whole segments."""
        found = [f"seed {self.number}", f"choose {CHOICES[self.number % 3]}"]
        if self.number % 2:
            found.append(f"offload {GATHER_NS}")
        for link in range(4 * HOSTS):
            loss, jitter_ns = (1 << 25, 500_000) if link % 3 == 0 else (0, 0)
            found.append(f"link {link} 20000000 2000000 30280 0 {loss} {jitter_ns}")
            if link % 4 == 0 and not jitter_ns:
                found.append(f"bare_first {link}")
            if link % 4 == 1:
                found.append(f"red {link} 5000 12000")
            if link % 4 == 2:
                found.append(f"rate {link} 0 50000000 0:20000000 20000000:1000000")
        if self.number % 3 == 2:
            direct = 4 * HOSTS
            found += [f"link {direct} 0 1000000 0 0 0 0", f"bare_over {direct}"]
        return found

    def _paths(self) -> list[str]:
        return [
            f"path {address(one)} {address(two)} {4 * one + way} {4 * two + 2 + way}"
            for one, two in itertools.permutations(range(HOSTS), 2)
            for way in (0, 1)
        ]

    def open(self) -> None:
        kinds = (
            (socket.SOCK_STREAM, IPPROTO_MPTCP),
            (socket.SOCK_STREAM, 0),
            (socket.SOCK_DGRAM, 0),
        )
        for host, node in enumerate(self.nodes):
            with node.namespace.entered():
                for number, (kind, protocol) in enumerate(kinds):
                    here = socket.socket(socket.AF_INET, kind, protocol)
                    here.setblocking(False)
                    here.bind((address(host), PORT + number))
                    if kind == socket.SOCK_STREAM:
                        here.listen(64)
                        self.listeners.append(here)
                    else:
                        self.sockets.append(here)
        for one, two in itertools.permutations(range(HOSTS), 2):
            with self.nodes[one].namespace.entered():
                for number, (kind, protocol) in enumerate(kinds):
                    here = socket.socket(socket.AF_INET, kind, protocol)
                    here.setblocking(False)
                    here.connect_ex((address(two), PORT + number))
                    self.sockets.append(here)

    def exchange(self, seconds: float) -> None:
        """Send on all connections, and read what comes."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for listener in self.listeners:
                with contextlib.suppress(OSError):
                    accepted, _ = listener.accept()
                    accepted.setblocking(False)
                    self.sockets.append(accepted)
            for each in self.sockets:
                with contextlib.suppress(OSError):
                    each.send(SENT)
                with contextlib.suppress(OSError):
                    self.bytes += len(each.recv(1 << 16))
            time.sleep(0.002)

    def end(self) -> None:
        how = ENDS[self.number % len(ENDS)]
        first = self.nodes[0]
        if how in ("device", "down"):
            words = "link del eth0" if how == "device" else "link set dev eth0 down"
            run_batch(
                first, ["ip"], [words], Path("artefacts") / f"{first.name}.end.ip"
            )
            self.exchange(BUSY_S)
        if how in ("order", "captured"):
            order("end")
            self.exchange(BUSY_S)
        if how == "hosts":
            # The namespace of a host goes with the last socket in it.
            self.close()
            for node in self.nodes:
                node.namespace.remove()
            time.sleep(BUSY_S)
        order("end")
        if how != "hosts":
            self.close()
            for node in self.nodes:
                node.namespace.remove()

    def close(self) -> None:
        for each in (*self.sockets, *self.listeners):
            each.close()


def address(host: int) -> str:
    return f"10.0.0.{host + 1}"


def namespaces() -> int:
    """Number of network namespaces in the kernel, of those with a name in /proc."""
    return len(list(Path("/run/netns").iterdir()))


def main(arguments: list[str]) -> int:
    rounds = int(arguments[0])
    log = os.open("/dev/kmsg", os.O_RDWR | os.O_NONBLOCK)
    os.lseek(log, 0, os.SEEK_END)
    os.write(log, f"<4>{MARK}\n".encode())
    moved = []
    for number in range(rounds):
        one = Round(number)
        one.open()
        one.exchange(BUSY_S)
        one.end()
        moved.append(one.bytes)
        print(f"round {number}: {one.bytes} bytes", file=sys.stderr, flush=True)
    time.sleep(QUIET_S)
    mark, *lines = messages(log)
    assert MARK in mark, "the kernel's log cannot be read"
    found = {
        "bytes": moved,
        "links": links(),
        "namespaces": namespaces(),
        "log": lines,
    }
    Path("artefacts/fabric_churn.json").write_text(json.dumps(found))
    return 0
