"""Messages at a constant rate over a connection, on and off: a program by itself.

    python3 messages.py write ADDRESS PORT SOURCE RATE_BPS DURATION_S BURST_S PAUSE_S
        [SIZE]
    python3 messages.py read PORT RATE_BPS DURATION_S [SIZE]

`write` writes messages into a connection at even distances while it is on, and `read`
reads them until the connection ends; SIZE, or else RATE_BPS, tells both how large they
are. A message
begins with the time at which it was due, so that the reader knows how late it is: both
ends have the same clock. Where the connection takes no more, the writer waits, and then
writes what is due; what is not written after DURATION_S is dropped.

The lengths of bursts and pauses are drawn from exponential distributions of these
means; PAUSE_S 0 stands for always on. Each end prints its counts as JSON.

This is apart from cbr.py, although both wait alike: what a program imports changes the
random numbers that the guest gives it, and so the bursts of every run.
"""

import json
import random
import signal
import socket
import struct
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

SEGMENT_BYTES = 1400
"""One segment of TCP or MPTCP holds it."""
LEAST_STEP_S = 1e-3
"""Messages are no closer, because each costs the guest some 0.25 ms of CPU time."""
READ_BYTES = 1 << 18
INTERVAL_S = 1.0
MOST_KEPT = 200_000
"""Of more messages than that, only the summary of their delays is printed."""
DUE = struct.Struct("!Q")


def due(
    begun: float, step_s: float, duration_s: float, burst_s: float, pause_s: float
) -> Iterator[float]:
    """Wait until each message is due, and give that time, of the monotonic clock."""
    draw = random.Random(random.SystemRandom().getrandbits(63))
    next_s, end = begun, begun + duration_s
    while next_s < end:
        until = min(end, next_s + draw.expovariate(1 / burst_s)) if pause_s else end
        while next_s < until:
            wait_until(next_s)
            yield next_s
            next_s += step_s
        if pause_s:
            next_s = max(next_s, until) + draw.expovariate(1 / pause_s)


def wait_until(moment: float) -> None:
    """Of the monotonic clock; this is the pace, nothing is awaited."""
    left_s = moment - time.monotonic()
    if left_s > 0:
        signal.sigtimedwait([], left_s)


def message_bytes(rate_bps: float) -> int:
    """One segment, or as many as make messages LEAST_STEP_S apart."""
    return SEGMENT_BYTES * max(1, -int(-rate_bps * LEAST_STEP_S // (8 * SEGMENT_BYTES)))


def write(argv: list[str]) -> dict[str, float]:
    address, port, source, *numbers = argv
    rate_bps, duration_s, burst_s, pause_s, *given = map(float, numbers)
    Path("/proc/self/timerslack_ns").write_text("1")
    outlet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    outlet.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    outlet.bind((source, 0))
    started = time.monotonic()
    outlet.connect((address, int(port)))
    size, sent = int(given[0]) if given else message_bytes(rate_bps), 0
    filling = bytes(size - DUE.size)
    begun = time.monotonic()
    step_s = size * 8 / rate_bps
    for moment in due(begun, step_s, duration_s, burst_s, pause_s):
        if time.monotonic() > begun + duration_s:
            break
        outlet.sendall(DUE.pack(round(moment * 1e9)) + filling)
        sent += 1
    outlet.shutdown(socket.SHUT_WR)
    # The reader closes when it has read everything.
    while outlet.recv(1):
        pass
    return {
        "messages": sent,
        "bytes": sent * size,
        "seconds": duration_s,
        "connected_s": begun - started,
    }


def read(argv: list[str]) -> dict[str, object]:
    """The messages, the bytes that arrived in each interval, and how late they were.

    Intervals are counted from the time at which the first message was due. The last
    one holds all that arrived after the duration. Of each message there are the time
    at which it was due, counted likewise, and how late it was, both in microseconds.
    """
    port, rate_bps, duration_s, *given = map(float, argv)
    size = int(given[0]) if given else message_bytes(rate_bps)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("0.0.0.0", int(port)))
    listener.listen(1)
    inlet, _ = listener.accept()
    last = max(1, -(-int(duration_s * 1e9) // int(INTERVAL_S * 1e9)))
    intervals = [0] * (last + 1)
    delays: list[float] = []
    due_us, late_us = array("q"), array("q")
    rest, first_ns = b"", None
    while data := inlet.recv(READ_BYTES):
        now_ns = time.monotonic_ns()
        held = rest + data
        if first_ns is None and len(held) >= DUE.size:
            first_ns = DUE.unpack_from(held)[0]
        passed_ns = now_ns - (now_ns if first_ns is None else first_ns)
        number = min(last, int(passed_ns / (INTERVAL_S * 1e9)))
        inside = passed_ns <= duration_s * 1e9
        intervals[number if inside else last] += len(data)
        whole = len(held) - len(held) % size
        for at in range(0, whole, size):
            due_ns = DUE.unpack_from(held, at)[0]
            delays.append((now_ns - due_ns) / 1e6)
            if len(due_us) < MOST_KEPT:
                due_us.append(round((due_ns - (first_ns or 0)) / 1e3))
                late_us.append(round((now_ns - due_ns) / 1e3))
        rest = held[whole:]
    inlet.close()
    return {
        "messages": len(delays),
        "bytes": sum(intervals),
        "interval_s": INTERVAL_S,
        "intervals": intervals,
        "delay_ms": summary(sorted(delays)),
        **kept(due_us, late_us, len(delays)),
    }


def kept(
    due_us: Sequence[int], late_us: Sequence[int], count: int
) -> dict[str, list[int]]:
    """The times of each message; nothing if there are more than are kept."""
    if len(due_us) < count:
        return {}
    return {"due_us": list(due_us), "late_us": list(late_us)}


def summary(ordered: Sequence[float]) -> dict[str, float]:
    """Mean, percentiles and maximum; empty without values."""
    if not ordered:
        return {}
    last = len(ordered) - 1
    found = {"mean": sum(ordered) / len(ordered), "max": ordered[-1]}
    for percent in (50, 95, 99):
        at, part = divmod(last * percent, 100)
        after = ordered[min(at + 1, last)]
        found[f"p{percent}"] = ordered[at] + (after - ordered[at]) * part / 100
    return found


def main() -> int:
    what, *argv = sys.argv[1:]
    print(json.dumps({"write": write, "read": read}[what](argv)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
