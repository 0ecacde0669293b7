"""Let the guest's kernel write the events of connections, each with its time.

kernel/overlay/net/mptcp/events.c writes the file, so no process has to listen. A
process would draw random numbers at its start, and change the run. Natively there is no
such file, and nothing is written.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from jobs import Job
from mpbench.guest.lab import in_lab
from mpbench.guest.network import LabNode

KERNEL = Path("/proc/lab_events")
MOST_EVENTS = 20_000
"""Events beyond are only counted. These take about 2 MB."""


class KernelEvents:
    """Lets the kernel write the events of some hosts, also after all clients ended."""

    def __init__(
        self, nodes: Sequence[LabNode], ports: Mapping[int, int], file: Path
    ) -> None:
        """ports : number of the traffic entry, by the port of its server"""
        self._file = file
        for node in nodes:
            with node.namespace.entered():
                KERNEL.write_text(f"host {node.name}")
        for port, number in ports.items():
            KERNEL.write_text(f"entry {number} {port}")

    def begin(self, zero_ns: int) -> None:
        """Write from now on. Times count from `zero_ns` of the monotonic clock.

        This costs virtual time, so it stands before the traffic is aligned.
        """
        KERNEL.write_text(f"begin {self._file} {zero_ns} {MOST_EVENTS}")

    def end(self) -> None:
        """Complete the file."""
        KERNEL.write_text("end")


def make(nodes: Sequence[LabNode], job: Job, file: Path) -> KernelEvents | None:
    """Events of the ends of the traffic; None where the kernel cannot write them.

    file : relative to the run's folder
    """
    if not (in_lab() and KERNEL.exists()):
        return None
    return KernelEvents(nodes, entry_ports(job), file)


def entry_ports(job: Job) -> dict[int, int]:
    """The number of the traffic entry by the port of its server.

    A port that several entries have says nothing about a connection.
    """
    ports = [entry.port for entry in job.traffic]
    return {port: number for number, port in enumerate(ports) if ports.count(port) == 1}
