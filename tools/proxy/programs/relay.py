"""A proxy that ends TCP connections, and opens another one for each of them.

    python3 relay.py PORT ACCEPTS OPENS ADDRESS PORT [SOURCE]

ACCEPTS and OPENS are `mptcp` or `tcp`: what it listens with, and what it connects with.
With `same` for ADDRESS, it connects to where each client has connected. SOURCE is
its own address of connections that it opens. It goes on until it is told to
end (SIGTERM), and then prints what it did as JSON.

Both halves of a connection end alike: the end of the data, a reset and an error on one
are passed on to the other. A half that cannot send holds at most MOST_BYTES back, and
then the other half is not read.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import struct
import sys
import threading
import time
from pathlib import Path

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
PIECE_BYTES = 1 << 16
MOST_BYTES = 1 << 18
MPTCP = 262
"""IPPROTO_MPTCP, which Python 3.9 does not know."""
IP_TRANSPARENT = 19
SIGNALS = {signal.SIGTERM, signal.SIGUSR1}
"""The second one says that the work has ended."""
SAME = "same"
RESET = struct.pack("ii", 1, 0)


class Half:
    """One of the two connections.

    accepted : whether the proxy has accepted it
    held : what the other half has read and this one has not sent
    connecting : whether it has not been established yet
    ended : whether no more data comes in
    shut : whether its own end has been sent
    mask : the events that it waits for
    """

    def __init__(self, outlet: socket.socket, accepted: bool) -> None:
        outlet.setblocking(False)
        with contextlib.suppress(OSError):
            outlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.outlet, self.accepted, self.connecting = outlet, accepted, not accepted
        self.held = bytearray()
        self.ended = self.shut = False
        self.other: Half = self
        self.mask = 0


class Relay:
    """All connections, and the numbers of the report.

    accepted, opened, failed : connections that it accepted, opened, and could not open
    up_bytes, down_bytes : passed on towards the server and from it
    most_held_bytes : the most that one half held
    lasted_s : time for which each opened connection lasted until now
    waits_s : time from accepting a connection until the one to the server was
        established, of each
    began : when a connection was asked for, or was established
    error : of the first connection that could not be opened or broke; "" for none
    """

    def __init__(self, argv: list[str]) -> None:
        port, accepts, self.opens, address, to, *source = argv
        self.target, self.source = (address, int(to)), source
        self.selector = selectors.DefaultSelector()
        self.listener = made(accepts)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if address == SAME:  # it answers from addresses of others
            self.listener.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
        self.listener.bind(("0.0.0.0", int(port)))
        self.listener.listen(128)
        self.listener.setblocking(False)
        self.selector.register(self.listener, READ)
        self.accepted = self.opened = self.failed = 0
        self.up_bytes = self.down_bytes = self.most_held_bytes = 0
        self.waits_s: list[float] = []
        self.began: dict[Half, float] = {}
        self.lasted_s: list[float] = []
        self.error = ""

    def work(self) -> None:
        while True:
            for key, mask in self.selector.select():
                if key.data is None:
                    self.accept()
                else:
                    self.serve(key.data, mask)

    def accept(self) -> None:
        try:
            inlet, _ = self.listener.accept()
        except OSError:
            return
        self.accepted += 1
        outlet = made(self.opens)
        if self.source:
            outlet.bind((self.source[0], 0))
        client, server = Half(inlet, accepted=True), Half(outlet, accepted=False)
        client.other, server.other = server, client
        self.began[server] = time.monotonic()
        same = self.target[0] == SAME
        outlet.connect_ex(inlet.getsockname() if same else self.target)
        self.wait(server)
        self.wait(client)

    def serve(self, half: Half, mask: int) -> None:
        """Do what the selector says of one half, and pass it on to the other one."""
        if half.outlet.fileno() < 0:
            return  # closed by its other half, in the same round
        try:
            if mask & WRITE:
                self.send(half)
            if mask & READ and not half.connecting:
                self.read(half)
            # What was read goes out at once, if it can.
            if half.other.held and not half.other.connecting:
                self.send(half.other)
            for one in (half, half.other):
                finish(one)
        except OSError as fault:
            self.error = self.error or fault.strerror or str(fault)
            self.close(half, broken=True)
            return
        if half.ended and half.other.ended and half.shut and half.other.shut:
            self.close(half, broken=False)
            return
        self.wait(half)
        self.wait(half.other)

    def send(self, half: Half) -> None:
        if half.connecting:
            number = half.outlet.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            now = time.monotonic()
            if number:
                self.failed += 1
                raise OSError(number, os.strerror(number))
            half.connecting = False
            self.opened += 1
            self.waits_s.append(round(now - self.began[half], 6))
            self.began[half] = now
        if half.held:
            with contextlib.suppress(BlockingIOError):
                del half.held[: half.outlet.send(half.held)]

    def read(self, half: Half) -> None:
        try:
            data = half.outlet.recv(PIECE_BYTES)
        except BlockingIOError:
            return
        if not data:
            half.ended = True
            return
        other = half.other
        other.held += data
        self.most_held_bytes = max(self.most_held_bytes, len(other.held))
        if half.accepted:
            self.up_bytes += len(data)
        else:
            self.down_bytes += len(data)

    def wait(self, half: Half) -> None:
        """Wait for what a half can do next."""
        mask = WRITE if half.held or half.connecting else 0
        full = len(half.other.held) >= MOST_BYTES
        if not (half.ended or full or half.connecting):
            mask |= READ
        if mask == half.mask:
            return
        if not half.mask:
            self.selector.register(half.outlet, mask, half)
        elif mask:
            self.selector.modify(half.outlet, mask, half)
        else:
            self.selector.unregister(half.outlet)
        half.mask = mask

    def close(self, half: Half, broken: bool) -> None:
        """Close both halves; with a reset if one of them broke."""
        for one in (half, half.other):
            if one.mask:
                self.selector.unregister(one.outlet)
                one.mask = 0
            began = self.began.pop(one, None)
            if began is not None and not one.connecting:
                self.lasted_s.append(round(time.monotonic() - began, 6))
            if broken:
                with contextlib.suppress(OSError):
                    one.outlet.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            one.outlet.close()

    def report(self) -> dict[str, object]:
        now = time.monotonic()
        left = (b for half, b in self.began.items() if not half.connecting)
        return {
            "accepted": self.accepted,
            "opened": self.opened,
            "failed": self.failed,
            "up_bytes": self.up_bytes,
            "down_bytes": self.down_bytes,
            "most_held_bytes": self.most_held_bytes,
            "waits_s": self.waits_s,
            "lasted_s": [*self.lasted_s, *(round(now - began, 6) for began in left)],
            "error": self.error,
        }


def made(protocol: str) -> socket.socket:
    number = MPTCP if protocol == "mptcp" else 0
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, number)


def finish(half: Half) -> None:
    """Pass the end of the data on, once all of it has been sent."""
    if half.other.ended and not half.held and not half.connecting and not half.shut:
        half.shut = True
        half.outlet.shutdown(socket.SHUT_WR)


def main() -> int:
    Path("/proc/self/timerslack_ns").write_text("1")
    relay, fault = Relay(sys.argv[1:]), [""]

    def work() -> None:
        try:
            relay.work()
        except BaseException as error:
            fault[0] = f"{type(error).__name__}: {error}"
            raise
        finally:
            os.kill(os.getpid(), signal.SIGUSR1)

    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    threading.Thread(target=work, daemon=True).start()
    told = signal.sigwait(SIGNALS) == signal.SIGTERM
    print(json.dumps(relay.report()), flush=True)
    if not told:
        print(fault[0], file=sys.stderr)
    return int(not told)


if __name__ == "__main__":
    sys.exit(main())
