"""Transfers whose bytes are compared with what was sent, over three bad paths.

Runs in a guest. The job's `transfers` is a list of dictionaries:

    name        what the report calls the transfer
    sysctls     of both hosts, set before the connection opens
    controller  congestion control of both ends
    direction   "up" (client to server), "down" or "both"
    way         how data is sent: "send", "mmap" or "sendfile"
    events      [seconds after the start, what, path], `what` one of EVENTS

Every transfer has fresh random data. The receiver compares each byte, so that a
difference is reported with its position. A transfer is over when both ends have read
the end of the stream and the kernel has no MPTCP socket left. Writes
`artefacts/integrity.json`: one record per transfer, the counters of both hosts, and
what the kernel logged.
"""

import json
import mmap
import os
import random
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mpbench.guest import snapshot
from mpbench.guest.network import LabNode, run_batch
from mpbench.guest.offloads import switch_off
from tests.virtual.churn import MARK, messages

PORT = 7001
IPPROTO_MPTCP = 262
SERVER = "10.9.0.2"
PATHS = (1, 2, 3)
QUIET_S = 60.0
"""A socket that makes no progress for so long has stalled."""
CLOSE_S = 120.0
"""Time that closed sockets may take to leave the kernel."""
SHAPES = {
    1: "delay 10ms reorder 3% 25% loss 1% rate 8mbit limit 60",
    2: "delay 40ms reorder 3% 25% loss 1% rate 4mbit limit 60",
    3: "delay 100ms reorder 3% 25% loss 1% rate 6mbit limit 60",
}
"""Impairments of each path by netem, in both directions."""
DARK = "loss 100%"
EVENTS = ("dark", "light", "remove", "add")
"""A path loses everything; is as before; the client's address is taken from the path
manager, which closes the subflow; is given back."""


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    folder = Path("artefacts")
    log = os.open("/dev/kmsg", os.O_RDWR | os.O_NONBLOCK)
    os.lseek(log, 0, os.SEEK_END)
    os.write(log, f"<4>{MARK}\n".encode())
    network = ThreePaths(folder)
    chance = random.Random(job["seed"])
    done = [Transfer(network, wanted, chance).run() for wanted in job["transfers"]]
    mark, *logged = messages(log)
    assert MARK in mark, "the kernel's log cannot be read"
    counters = {
        node.name: snapshot.counters(node) for node in (network.client, network.server)
    }
    result = {"transfers": done, "counters": counters, "log": logged}
    (folder / "integrity.json").write_text(json.dumps(result, indent=1))
    return 0


class ThreePaths:
    """A client with three addresses, a router that spoils all paths, a server."""

    def __init__(self, folder: Path) -> None:
        self.client = LabNode("client")
        self.router = LabNode("router")
        self.server = LabNode("server")
        self.folder = folder
        veths = [
            f"link add c{path} netns client type veth peer name r{path} netns router"
            for path in PATHS
        ]
        veths.append("link add s0 netns server type veth peer name r0 netns router")
        run_batch(self.client, ["ip"], veths, folder / "network.ip")
        self._configure(self.server, [("s0", SERVER)], "10.9.0.1")
        self._configure(
            self.client, [(f"c{path}", f"10.0.{path}.2") for path in PATHS], "10.0.1.1"
        )
        self._configure(
            self.router,
            [("r0", "10.9.0.1"), *((f"r{path}", f"10.0.{path}.1") for path in PATHS)],
            None,
        )
        self.router.write_sysctls({"net.ipv4.ip_forward": 1})
        rules = [
            line
            for path in PATHS
            for line in (
                f"route add default via 10.0.{path}.1 dev c{path} table {path}",
                f"rule add from 10.0.{path}.2 table {path}",
            )
        ]
        run_batch(self.client, ["ip"], rules, folder / "rules.ip")
        for node in (self.client, self.server):
            self._ip(node, "mptcp limits set subflow 8 add_addr_accepted 8")
        for path in PATHS[1:]:
            self._endpoint(path, "add")
        # Towards the server the path is known by the interface that a packet came
        # in on: one band of a prio queue for each.
        lines = ["qdisc add dev r0 root handle 1: prio bands 3"]
        for path in PATHS:
            lines += [
                f"qdisc add dev r{path} root netem {SHAPES[path]}",
                f"qdisc add dev r0 parent 1:{path} handle 1{path}: "
                f"netem {SHAPES[path]}",
                f"filter add dev r0 parent 1: protocol ip u32 match ip src "
                f"10.0.{path}.0/24 flowid 1:{path}",
            ]
        run_batch(self.router, ["tc"], lines, folder / "router.tc")

    def _configure(
        self, node: LabNode, addresses: list[tuple[str, str]], gateway: str | None
    ) -> None:
        lines = ["link set dev lo up"]
        for interface, address in addresses:
            lines += [
                f"addr add {address}/24 dev {interface}",
                f"link set dev {interface} up",
            ]
        if gateway:
            lines.append(f"route add default via {gateway}")
        run_batch(node, ["ip"], lines, self.folder / f"{node.name}.ip")
        with node.namespace.entered():
            switch_off([interface for interface, _ in addresses])

    def _ip(self, node: LabNode, words: str) -> None:
        node.popen(["ip", *words.split()], stderr=subprocess.DEVNULL).wait()

    def _endpoint(self, path: int, verb: str) -> None:
        where = "" if verb == "delete" else f"10.0.{path}.2 dev c{path} subflow"
        self._ip(self.client, f"mptcp endpoint {verb} {where} id {path}")

    def happen(self, what: str, path: int) -> None:
        """One of EVENTS."""
        if what in ("remove", "add"):
            self._endpoint(path, "delete" if what == "remove" else "add")
            return
        shape = DARK if what == "dark" else SHAPES[path]
        lines = [
            f"qdisc replace dev r{path} root netem {shape}",
            f"qdisc replace dev r0 parent 1:{path} handle 1{path}: netem {shape}",
        ]
        run_batch(self.router, ["tc"], lines, self.folder / "event.tc")

    def restore(self) -> None:
        """All paths and endpoints as at the start."""
        for path in PATHS:
            self.happen("light", path)
        for path in PATHS[1:]:
            self.happen("remove", path)
            self.happen("add", path)

    def sockets(self) -> int:
        """MPTCP sockets that the kernel has in both hosts."""
        total = 0
        for node in (self.client, self.server):
            with node.namespace.entered():
                text = Path("/proc/thread-self/net/protocols").read_text()
            for line in text.splitlines():
                words = line.split()
                if words[0] == "MPTCP":
                    total += int(words[2])
        return total


