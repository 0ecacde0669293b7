"""Tell a guest of the virtual lab, whose kernel has more than Linux, from a machine."""

import contextlib
import os
import signal
from collections.abc import Iterable, Iterator

from mpbench.guest import files

BACKLOG = "/proc/sys/net/core/netdev_max_backlog"
BACKLOG_PACKETS = 100_000
ALLOWED = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"
AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"


def in_lab() -> bool:
    """Whether this process runs in a guest that exists for one run."""
    return os.environ.get("MPBENCH_LAB") == "yes"


def for_one_run() -> bool:
    """Whether this machine, a guest or one that QEMU emulates, exists for one run."""
    return "MPBENCH_LAB" in os.environ


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block all signals in the lab, so that tools start in a third of the system calls.

    Before it starts a program, Python looks up the handler of every signal that is not
    blocked. The tools inherit this, so it is not for programs that wait for signals.
    """
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, signal.valid_signals() if in_lab() else ()
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def lengthen_backlog() -> None:
    """Let wires carry any burst, as they are ideal.

    The kernel hands packets from one end of a wire to the other through a queue, which
    all wires share and which usually holds 1000 packets. In virtual time, all packets
    of an instant meet in it: those of thousands of connections that open at once, or
    of a sender whose closed window opens. A delay line releases a burst in one instant
    as well.
    """
    files.write(BACKLOG, str(BACKLOG_PACKETS))


def allow_controllers(names: Iterable[str]) -> None:
    """Let network namespaces have these congestion controls.

    Linux lets a namespace choose only what the machine allows, and most controllers of
    its own are not allowed at first. Names that the kernel lacks are left alone.
    """
    allowed = files.read(ALLOWED).split()
    more = sorted({*names} - {*allowed})
    if more:
        known = files.read(AVAILABLE).split()
        files.write(ALLOWED, " ".join([*allowed, *(n for n in more if n in known)]))
