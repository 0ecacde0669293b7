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
    inlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inlet.bind(("0.0.0.0", int(argv[0])))
    signal.signal(signal.SIGTERM, _stop)
    packets = count = inside = 0
    begun, end = time.monotonic(), None
    try:
        while True:
            got = len(inlet.recv(PAYLOAD_BYTES))
            now = time.monotonic()
            end = now + float(argv[1]) if end is None else end
            count += got
            packets += 1
            inside += got if now < end else 0
    except _StopError:
        seconds = time.monotonic() - begun
        return {
            "packets": packets,
            "bytes": count,
            "bytes_inside": inside,
            "seconds": seconds,
        }


class _StopError(Exception):
    """The receiver is told to end."""


def _stop(_number: int, _frame: object) -> None:
    raise _StopError


def main() -> int:
    what, *argv = sys.argv[1:]
    print(json.dumps({"send": send, "receive": receive}[what](argv)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
