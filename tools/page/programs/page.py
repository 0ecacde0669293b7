"""The load of a page over HTTP/1.1, and its server: a program by itself.

    python3 page.py load ADDRESS PORT SOURCE SETTINGS
    python3 page.py serve PORT

SETTINGS is a file with a JSON object; `tools/page/processes.py` makes it. `load` prints
its report as JSON. It keeps up to a number of connections per origin. As soon as a
connection is free, it takes the next object that can be requested, in the list's order.
`serve` answers `GET /N` with N bytes, on any number of connections, until it is told to
end (SIGTERM). Both work in a thread, and the main thread waits for the signal.
"""

import heapq
import importlib
import json
import os
import selectors
import socket
import sys
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 18
ZEROS = memoryview(bytes(READ_BYTES))
END_OF_HEAD = b"\r\n\r\n"
MOST_HEAD_BYTES = 1 << 16
"""The second one says that the work has ended."""
COMPLETE, GIVEN_UP, STOPPED, FAILED = "complete", "given up", "stopped", "failed"


class Connection:
    """A connection of the client to an origin.

    number : the object that it loads; None if it is free
    head : what has arrived of the head of the answer
    left : bytes of the body that are missing; None before the end of the head
    """

    def __init__(self, origin: int, outlet: socket.socket, now_ns: int) -> None:
        self.origin, self.outlet = origin, outlet
        self.opened_ns, self.connected_ns = now_ns, -1
        self.number: int | None = None
        self.head = b""
        self.left: int | None = None


class Loading:
    """The client, with the times of each object: when it could be requested, when it
    was, when its first byte came and its last; in ns after the beginning, -1 for not
    yet."""

    def __init__(
        self, settings: Mapping[str, Any], address: str, port: int, source: str
    ) -> None:
        self.settings, self.objects = settings, settings["objects"]
        self.server, self.source = (address, port), source
        self.times = [[-1, -1, -1, -1] for _ in self.objects]
        self.missing = [len(each["after"]) for each in self.objects]
        self.followers: list[list[int]] = [[] for _ in self.objects]
        for number, each in enumerate(self.objects):
            for before in each["after"]:
                self.followers[before].append(number)
        self.waiting: list[tuple[int, int]] = []
        origins = 1 + max(each["origin"] for each in self.objects)
        self.ready: list[deque[int]] = [deque() for _ in range(origins)]
        self.of_origin: list[list[Connection]] = [[] for _ in range(origins)]
        self.selector = selectors.DefaultSelector()
        self.room = memoryview(bytearray(READ_BYTES))
        self.done = 0
        self.begun_ns = time.monotonic_ns()

    def now(self) -> int:
        return time.monotonic_ns() - self.begun_ns

    def load(self) -> None:
        """Load all objects. Raises OSError, and TimeoutError after the time limit."""
        end_ns = round(self.settings["timeout_s"] * 1e9)
        for number, count in enumerate(self.missing):
            if not count:
                self.release(number)
        while self.done < len(self.objects):
            now_ns = self.now()
            while self.waiting and self.waiting[0][0] <= now_ns:
                at_ns, number = heapq.heappop(self.waiting)
                self.times[number][0] = at_ns
                self.ready[self.objects[number]["origin"]].append(number)
            for origin in range(len(self.ready)):
                self.employ(origin)
            if now_ns >= end_ns:
                raise TimeoutError
            next_ns = min([end_ns, *(at_ns for at_ns, _ in self.waiting[:1])])
            wait_s = max(0, next_ns - self.now()) / 1e9
            for key, _ in self.selector.select(wait_s):
                self.act(key.data)

    def release(self, number: int) -> None:
        """Let an object be requested, after the time that it waits by itself."""
        wait_ns = round(self.objects[number]["wait_s"] * 1e9)
        heapq.heappush(self.waiting, (self.now() + wait_ns, number))

    def employ(self, origin: int) -> None:
        """Give objects of an origin to its free connections, and open more."""
        ready, own = self.ready[origin], self.of_origin[origin]
        for each in own:
            if ready and each.connected_ns >= 0 and each.number is None:
                self.request(each, ready.popleft())
        coming = sum(each.connected_ns < 0 for each in own)
        for _ in range(min(len(ready) - coming, self.settings["most"] - len(own))):
            own.append(self.open(origin))

    def open(self, origin: int) -> Connection:
        outlet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        outlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        outlet.bind((self.source, 0))
        outlet.setblocking(False)
        made = Connection(origin, outlet, self.now())
        fault = outlet.connect_ex(self.server)
        if fault and fault != 115:  # EINPROGRESS
            raise OSError(fault, os.strerror(fault))
        self.selector.register(outlet, selectors.EVENT_WRITE, made)
        return made

    def request(self, one: Connection, number: int) -> None:
        one.number, one.head, one.left = number, b"", None
        text = (
            f"GET /{self.objects[number]['bytes']} HTTP/1.1\r\nHost: o{one.origin}\r\n"
        )
        fill = self.settings["request"] - len(text) - len("Cookie: \r\n\r\n")
        text += f"Cookie: {'x' * max(0, fill)}\r\n\r\n"
        self.times[number][1] = self.now()
        one.outlet.setblocking(True)  # a request is small
        one.outlet.sendall(text.encode())
        one.outlet.setblocking(False)

    def act(self, one: Connection) -> None:
        """Go on with a connection on which something has happened."""
        if one.connected_ns < 0:
            fault = one.outlet.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if fault:
                raise OSError(fault, os.strerror(fault))
            one.connected_ns = self.now()
            self.selector.modify(one.outlet, selectors.EVENT_READ, one)
            return
        try:
            got = one.outlet.recv_into(self.room)
        except BlockingIOError:
            return
        if not got or one.number is None:
            raise ConnectionError("the server closed a connection")
        times = self.times[one.number]
        if times[2] < 0:
            times[2] = self.now()
        if one.left is None:
            one.head += bytes(self.room[:got])
            head, found, body = one.head.partition(END_OF_HEAD)
            if not found:
                return
            one.left, got = length(head), len(body)
        one.left -= got
        if one.left <= 0:
            times[3] = self.now()
            self.finish(one.number)
            one.number = None

    def finish(self, number: int) -> None:
        self.done += 1
        for follower in self.followers[number]:
            self.missing[follower] -= 1
            if not self.missing[follower]:
                self.release(follower)

    def close(self) -> None:
        for own in self.of_origin:
            for each in own:
                each.outlet.close()

    def report(self, end: str, error: str) -> dict[str, object]:
        return {
            "end": end,
            "error": error,
            "seconds": self.now() / 1e9,
            "connections": [
                [each.origin, each.opened_ns, each.connected_ns]
                for own in self.of_origin
                for each in own
            ],
            "objects": self.times,
        }