@dataclass
class End:
    """One end of a connection: what it sends and what it must receive."""

    name: str
    connection: socket.socket
    sends: bytes
    expects: bytes
    error: str = ""
    received: int = 0
    threads: list[threading.Thread] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def start(self, way: str, pause_s: float) -> None:
        self.connection.settimeout(QUIET_S)
        for work in (lambda: self._send(way), lambda: self._receive(pause_s)):
            thread = threading.Thread(target=self._guard, args=(work,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self.error = self.error or f"{self.name}: {error or type(error).__name__}"
            self.ended.set()

    def _send(self, way: str) -> None:
        if way == "send" and self.sends:
            self.connection.sendall(self.sends)
        elif self.sends:
            with tempfile.TemporaryFile(dir="/tmp") as file:
                file.write(self.sends)
                file.flush()
                file.seek(0)
                if way == "sendfile":
                    self.connection.sendfile(file)
                else:
                    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
                        self.connection.sendall(pages)
        else:
            # Once an end has finished sending, no further subflow joins.
            self.ended.wait(QUIET_S * 10)
        self.connection.shutdown(socket.SHUT_WR)

    def _receive(self, pause_s: float) -> None:
        while piece := self.connection.recv(1 << 15):
            wanted = self.expects[self.received : self.received + len(piece)]
            if piece != wanted:
                place = next(
                    (
                        n
                        for n, (a, b) in enumerate(zip(piece, wanted, strict=False))
                        if a != b
                    ),
                    len(wanted),
                )
                self.error = (
                    f"{self.name}: byte {self.received + place} of "
                    f"{len(self.expects)} is not what was sent"
                )
                self.ended.set()
                return
            self.received += len(piece)
            if pause_s:
                time.sleep(pause_s)
        self.ended.set()
        if self.received < len(self.expects):
            self.error = (
                f"{self.name}: the stream ended after {self.received} of "
                f"{len(self.expects)} bytes"
            )


class Transfer:
    def __init__(
        self, network: ThreePaths, wanted: dict[str, Any], chance: random.Random
    ) -> None:
        self.network = network
        self.wanted = wanted
        size = wanted["size"]
        direction = wanted["direction"]
        self.up = chance.randbytes(size if direction != "down" else 0)
        self.down = chance.randbytes(size if direction != "up" else 0)

    def run(self) -> dict[str, Any]:
        began = time.monotonic()
        for node in (self.network.client, self.network.server):
            node.write_sysctls(self.wanted["sysctls"])
        before = self._counters()
        client, server, listener = self._connect()
        ends = [
            End("client", client, self.up, self.down),
            End("server", server, self.down, self.up),
        ]
        for end in ends:
            end.start(self.wanted["way"], self.wanted.get("pause_s", 0.0))
        timers = [
            threading.Timer(after, self.network.happen, (what, path))
            for after, what, path in self.wanted["events"]
        ]
        for timer in timers:
            timer.daemon = True
            timer.start()
        for end in ends:
            for thread in end.threads:
                thread.join()
        took = time.monotonic() - began
        for timer in timers:
            timer.cancel()
            timer.join()
        for end in ends:
            end.connection.close()
        listener.close()
        error = "; ".join(end.error for end in ends if end.error)
        after = self._counters()
        self.network.restore()
        return {
            "name": self.wanted["name"],
            "error": error or self._close_error(),
            "seconds": round(took, 3),
            "received": sum(end.received for end in ends),
            "counters": {key: after[key] - before[key] for key in after},
        }

    def _connect(self) -> tuple[socket.socket, socket.socket, socket.socket]:
        """Client, server, and the listener: further subflows need it."""
        with self.network.server.namespace.entered():
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        with self.network.client.namespace.entered():
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        name = self.wanted["controller"].encode()
        for end in (listener, client):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((SERVER, PORT))
        listener.listen(1)
        client.settimeout(QUIET_S)
        client.connect((SERVER, PORT))
        server, _ = listener.accept()
        return client, server, listener

    def _close_error(self) -> str:
        end = time.monotonic() + CLOSE_S
        while left := self.network.sockets():
            if time.monotonic() > end:
                return f"{left} sockets were left {CLOSE_S:g} s after the close"
            time.sleep(0.5)
        return ""

    def _counters(self) -> dict[str, int]:
        """Counters that show that the transfer met the faults that it was to meet."""
        total = dict.fromkeys(COUNTERS, 0)
        for node in (self.network.client, self.network.server):
            counters = snapshot.counters(node)
            for name in COUNTERS:
                total[name] += counters.get(name, 0)
        return total


COUNTERS = (
    "MPTcpExtMPJoinSynAckRx",
    "MPTcpExtMPTCPRetrans",
    "MPTcpExtSubflowStale",
    "MPTcpExtRmSubflow",
    "MPTcpExtDSSNoMatchTCP",
    "MPTcpExtDataCsumErr",
    "TcpRetransSegs",
)
