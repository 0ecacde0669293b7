"""Connections and subflows that start and end under coupled controllers; in the guest.

The job's `churn` has these keys:

controllers : each connection takes one of them at random, and chooses again later
connections : how many are open at a time
seconds : how long new connections are opened
schedulers : each connection takes one of them at random

Meanwhile the script removes and adds an address of the client, changes the number of
subflows over the first address, and resets some connections. `artefacts/churn.json`
then has the counts of `/proc/net/mptcp_coupled` and the new lines of the kernel's log.
"""

import contextlib
import json
import os
import random
import re
import selectors
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from mpbench.guest.main import build_network
from mpbench.guest.network import LabNode
from tests.virtual.records import record

PORT = 7001
IPPROTO_MPTCP = 262
BYTES = (2_000, 300_000)
PIECE = bytes(1 << 14)
ENDPOINT_S = 0.7
TURN_S = 0.05
SCHEDULERS = (
    *("default", "lowrtt", "paced", "redundant", "roundrobin"),
    *("blest", "ecf", "weighted", "daps", "otias", "stms"),
)
MARK = "churn begins"
QUIET_S = 300.0
"""Time that the kernel may take to free connections after the last was closed."""
GIVE_UP = {"net.ipv4.tcp_retries2": 5, "net.ipv4.tcp_orphan_retries": 3}
"""A subflow whose peer disappears without a RST or FIN would retransmit for a quarter
of an hour."""
RESET = struct.pack("ii", 1, 0)
COUNTS = re.compile(r"connections (\d+) subflows (\d+) refused (\d+)")


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    folder = Path("artefacts")
    _, network = build_network(record(job), folder, contextlib.ExitStack())
    client, server = (network.nodes[name] for name in ("client", "server"))
    log = os.open("/dev/kmsg", os.O_RDWR | os.O_NONBLOCK)
    os.lseek(log, 0, os.SEEK_END)
    os.write(log, f"<4>{MARK}\n".encode())
    client.write_sysctls(GIVE_UP)
    threading.Thread(target=serve, args=(server,), daemon=True).start()
    result = Churn(job["churn"], client, job["seed"]).run()
    mark, *result["log"] = messages(log)
    assert MARK in mark, "the kernel's log cannot be read"
    (folder / "churn.json").write_text(json.dumps(result))
    return 0


def messages(log: int) -> Any:
    """The new messages of the kernel, each with its level."""
    while True:
        try:
            head, text = os.read(log, 8192).decode(errors="replace").split(";", 1)
        except BlockingIOError:
            return
        yield f"<{int(head.split(',')[0]) & 7}> {text.strip()}"


def serve(server: LabNode) -> None:
    """Accept connections, and read all their data."""
    with server.namespace.entered():
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("10.2.0.2", PORT))
    listener.listen(1024)
    events = selectors.DefaultSelector()
    events.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in events.select():
            source = key.fileobj
            assert isinstance(source, socket.socket)
            if source is listener:
                events.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            with contextlib.suppress(OSError):
                if source.recv(1 << 20):
                    continue
            events.unregister(source)
            source.close()


