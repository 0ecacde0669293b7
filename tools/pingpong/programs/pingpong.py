"""Requests and answers in turn over one connection: a program by itself.

    python3 pingpong.py ask ADDRESS PORT SOURCE SETTINGS
    python3 pingpong.py answer PORT SETTINGS

SETTINGS is a JSON object, the same for both; `tools/pingpong/processes.py` makes it.
`ask` prints its report as JSON, and ends with status 1 if the connection failed. It is
never in a call that the kernel might not return from: sockets have a time limit, so
that Python polls them. `answer` goes on until it is told to end (SIGTERM), and so does
`ask` if it has not ended before. The exchange runs in a thread, and the main thread
waits for the signal: a handler in Python would miss one that comes just before a call
that waits.
"""

import contextlib
import importlib
import json
import os
import select
import socket
import sys
import time
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 18
CLOSE_S = 10.0
"""Time for the server to close after the client."""
"""The second one says that the work has ended."""
COMPLETE, GIVEN_UP, STOPPED, FAILED = "complete", "given up", "stopped", "failed"


class Asking:
    """The client, with what it has measured until now.

    times_ns : of each exchange, from before the first write of the request until the
        whole answer was read
    connected_s : time that connecting took; None if it has not succeeded
    seconds : from the connection until the end of the last exchange
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.times_ns = array("Q")
        self.connected_s: float | None = None
        self.seconds = 0.0
        self.outlet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.room = memoryview(bytearray(min(settings["answer"], READ_BYTES)))

    def connect(self, address: str, port: int, source: str) -> None:
        outlet, keepalive_s = self.outlet, self.settings["keepalive_s"]
        set_nodelay(outlet, self.settings)
        if keepalive_s is not None:
            outlet.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL):
                outlet.setsockopt(socket.IPPROTO_TCP, option, keepalive_s)
        outlet.settimeout(self.settings["timeout_s"])
        outlet.bind((source, 0))
        begun = time.monotonic()
        outlet.connect((address, port))
        self.connected_s = time.monotonic() - begun

    def exchange_all(self) -> None:
        """Exchange until the number is reached, or the time is over."""
        settings, duration_s = self.settings, self.settings["duration_s"]
        pieces = split(settings["request"], settings["writes"])
        begun_ns = now_ns = time.monotonic_ns()
        end_ns = None if duration_s is None else begun_ns + round(duration_s * 1e9)
        while end_ns is None or now_ns < end_ns:
            began_ns = time.monotonic_ns()
            for piece in pieces:
                self.outlet.sendall(piece)
            self.read_answer(began_ns)
            now_ns = time.monotonic_ns()
            self.times_ns.append(now_ns - began_ns)
            self.seconds = (now_ns - begun_ns) / 1e9
            if len(self.times_ns) >= settings["number"]:
                break
            if settings["think_s"]:
                think_s = settings["think_s"]
                if end_ns is not None:
                    think_s = min(think_s, (end_ns - now_ns) / 1e9)
                self.think(think_s)
                now_ns = time.monotonic_ns()

    def read_answer(self, began_ns: int) -> None:
        left, timeout_s = self.settings["answer"], self.settings["timeout_s"]
        whole = True
        while left:
            got = self.outlet.recv_into(self.room[:left])
            if not got:
                raise ConnectionError("the server closed the connection")
            left -= got
            if left:
                rest_s = timeout_s - (time.monotonic_ns() - began_ns) / 1e9
                if rest_s <= 0:
                    raise TimeoutError
                self.outlet.settimeout(rest_s)
                whole = False
        if not whole:
            self.outlet.settimeout(timeout_s)

    def think(self, seconds: float) -> None:
        """Wait, unless the connection ends meanwhile."""
        if seconds > 0 and select.select([self.outlet], [], [], seconds)[0]:
            got = self.outlet.recv(1)
            words = "the server answered twice" if got else "the server closed"
            raise ConnectionError(f"{words} between two requests")

    def close(self) -> None:
        """End the connection; the measurement is over, and faults do not count."""
        with contextlib.suppress(OSError):
            self.outlet.settimeout(CLOSE_S)
            self.outlet.shutdown(socket.SHUT_WR)
            while self.outlet.recv(READ_BYTES):
                pass

    def report(self, end: str, error: str) -> dict[str, object]:
        return {
            "end": end,
            "error": error,
            "connected_s": self.connected_s,
            "seconds": self.seconds,
            "times_ns": self.times_ns.tolist(),
        }


def set_nodelay(connection: socket.socket, settings: Mapping[str, Any]) -> None:
    value = int(settings["nodelay"])
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, value)


def split(size: int, parts: int) -> list[bytes]:
    """A message of zero bytes in parts that differ by a byte at most."""
    return [bytes(size * (n + 1) // parts - size * n // parts) for n in range(parts)]


def ask(argv: list[str]) -> int:
    address, port, source, text = argv
    Path("/proc/self/timerslack_ns").write_text("1")
    client, ended = Asking(json.loads(text)), [(FAILED, "a fault of this program")]

    def work() -> None:
        ended.insert(0, exchange(client, address, int(port), source))

    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    end, error = (STOPPED, "") if ending.told_to_end(work) else ended[0]
    print(json.dumps(client.report(end, error)), flush=True)
    if end == FAILED:
        print(error, file=sys.stderr)
    return int(end == FAILED)


def exchange(client: Asking, address: str, port: int, source: str) -> tuple[str, str]:
    """Do the whole of a client's work; how it ended, and with which error."""
    try:
        client.connect(address, port, source)
        client.exchange_all()
    except OSError as fault:
        # A time limit of the socket has no error number.
        if isinstance(fault, TimeoutError) and fault.errno is None:
            return GIVEN_UP, f"waited for {client.settings['timeout_s']:g} s"
        known = None if fault.errno is None else os.strerror(fault.errno)
        return FAILED, known or str(fault)
    client.close()
    return COMPLETE, ""


def answer(argv: list[str]) -> int:
    port, settings = int(argv[0]), json.loads(argv[1])
    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", port))
    listener.listen(1)
    counts: dict[str, object] = {"answered": 0, "error": ""}
    told = ending.told_to_end(lambda: serve(listener, settings, counts))
    print(json.dumps(counts))
    return int(not told)


def serve(
    listener: socket.socket, settings: Mapping[str, Any], counts: dict[str, Any]
) -> None:
    """Answer one connection after another, and count."""
    while True:
        inlet, _ = listener.accept()
        with inlet:
            set_nodelay(inlet, settings)
            try:
                while take(inlet, settings["request"]):
                    inlet.sendall(bytes(settings["answer"]))
                    counts["answered"] += 1
            except OSError as fault:
                counts["error"] = fault.strerror or str(fault)


def take(inlet: socket.socket, size: int) -> bool:
    """Read a whole request; False if the connection ended before."""
    room = memoryview(bytearray(min(size, READ_BYTES)))
    while size:
        got = inlet.recv_into(room[:size])
        if not got:
            return False
        size -= got
    return True


def main() -> int:
    what, *argv = sys.argv[1:]
    return {"ask": ask, "answer": answer}[what](argv)


if __name__ == "__main__":
    sys.exit(main())
