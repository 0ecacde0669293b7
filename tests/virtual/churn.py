"""Connections and subflows that come and go under coupled controllers; in the guest.

The job's `churn` says how: `controllers`, of which each connection takes one at random
and half of them another one on the way; `connections` at a time; `seconds`. Meanwhile
an address of the client is taken from the path manager and given back, the scheduler
and the number of subflows over the first address change, and some connections are
reset. Writes `artefacts/churn.json`: what was seen of
/proc/net/mptcp_coupled, first and last lines, and what the kernel's log got meanwhile.
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

PORT = 7001
IPPROTO_MPTCP = 262
BYTES = (2_000, 300_000)
PIECE = bytes(1 << 14)
ENDPOINT_S = 0.7
TURN_S = 0.05
SCHEDULERS = ("default", "lowrtt", "redundant", "roundrobin")
MARK = "churn begins"
QUIET_S = 300.0
"""How long connections may take to go after the last was closed."""
GIVE_UP = {"net.ipv4.tcp_retries2": 5, "net.ipv4.tcp_orphan_retries": 3}
"""A subflow whose other end is gone and does not say so would retransmit for a quarter
of an hour."""
RESET = struct.pack("ii", 1, 0)
COUNTS = re.compile(r"connections (\d+) subflows (\d+) refused (\d+)")


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    folder = Path("artefacts")
    _, network = build_network(job, folder, contextlib.ExitStack())
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
    """What the kernel said since; each with its level."""
    while True:
        try:
            head, text = os.read(log, 8192).decode(errors="replace").split(";", 1)
        except BlockingIOError:
            return
        yield f"<{int(head.split(',')[0]) & 7}> {text.strip()}"


def serve(server: LabNode) -> None:
    """Take connections, and all that comes over them."""
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
        for each in list(self.left):
            self.close(each, self.random.random() < 0.5)
        return {**self.seen, **self.settle(), "most_subflows": self.most}

    def open(self) -> None:
        with self.client.namespace.entered():
            one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        self.choose(one)
        self.client.write_sysctls(
            {
                "net.mptcp.scheduler": self.random.choice(self.schedulers),
                "net.mptcp.ndiffports": self.random.choice((0, 0, 3)),
                "net.mptcp.lowrtt_reinject": 1,
                "net.mptcp.lowrtt_penalise": 1,
                "net.mptcp.lowrtt_rule": self.random.choice((0, 1)),
            }
        )
        one.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            one.connect(("10.2.0.2", PORT))
        self.left[one] = self.random.randint(*BYTES)
        self.seen["opened"] += 1

    def choose(self, one: socket.socket) -> None:
        name = self.random.choice(self.controllers).encode()
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name)

    def feed(self) -> None:
        for one, left in list(self.left.items()):
            if left <= 0 or self.random.random() < 0.003:
                self.close(one, left > 0)
                continue
            if self.random.random() < 0.01:
                with contextlib.suppress(OSError):
                    self.choose(one)
                    self.seen["changed"] += 1
            try:
                while left > 0:
                    left -= one.send(PIECE[:left])
            except BlockingIOError:
                pass
            except OSError:
                self.close(one, False)
                self.seen["ended"] += 1
                continue
            self.left[one] = left

    def close(self, one: socket.socket, reset: bool) -> None:
        del self.left[one]
        if reset:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            self.seen["reset"] += 1
        one.close()

    def endpoint(self, given: bool) -> None:
        """Path 2's address: its subflows end when it is taken."""
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
        """What ss says of the sockets that did not go."""
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
