"""Record the windows of all subflows at regular times while traffic runs.

In the virtual lab, a timer in the guest's kernel records them
(kernel/overlay/net/mptcp/trace.c). Elsewhere, the process that waits for the traffic
asks the kernel; each question takes about 0.1 ms. The state that coupled congestion
controllers report (`/proc/net/mptcp_coupled`) is added under the kernel's names.
"""

import contextlib
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from jobs.artefacts import TRACE as COLUMNS
from mpbench.guest.lab import in_lab
from mpbench.guest.network import LabNode
from mpbench.guest.tcp_diag import Connections, Subflow

KERNEL = Path("/proc/lab_trace")
STATE = Path("/proc/thread-self/net/mptcp_coupled")
OWN_TABLE = Path("/proc/sys/net/ipv4/tcp_child_ehash_entries")
OWN_TABLE_ENTRIES = 256
KEY = ("token", "local_id", "remote_id")
KNOWN = (*KEY, "cwnd", "srtt_us")
"""Columns of the state that repeat columns of the trace."""
Key = tuple[str, int, int]
_BUFFER = memoryview(bytearray(1 << 18))
"""Reused for every reading, because new memory is what costs most in a guest."""


def prepare() -> None:
    """Give each namespace that is made from now on a small connection table of its own.

    To list connections, the kernel walks through the whole table.
    """
    with contextlib.suppress(FileNotFoundError):  # kernels before 6.1
        OWN_TABLE.write_text(str(OWN_TABLE_ENTRIES))


class Trace(Protocol):
    """Records the state of subflows, or of queues, at known times, from zero on."""

    def begin(self, zero_s: float) -> None:
        """Count time from `zero_s` of the monotonic clock."""
        ...

    def due_s(self) -> float:
        """The monotonic time of the next sample; infinity for never."""
        ...

    def take(self) -> None:
        """Take the sample that is due."""
        ...

    def end(self) -> None:
        """Complete the file."""
        ...


def make(
    nodes: Sequence[LabNode],
    interval_s: float,
    paths: Mapping[str, Mapping[str, int]],
    file: Path,
) -> Trace:
    """A trace of the kind that works here. It records nothing before it begins.

    paths : by host, the number of the path that an address belongs to; the address may
        be that of either end of a subflow
    file : relative to the run's folder
    """
    how = KernelTrace if in_lab() and KERNEL.exists() else Sampler
    return how(nodes, interval_s, paths, file)


class KernelTrace:
    """Lets the guest's kernel record windows."""

    def __init__(
        self,
        nodes: Sequence[LabNode],
        interval_s: float,
        paths: Mapping[str, Mapping[str, int]],
        file: Path,
    ) -> None:
        self._interval_ns = round(interval_s * 1e9)
        self._file = file
        for node in nodes:
            with node.namespace.entered():
                for address, number in paths[node.name].items():
                    KERNEL.write_text(f"path {node.name} {address} {number}")

    def begin(self, zero_s: float) -> None:
        zero_ns = round(zero_s * 1e9)
        KERNEL.write_text(f"begin {self._file} {zero_ns} {self._interval_ns}")

    def due_s(self) -> float:
        return math.inf

    def take(self) -> None:
        """Do nothing: the kernel takes the samples."""

    def end(self) -> None:
        KERNEL.write_text("end")


class Sampler:
    """Takes samples by asking the kernel from this process."""

    def __init__(
        self,
        nodes: Sequence[LabNode],
        interval_s: float,
        paths: Mapping[str, Mapping[str, int]],
        file: Path,
    ) -> None:
        self._hosts: list[tuple[str, Connections, int | None]] = []
        for node in nodes:
            with node.namespace.entered():
                self._hosts.append((node.name, Connections(), _open_state()))
        self._interval_s = interval_s
        self._paths = paths
        self._file = file
        self._zero_s = 0.0
        self._count = 0
        self._lines: list[tuple[str, str]] = []
        self._prefixes: dict[Subflow, str | None] = {}
        self._state_names: list[str] = []

    def begin(self, zero_s: float) -> None:
        self._zero_s = zero_s

    def due_s(self) -> float:
        return self._zero_s + self._count * self._interval_s

    def take(self) -> None:
        time_s = f"{time.monotonic() - self._zero_s:.6f}"
        self._count += 1
        for host, connections, descriptor in self._hosts:
            states = self._states(descriptor)
            for subflow, window in connections.list():
                prefix = self._prefix(host, subflow)
                if prefix is not None:
                    srtt_us, ssthresh, cwnd, retransmissions, acked = window
                    line = (
                        f"{time_s},{prefix},{cwnd},{ssthresh},{srtt_us},"
                        f"{retransmissions},{acked}"
                    )
                    self._lines.append((line, states.get(subflow[2:], "")))

    def _prefix(self, host: str, subflow: Subflow) -> str | None:
        """The columns that stay the same; None for a subflow on no path of the host."""
        if subflow not in self._prefixes:
            paths = self._paths[host]
            local, remote = subflow.local, subflow.remote
            path = paths.get(local[0]) or paths.get(remote[0])
            ends = f"{local[0]}:{local[1]},{remote[0]}:{remote[1]}"
            ids = f"{subflow.token},{subflow.local_id},{subflow.remote_id}"
            known = path is not None
            self._prefixes[subflow] = f"{host},{path},{ends},{ids}" if known else None
        return self._prefixes[subflow]

    def _states(self, descriptor: int | None) -> Mapping[Key, str]:
        """The present state of each subflow's coupled congestion controller."""
        if descriptor is None:
            return {}
        length = os.preadv(descriptor, [_BUFFER], 0)
        lines = str(_BUFFER[:length], "ascii").splitlines()
        self._state_names, found = parse_states(lines)
        return found

    def end(self) -> None:
        names = [*COLUMNS, *self._state_names]
        none = "," * (len(self._state_names) - 1)
        between = "," if self._state_names else ""
        with self._file.open("w") as text:
            text.write(",".join(names) + "\n")
            for line, state in self._lines:
                text.write(f"{line}{between}{state or none}\n")
        for _, connections, descriptor in self._hosts:
            connections.close()
            if descriptor is not None:
                os.close(descriptor)


def _open_state() -> int | None:
    """A descriptor of the file with this namespace's state; None if there is none."""
    try:
        return os.open(STATE, os.O_RDONLY)
    except FileNotFoundError:
        return None


def parse_states(lines: Iterable[str]) -> tuple[list[str], dict[Key, str]]:
    """Parse the lines of `/proc/net/mptcp_coupled`: counts, column names, subflows.

    Returns the names of the columns that the trace does not have, and by subflow the
    values of these columns, separated by commas.
    """
    table = [line.split() for line in lines][1:]
    if not table:
        return [], {}
    head = {name: position for position, name in enumerate(table[0])}
    token, local, remote = (head[name] for name in KEY)
    further = [name for name in head if name not in KNOWN]
    places = [head[name] for name in further]
    found = {
        (row[token], int(row[local]), int(row[remote])): ",".join(
            [row[place] for place in places]
        )
        for row in table[1:]
    }
    return further, found