class Churn:
    def __init__(self, wanted: dict[str, Any], client: LabNode, seed: int) -> None:
        self.controllers: list[str] = wanted["controllers"]
        self.count: int = wanted["connections"]
        self.seconds: float = wanted["seconds"]
        self.schedulers: list[str] = wanted.get("schedulers", SCHEDULERS)
        self.client = client
        self.random = random.Random(seed)
        self.left: dict[socket.socket, int] = {}
        self.seen: dict[str, int] = {"opened": 0, "reset": 0, "changed": 0, "ended": 0}
        self.most = 0
        self.lines: set[str] = set()

    def run(self) -> dict[str, Any]:
        end = time.monotonic() + self.seconds
        turn = time.monotonic() + ENDPOINT_S
        given = True
        while time.monotonic() < end:
            while len(self.left) < self.count:
                self.open()
            self.feed()
            self.look()
            if time.monotonic() > turn:
                turn += ENDPOINT_S
                given = not given
                self.endpoint(given)
            time.sleep(TURN_S)
        for connection in list(self.left):
            self.close(connection, self.random.random() < 0.5)
        return {**self.seen, **self.settle(), "most_subflows": self.most}

    def open(self) -> None:
        with self.client.namespace.entered():
            connection = socket.socket(
                socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP
            )
        self.choose(connection)
        self.client.write_sysctls(
            {
                "net.mptcp.scheduler": self.random.choice(self.schedulers),
                "net.mptcp.ndiffports": self.random.choice((0, 0, 3)),
                "net.mptcp.lowrtt_reinject": 1,
                "net.mptcp.lowrtt_penalise": 1,
                "net.mptcp.lowrtt_rule": self.random.choice((0, 1)),
                "net.mptcp.mpcc_variant": self.random.choice((0, 1)),
                "net.mptcp.mpcc_unit": self.random.choice((0, 1)),
                # At the default rate, all connections together would offer twenty times
                # what the paths carry, and close before their data has left.
                "net.mptcp.mpcc_first_rate_kbps": 200,
            }
        )
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            connection.connect(("10.2.0.2", PORT))
        self.left[connection] = self.random.randint(*BYTES)
        self.seen["opened"] += 1

    def choose(self, connection: socket.socket) -> None:
        name = self.random.choice(self.controllers).encode()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)

    def feed(self) -> None:
        for connection, left in list(self.left.items()):
            if left <= 0 or self.random.random() < 0.003:
                self.close(connection, left > 0)
                continue
            if self.random.random() < 0.01:
                with contextlib.suppress(OSError):
                    self.choose(connection)
                    self.seen["changed"] += 1
            try:
                while left > 0:
                    left -= connection.send(PIECE[:left])
            except BlockingIOError:
                pass
            except OSError:
                self.close(connection, False)
                self.seen["ended"] += 1
                continue
            self.left[connection] = left

    def close(self, connection: socket.socket, reset: bool) -> None:
        del self.left[connection]
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.seen["reset"] += 1
        connection.close()

    def endpoint(self, given: bool) -> None:
        """Add or remove path 2's address; removal ends its subflows."""
        words = ["add", "10.0.2.2", "dev", "client-eth2", "subflow"]
        words = words if given else ["delete", "id", "1"]
        if given:
            words += ["id", "1"]
        self.client.popen(
            ["ip", "mptcp", "endpoint", *words], stderr=subprocess.DEVNULL
        ).wait()

    def state(self) -> tuple[list[str], tuple[int, int, int]]:
        with self.client.namespace.entered():
            text = Path("/proc/thread-self/net/mptcp_coupled").read_text()
        match = COUNTS.match(text)
        assert match, text
        connections, subflows, refused = map(int, match.groups())
        return text.splitlines()[2:], (connections, subflows, refused)

    def look(self) -> None:
        lines, (_, subflows, _) = self.state()
        self.most = max(self.most, subflows)
        self.lines |= {line.split()[3] for line in lines}

    def left_over(self) -> str:
        """Output of ss about the sockets that are still there."""
        tables = [
            self.client.popen(
                ["ss", option, "-naeimo"], stdout=subprocess.PIPE
            ).communicate()[0]
            for option in ("-M", "-t")
        ]
        return b"".join(tables).decode(errors="replace")

    def settle(self) -> dict[str, Any]:
        end = time.monotonic() + QUIET_S
        while self.state()[1][0] and time.monotonic() < end:
            time.sleep(1)
        _, (connections, subflows, refused) = self.state()
        return {
            "controllers": sorted(self.lines),
            "connections": connections,
            "subflows": subflows,
            "refused": refused,
            "left": self.left_over() if connections else "",
        }
