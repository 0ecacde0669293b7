"""A client that syncs files with a server, and the server: a program by itself.

    python3 sync.py copy ADDRESS PORT SOURCE SETTINGS
    python3 sync.py serve PORT

SETTINGS is a file with a JSON object; `tools/sync/processes.py` makes it. A file begins
with a head of nine bytes from the client: `G` to get it or `P` to put it, and its size.
The server sends a file that is got, and answers one byte when a file that is put is
there. `copy` opens all connections at first, and gives each the next file of the list
as soon as fewer than `ahead` of its files are under way. It prints its report as JSON.
`serve` goes on until it is told to end (SIGTERM). Both work in a thread, and the main
thread waits for the signal.
"""

import importlib
import json
import os
import selectors
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 18
ZEROS = memoryview(bytes(READ_BYTES))
HEAD = struct.Struct("!cQ")
GET, PUT, DONE = b"G", b"P", b"."
"""The second one says that the work has ended."""
COMPLETE, GIVEN_UP, STOPPED, FAILED = "complete", "given up", "stopped", "failed"
IN_PROGRESS = 115


class Connection:
    """A connection of the client.

    under_way : numbers of the files that it has begun, with the bytes that are missing
    out : numbers of the files that are to be written, with head and bytes that are left
    """

    def __init__(self, outlet: socket.socket, now_ns: int) -> None:
        self.outlet, self.opened_ns, self.connected_ns = outlet, now_ns, -1
        self.under_way: deque[list[int]] = deque()
        self.out: deque[tuple[int, bytes, int]] = deque()


class Copying:
    """The client, with the times of each file: when it was begun, when its first byte
    came or went, and when it was done; in ns after the beginning, -1 for not yet."""

    def __init__(
        self, settings: Mapping[str, Any], address: str, port: int, source: str
    ) -> None:
        self.settings, self.sizes = settings, settings["sizes"]
        self.server, self.source = (address, port), source
        self.times = [[-1, -1, -1] for _ in self.sizes]
        self.following = 0
        self.done = 0
        self.all: list[Connection] = []
        self.selector = selectors.DefaultSelector()
        self.room = memoryview(bytearray(READ_BYTES))
        self.begun_ns = time.monotonic_ns()

    def now(self) -> int:
        return time.monotonic_ns() - self.begun_ns

    def copy(self) -> None:
        """Copy all files. Raises OSError, and TimeoutError after the time limit."""
        end_ns = round(self.settings["timeout_s"] * 1e9)
        for _ in range(min(self.settings["connections"], len(self.sizes))):
            self.all.append(self.open())
        while self.done < len(self.sizes):
            left_ns = end_ns - self.now()
            if left_ns <= 0:
                raise TimeoutError
            for key, ready in self.selector.select(left_ns / 1e9):
                self.act(key.data, ready)

    def open(self) -> Connection:
        outlet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        outlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        outlet.bind((self.source, 0))
        outlet.setblocking(False)
        made = Connection(outlet, self.now())
        fault = outlet.connect_ex(self.server)
        if fault and fault != IN_PROGRESS:
            raise OSError(fault, os.strerror(fault))
        self.selector.register(outlet, selectors.EVENT_WRITE, made)
        return made

    def act(self, one: Connection, ready: int) -> None:
        """Go on with a connection on which something can be done."""
        if one.connected_ns < 0:
            fault = one.outlet.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if fault:
                raise OSError(fault, os.strerror(fault))
            one.connected_ns = self.now()
        try:
            if ready & selectors.EVENT_READ:
                self.read(one)
        except BlockingIOError:
            pass
        self.begin(one)
        try:
            while one.out:
                self.write(one)
        except BlockingIOError:
            pass
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if one.out else 0)
        self.selector.modify(one.outlet, wanted, one)

    def begin(self, one: Connection) -> None:
        """Begin the next files of the list, as many as may be under way."""
        ahead, get = self.settings["ahead"], self.settings["get"]
        while len(one.under_way) < ahead and self.following < len(self.sizes):
            number, self.following = self.following, self.following + 1
            size = self.sizes[number]
            self.times[number][0] = self.now()
            one.under_way.append([number, size if get else len(DONE)])
            head = HEAD.pack(GET if get else PUT, size)
            one.out.append((number, head, 0 if get else size))

    def write(self, one: Connection) -> None:
        """Write as much of the next file as the socket takes; its head goes with it."""
        number, head, left = one.out[0]
        piece: memoryview | bytes = ZEROS[: min(left, READ_BYTES)]
        sent = one.outlet.send(head + bytes(piece) if head else piece)
        if not self.settings["get"] and self.times[number][1] < 0:
            self.times[number][1] = self.now()
        of_head = min(sent, len(head))
        head, left = head[of_head:], left - (sent - of_head)
        if head or left:
            one.out[0] = (number, head, left)
        else:
            one.out.popleft()

    def read(self, one: Connection) -> None:
        """Read what has arrived, and note what is done."""
        got = one.outlet.recv_into(self.room)
        if not got:
            raise ConnectionError("the server closed a connection")
        now_ns = self.now()
        while got:
            if not one.under_way:
                raise ConnectionError("the server sent more than it was asked for")
            number, missing = one.under_way[0]
            if self.settings["get"] and self.times[number][1] < 0:
                self.times[number][1] = now_ns
            taken = min(got, missing)
            got -= taken
            one.under_way[0][1] -= taken
            if taken == missing:
                one.under_way.popleft()
                self.times[number][2] = now_ns
                self.done += 1

    def close(self) -> None:
        for each in self.all:
            each.outlet.close()

    def report(self, end: str, error: str) -> dict[str, object]:
        return {
            "end": end,
            "error": error,
            "seconds": self.now() / 1e9,
            "connections": [[each.opened_ns, each.connected_ns] for each in self.all],
            "files": self.times,
        }


