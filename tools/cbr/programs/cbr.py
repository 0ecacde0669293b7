"""A constant bit rate over UDP, on and off: a program by itself.

    python3 cbr.py send ADDRESS PORT SOURCE RATE_BPS DURATION_S BURST_S PAUSE_S [SIZE]
    python3 cbr.py receive PORT DURATION_S

Sends packets with SIZE bytes of payload, full ones by default, at even distances while
it is on. The lengths of bursts and pauses
are drawn from exponential distributions of these means; PAUSE_S 0 stands for always
on. The receiver counts until it is told to end (SIGTERM), and apart from that counts
what arrives within DURATION_S of the first packet. Either prints its counts as JSON.
"""

import json
import random
import signal
import socket
import sys
import threading
import time
from pathlib import Path

HEAD_BYTES = 42
FRAME_BYTES = 1514
PAYLOAD_BYTES = 1472
LINGER_S = 1.0
"""For what is under way when the sender has ended."""


def send(argv: list[str]) -> dict[str, float]:
    address, port, source, *numbers = argv
    rate_bps, duration_s, burst_s, pause_s, *given = map(float, numbers)
    size = int(given[0]) if given else PAYLOAD_BYTES
    Path("/proc/self/timerslack_ns").write_text("1")
    outlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    outlet.bind((source, 0))
    outlet.connect((address, int(port)))
    draw, packet = random.Random(random.SystemRandom().getrandbits(63)), bytes(size)
    step_s, sent = (HEAD_BYTES + size) * 8 / rate_bps, 0
    next_s = begun = time.monotonic()
    end = begun + duration_s
    while next_s < end:
        until = min(end, next_s + draw.expovariate(1 / burst_s)) if pause_s else end
        while next_s < until:
            wait_until(next_s)
            sent += outlet.send(packet)
            next_s += step_s
        if pause_s:
            next_s = max(next_s, until) + draw.expovariate(1 / pause_s)
    wait_until(end + LINGER_S)
    return {"packets": sent // size, "bytes": sent, "seconds": duration_s}


def wait_until(moment: float) -> None:
    """Of the monotonic clock; this is the pace, nothing is awaited."""
    left_s = moment - time.monotonic()
    if left_s > 0:
        signal.sigtimedwait([], left_s)


def receive(argv: list[str]) -> dict[str, float]:
    # A thread counts, and this one waits for the signal: a handler in Python would miss
    # a signal that comes just before the call that receives.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    inlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inlet.bind(("0.0.0.0", int(argv[0])))
    counts: dict[str, float] = {"packets": 0, "bytes": 0, "bytes_inside": 0}
    begun, given = time.monotonic(), (inlet, float(argv[1]), counts)
    threading.Thread(target=count, args=given, daemon=True).start()
    signal.sigwait({signal.SIGTERM})
    return {**counts, "seconds": time.monotonic() - begun}


def count(inlet: socket.socket, duration_s: float, counts: dict[str, float]) -> None:
    end = None
    while True:
        got = len(inlet.recv(PAYLOAD_BYTES))
        now = time.monotonic()
        end = now + duration_s if end is None else end
        counts["bytes"] += got
        counts["packets"] += 1
        counts["bytes_inside"] += got if now < end else 0


def main() -> int:
    what, *argv = sys.argv[1:]
    print(json.dumps({"send": send, "receive": receive}[what](argv)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