def length(head: bytes) -> int:
    """The length of a body by the head of its answer."""
    status, *lines = head.decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
    if " 200" not in status or "content-length" not in fields:
        raise ConnectionError(f"the server answered {status[:60]!r}")
    return int(fields["content-length"])


def load(argv: list[str]) -> int:
    address, port, source, file = argv
    Path("/proc/self/timerslack_ns").write_text("1")
    settings = json.loads(Path(file).read_text())
    client = Loading(settings, address, int(port), source)
    ended = [(FAILED, "a fault of this program")]

    def work() -> None:
        try:
            client.load()
            ended.insert(0, (COMPLETE, ""))
        except TimeoutError as fault:
            if fault.errno is None:
                text = f"{client.done} of {len(client.objects)} objects"
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


class Answering:
    """A connection of the server. left : bytes of answers that are not yet written."""

    def __init__(self, inlet: socket.socket) -> None:
        self.inlet, self.asked, self.head, self.left = inlet, b"", b"", 0

    def read(self) -> bool:
        """Take requests; False if the connection has ended, or asks for nonsense."""
        got = self.inlet.recv(READ_BYTES)
        self.asked += got
        while not self.left and END_OF_HEAD in self.asked:
            text, _, self.asked = self.asked.partition(END_OF_HEAD)
            words = text.split(maxsplit=2)
            if len(words) < 3 or words[0] != b"GET" or not words[1][1:].isdigit():
                return False
            size = int(words[1][1:])
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size
            self.head, self.left = head, len(head) + size
        return bool(got) and len(self.asked) < MOST_HEAD_BYTES

    def write(self) -> None:
        """Write as much as the socket takes; the head goes with the body."""
        piece: memoryview | bytes = ZEROS[: min(self.left, READ_BYTES)]
        if self.head:
            piece = self.head + bytes(piece)[len(self.head) :]
        sent = self.inlet.send(piece)
        self.head = self.head[sent:]
        self.left -= sent


def serve(argv: list[str]) -> int:
    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", int(argv[0])))
    listener.listen(128)
    counts = {"accepted": 0}
    told = ending.told_to_end(lambda: answer_all(listener, counts))
    print(json.dumps(counts))
    return int(not told)


def answer_all(listener: socket.socket, counts: dict[str, int]) -> None:
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, ready in selector.select():
            if key.data is None:
                inlet, _ = listener.accept()
                inlet.setblocking(False)
                inlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(inlet, selectors.EVENT_READ, Answering(inlet))
                counts["accepted"] += 1
                continue
            one: Answering = key.data
            try:
                there = one.read() if ready & selectors.EVENT_READ else True
                if there and one.left:
                    one.write()
            except BlockingIOError:
                there = True
            except OSError:
                there = False
            if not there:
                selector.unregister(one.inlet)
                one.inlet.close()
                continue
            wanted = selectors.EVENT_WRITE if one.left else selectors.EVENT_READ
            selector.modify(one.inlet, wanted, one)


def main() -> int:
    what, *argv = sys.argv[1:]
    return {"load": load, "serve": serve}[what](argv)


if __name__ == "__main__":
    sys.exit(main())