def copy(argv: list[str]) -> int:
    address, port, source, file = argv
    Path("/proc/self/timerslack_ns").write_text("1")
    settings = json.loads(Path(file).read_text())
    client = Copying(settings, address, int(port), source)
    ended = [(FAILED, "a fault of this program")]

    def work() -> None:
        try:
            client.copy()
            ended.insert(0, (COMPLETE, ""))
        except TimeoutError as fault:
            if fault.errno is None:
                text = f"{client.done} of {len(client.sizes)} files"
                text += f" in {settings['timeout_s']:g} s"
                ended.insert(0, (GIVEN_UP, text))
            else:
                ended.insert(0, (FAILED, os.strerror(fault.errno)))
        except OSError as fault:
            ended.insert(0, (FAILED, fault.strerror or str(fault)))

    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    end, error = (STOPPED, "") if ending.told_to_end(work) else ended[0]
    report = client.report(end, error)
    client.close()
    print(json.dumps(report), flush=True)
    if end == FAILED:
        print(error, file=sys.stderr)
    return int(end == FAILED)


class Serving:
    """A connection of the server.

    heads : what has arrived of heads that are not yet whole
    missing : bytes of a file that is put which are to come; None between files
    replies, left : bytes to answer, and bytes of files to send after them
    """

    def __init__(self, inlet: socket.socket) -> None:
        self.inlet, self.heads = inlet, b""
        self.missing: int | None = None
        self.out: deque[list[Any]] = deque()

    def read(self) -> bool:
        """Take heads and files; False at the end of the connection, or for nonsense."""
        got = self.inlet.recv(READ_BYTES)
        if not got:
            return False
        data = self.heads + got
        self.heads = b""
        while data:
            if self.missing is not None:
                taken = min(len(data), self.missing)
                self.missing -= taken
                data = data[taken:]
                if not self.missing:
                    self.missing = None
                    self.out.append([DONE, 0])
                continue
            if len(data) < HEAD.size:
                self.heads, data = data, b""
                continue
            what, size = HEAD.unpack(data[: HEAD.size])
            data = data[HEAD.size :]
            if what not in (GET, PUT) or not size:
                return False
            if what == GET:
                self.out.append([b"", size])
            else:
                self.missing = size
        return True

    def write(self) -> None:
        """Write as much as the socket takes."""
        while self.out:
            reply, left = self.out[0]
            piece: memoryview | bytes = reply or ZEROS[: min(left, READ_BYTES)]
            sent = self.inlet.send(piece)
            if reply:
                self.out[0][0] = reply[sent:]
            else:
                self.out[0][1] = left - sent
            if not self.out[0][0] and not self.out[0][1]:
                self.out.popleft()


def serve(argv: list[str]) -> int:
    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", int(argv[0])))
    listener.listen(128)
    counts = {"accepted": 0}
    told = ending.told_to_end(lambda: serve_all(listener, counts))
    print(json.dumps(counts))
    return int(not told)


def serve_all(listener: socket.socket, counts: dict[str, int]) -> None:
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, ready in selector.select():
            if key.data is None:
                inlet, _ = listener.accept()
                inlet.setblocking(False)
                inlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(inlet, selectors.EVENT_READ, Serving(inlet))
                counts["accepted"] += 1
                continue
            one: Serving = key.data
            try:
                there = one.read() if ready & selectors.EVENT_READ else True
                if there:
                    one.write()
            except BlockingIOError:
                there = True
            except OSError:
                there = False
            if not there:
                selector.unregister(one.inlet)
                one.inlet.close()
                continue
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if one.out else 0)
            selector.modify(one.inlet, wanted, one)


def main() -> int:
    what, *argv = sys.argv[1:]
    return {"copy": copy, "serve": serve}[what](argv)


if __name__ == "__main__":
    sys.exit(main())
