"""Tell a guest of the virtual lab, whose kernel has more than Linux, from a machine."""

import os

from mpbench.guest import files

BACKLOG = "/proc/sys/net/core/netdev_max_backlog"
BACKLOG_PACKETS = 100_000


def in_lab() -> bool:
    """Whether this process runs in a guest that exists for one run."""
    return os.environ.get("MPBENCH_LAB") == "yes"


def lengthen_backlog() -> None:
    """Let wires carry any burst, as they are ideal.

    The kernel hands packets from one end of a wire to the other through a queue, which
    all wires share and which usually holds 1000 packets. In virtual time, all packets
    of an instant meet in it: those of thousands of connections that open at once, or
    of a sender whose closed window opens. A delay line releases a burst in one instant
    as well.
    """
    files.write(BACKLOG, str(BACKLOG_PACKETS))
