"""Traces of delivery opportunities, the format of Mahimahi, as steps of capacity.

Each line of such a file is a time in whole milliseconds at which the link delivers one
packet of MTU size. A time that stands several times is as many packets. The last time
is the length of the trace. (Netravali et al., "Mahimahi: Accurate Record-and-Replay
for HTTP", USENIX ATC 2015.)
"""

import os
import stat
from dataclasses import dataclass
from functools import lru_cache

from mpbench.errors import UserError
from topologies.shaping import FRAME_BYTES

BIN_S = 0.1
"""Length of a step, unless the file gives another."""

MOST_BYTES = 1 << 24
MOST_LINES = 4_000_000
MOST_DIGITS = 9
MOST_MBPS = 100_000.0
"""As the parameter `capacity` of a link."""


@dataclass(frozen=True)
class Trace:
    """The times of all delivery opportunities, in ms, not decreasing; at least one."""

    times_ms: tuple[int, ...]

    @property
    def lasts_s(self) -> float:
        """Length of the trace, in s, above 0."""
        return self.times_ms[-1] / 1e3

    @property
    def mean_mbps(self) -> float:
        """Mean capacity in Mbit/s, counted over frames of full packets."""
        return _mbps(len(self.times_ms), self.times_ms[-1])

    def steps(self, bin_s: float) -> list[tuple[float, float]]:
        """The capacity from each time on: (s, Mbit/s), with one step where it changes.

        bin_s : length of a bin, at least 0.001; the last one may be shorter

        A bin holds the opportunities after its beginning and up to its end. The first
        bin holds those at 0 ms too. A bin without any is an outage.
        """
        width_ms, last_ms = round(bin_s * 1e3), self.times_ms[-1]
        counts = [0] * -(-last_ms // width_ms)
        for time_ms in self.times_ms:
            counts[max(time_ms - 1, 0) // width_ms] += 1
        steps: list[tuple[float, float]] = []
        for number, count in enumerate(counts):
            begin_ms = number * width_ms
            value = round(_mbps(count, min(width_ms, last_ms - begin_ms)), 6)
            if not steps or steps[-1][1] != value:
                steps.append((begin_ms / 1e3, value))
        return steps


def _mbps(count: int, ms: int) -> float:
    return count * FRAME_BYTES * 8 / (ms * 1e3)


def read(path: str, where: str) -> Trace:
    """The trace in a file.

    where : begins the message about a fault

    Raises UserError for a file that is not regular, too large, empty, or no trace.
    """
    try:
        return _trace(_content(path))
    except FileNotFoundError:
        hint = "the name is relative to the experiment file"
        raise UserError(f"{where}: no such file; {hint}") from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise UserError(f"{where}: {reason}; name another file") from None
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


def _content(path: str) -> bytes:
    """The bytes of a regular file. Raises OSError or ValueError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("not a regular file; save the trace as one")
        content = file.read(MOST_BYTES + 1) or b""
    if len(content) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES >> 20} MiB; cut it, and repeat it")
    return content


@lru_cache(maxsize=16)
def _trace(content: bytes) -> Trace:
    """Raises ValueError with a one-line reason."""
    lines = content.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise ValueError("empty; a trace has a time in ms in each line")
    if len(lines) > MOST_LINES:
        raise ValueError(f"more than {MOST_LINES} lines; cut it, and repeat it")
    times: list[int] = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text.isdigit() or len(text) > MOST_DIGITS:
            shown = text[:40].decode("ascii", "replace").encode("ascii", "replace")
            reason = f"line {number}: '{_printable(shown)}' is not a time"
            raise ValueError(f"{reason}; write whole milliseconds, one per line")
        time_ms = int(text)
        if times and time_ms < times[-1]:
            reason = f"line {number}: {time_ms} ms stands behind {times[-1]} ms"
            raise ValueError(f"{reason}; sort the times")
        times.append(time_ms)
    if times[-1] == 0:
        raise ValueError("all times are 0 ms; the last one is the trace's length")
    most = max(mbps for _, mbps in Trace(tuple(times)).steps(0.001))
    if most > MOST_MBPS:
        raise ValueError(f"{most:g} Mbit/s in a millisecond; at most {MOST_MBPS:g}")
    return Trace(tuple(times))


def _printable(text: bytes) -> str:
    return "".join(c if c.isprintable() else "?" for c in text.decode("ascii"))
