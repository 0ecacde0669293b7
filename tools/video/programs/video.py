"""A player of adaptive video over one connection, and its server.

    python3 video.py play ADDRESS PORT SOURCE SETTINGS
    python3 video.py serve PORT

SETTINGS is a JSON object; `tools/video/processes.py` makes it. The player asks for one
chunk after another over HTTP/1.1, and prints its report as JSON. Its buffer runs on
paper: it drains in time while the video plays. `serve` answers `GET /N` with N bytes
until it is told to end (SIGTERM). Both work in a thread, and the main thread waits for
the signal.
"""

import importlib
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 18
END_OF_HEAD = b"\r\n\r\n"
"""The second one says that the work has ended."""
COMPLETE, GIVEN_UP, STOPPED, FAILED = "complete", "given up", "stopped", "failed"


class Buffer:
    """Seconds of video that are there, at the time `at_ns`.

    start_ns : when playing began; None before that
    stalls : beginning and end of each time without video, in ns
    """

    def __init__(self, resume_s: float) -> None:
        self.resume_s = resume_s
        self.level_s, self.at_ns = 0.0, 0
        self.start_ns: int | None = None
        self.stalls: list[list[int]] = []
        self.playing = False

    def drain(self, now_ns: int) -> None:
        """Play until now, and stall when nothing is left."""
        if self.playing:
            left_s = self.level_s - (now_ns - self.at_ns) / 1e9
            if left_s < 0:
                self.stalls.append([round(now_ns + left_s * 1e9), -1])
                self.playing = False
            self.level_s = max(0.0, left_s)
        self.at_ns = now_ns

    def add(self, seconds: float, now_ns: int, last: bool) -> None:
        """Put a chunk in, and play if there is enough or no more will come."""
        self.drain(now_ns)
        self.level_s += seconds
        if not self.playing and (last or self.level_s >= self.resume_s - 1e-9):
            self.playing = True
            if self.start_ns is None:
                self.start_ns = now_ns
            else:
                self.stalls[-1][1] = now_ns


class Player:
    """chunks : bitrate's number, when it was asked for and when it was there in ns, and
    the buffer's level before and after it in s"""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.chunks: list[list[float]] = []
        self.connected_ns = -1
        self.buffer = Buffer(settings["resume_s"])
        self.outlet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.room = memoryview(bytearray(READ_BYTES))
        self.begun_ns = time.monotonic_ns()

    def now(self) -> int:
        return time.monotonic_ns() - self.begun_ns

    def play(self, address: str, port: int, source: str) -> None:
        """Load all chunks. Raises OSError; TimeoutError if a chunk takes too long."""
        settings, buffer = self.settings, self.buffer
        chunk_s, rates = settings["chunk_s"], settings["rates_mbps"]
        self.outlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.outlet.settimeout(settings["timeout_s"])
        self.outlet.bind((source, 0))
        self.outlet.connect((address, port))
        self.connected_ns = self.now()
        seen: list[float] = []
        number = 0
        for index in range(settings["chunks"]):
            wait_s = buffer.level_s + chunk_s - settings["buffer_s"]
            if buffer.playing and wait_s > 0:
                time.sleep(wait_s)
            asked_ns = self.now()
            buffer.drain(asked_ns)
            before_s = buffer.level_s
            number = self.choose(number, before_s, seen)
            size = round(rates[number] * 1e6 * chunk_s / 8)
            self.load(size)
            end_ns = self.now()
            seen.append(8e3 * size / max(1, end_ns - asked_ns))
            buffer.add(chunk_s, end_ns, index == settings["chunks"] - 1)
            self.chunks.append([number, asked_ns, end_ns, before_s, buffer.level_s])
        time.sleep(buffer.level_s)

    def choose(self, before: int, level_s: float, seen: list[float]) -> int:
        rules = importlib.import_module("rules")  # lies beside this file
        settings = self.settings
        rates = settings["rates_mbps"]
        if settings["rule"] == "rate":
            return int(rules.rate_based(rates, seen))
        most_s = settings["buffer_s"] - settings["chunk_s"]
        return int(rules.buffer_based(rates, before, level_s, most_s))

    def load(self, size: int) -> None:
        self.outlet.sendall(f"GET /{size} HTTP/1.1\r\nHost: video\r\n\r\n".encode())
        end_s = time.monotonic() + self.settings["timeout_s"]
        head, left = b"", -1
        while left:
            rest_s = end_s - time.monotonic()
            if rest_s <= 0:
                raise TimeoutError
            self.outlet.settimeout(rest_s)
            got = self.outlet.recv_into(self.room)
            if not got:
                raise ConnectionError("the server closed the connection")
            if left < 0:
                head += bytes(self.room[:got])
                _, found, body = head.partition(END_OF_HEAD)
                if not found:
                    continue
                left, got = size, len(body)
            left -= got

    def report(self, end: str, error: str) -> dict[str, object]:
        buffer = self.buffer
        return {
            "end": end,
            "error": error,
            "seconds": self.now() / 1e9,
            "connected_ns": self.connected_ns,
            "start_ns": -1 if buffer.start_ns is None else buffer.start_ns,
            "stalls": buffer.stalls,
            "chunks": self.chunks,
        }


def play(argv: list[str]) -> int:
    address, port, source, text = argv
    Path("/proc/self/timerslack_ns").write_text("1")
    client, ended = Player(json.loads(text)), [(FAILED, "a fault of this program")]

    def work() -> None:
        try:
            client.play(address, int(port), source)
            ended.insert(0, (COMPLETE, ""))
        except OSError as fault:
            # A time limit of the socket has no error number.
            if isinstance(fault, TimeoutError) and fault.errno is None:
                words = f"waited for {client.settings['timeout_s']:g} s"
                ended.insert(0, (GIVEN_UP, words))
            else:
                known = None if fault.errno is None else os.strerror(fault.errno)
                ended.insert(0, (FAILED, known or str(fault)))

    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    end, error = (STOPPED, "") if ending.told_to_end(work) else ended[0]
    print(json.dumps(client.report(end, error)), flush=True)
    if end == FAILED:
        print(error, file=sys.stderr)
    return int(end == FAILED)


def serve(argv: list[str]) -> int:
    ending = importlib.import_module("ending")  # lies beside this file
    ending.block()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", int(argv[0])))
    listener.listen(1)
    counts = {"answered": 0}
    told = ending.told_to_end(lambda: answer_all(listener, counts))
    print(json.dumps(counts))
    return int(not told)


def answer_all(listener: socket.socket, counts: dict[str, int]) -> None:
    """Serve one connection after another."""
    zeros = memoryview(bytes(READ_BYTES))
    while True:
        inlet, _ = listener.accept()
        with inlet, inlet.makefile("rb") as lines:
            inlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while line := lines.readline(1000):
                    if line.startswith(b"GET /"):
                        size = int(line.split()[1][1:])
                    if line != b"\r\n":
                        continue
                    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size
                    inlet.sendall(head)
                    while size:
                        size -= inlet.send(zeros[:size])
                    counts["answered"] += 1
            except OSError:
                continue


def main() -> int:
    what, *argv = sys.argv[1:]
    return {"play": play, "serve": serve}[what](argv)


if __name__ == "__main__":
    sys.exit(main())
