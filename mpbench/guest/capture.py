"""Capture the packets of interfaces into pcap files in the run's folder.

In the virtual lab, the guest's kernel writes the files
(kernel/overlay/arch/um/kernel/capture.c). That takes no virtual time, and no process is
added that could disturb others. Elsewhere tcpdump writes them.
"""

import json
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from jobs import capture as capture_record
from mpbench.guest import fabric
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.lab import in_lab
from mpbench.guest.network import LabNetwork, LabNode, NetworkError
from topologies import capturing

KERNEL = Path("/proc/lab_capture")
RECORD = "capture.json"
HEADER_BYTES = 134
"""Bytes kept of a packet: the headers of Ethernet and IPv6, 20 bytes of extensions, and
the longest header of TCP."""
WHOLE_BYTES = 65536
BUFFER_KIB = 32768
TOLD = re.compile(r"^(\d+) packets? (captured|dropped by kernel)$", re.M)


Place = tuple[LabNode | int, str, Path]
"""The node or the way of the fabric, its interface, and the file to write."""


class Capture(Protocol):
    """Captures that are in progress."""

    def stop(self) -> None:
        """Write the rest to the files. Raises NetworkError if that fails."""
        ...


class Nothing:
    """No captures."""

    def stop(self) -> None:
        pass


class ByKernel:
    """Captures that the guest's own kernel makes.

    places : by name; files are relative to the run's folder
    """

    def __init__(self, places: Mapping[str, Place], full: bool, record: Path) -> None:
        self._record = record
        self._names = list(places)
        what = "full" if full else "headers"
        for name, (node, interface, file) in places.items():
            if isinstance(node, int):
                fabric.capture(node, name, what, file)
                continue
            with node.namespace.entered():
                _order(f"{interface} {what} {file}")

    def stop(self) -> None:
        counts = {}
        lines = KERNEL.read_text().splitlines()  # in the order of their beginnings
        for name, line in zip(self._names, lines, strict=True):
            _, packets, _ = line.split()
            counts[name] = int(packets)
        _order("end")
        _write(self._record, {"packets": counts})


def _order(order: str) -> None:
    try:
        KERNEL.write_text(order)
    except OSError as error:
        raise NetworkError(f"cannot capture ({order}): {error.strerror}") from error


class ByTcpdump:
    """Captures that tcpdump makes, with one process per interface."""

    def __init__(self, places: Mapping[str, Place], full: bool, record: Path) -> None:
        self._record = record
        self._running: dict[str, subprocess.Popen[str]] = {}
        kept = ["-s", str(WHOLE_BYTES)] if full else ["-s", str(HEADER_BYTES), "tcp"]
        for name, (node, interface, file) in places.items():
            if isinstance(node, int):
                continue  # the fabric is the guest's own
            argv = [
                "tcpdump",
                "-i",
                interface,
                "-w",
                str(file),
                "-Z",
                "root",
                "-n",
                "--time-stamp-precision=nano",
                "-B",
                str(BUFFER_KIB),
                *kept,
            ]
            with node.namespace.entered():
                self._running[name] = subprocess.Popen(
                    argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                )
        for interface, process in self._running.items():
            said = ""
            while "listening on" not in said:
                line = process.stderr.readline() if process.stderr else ""
                if not line:
                    why = " ".join(said.split())
                    raise NetworkError(f"cannot capture at {interface}: {why}")
                said += line

    def stop(self) -> None:
        packets: dict[str, int] = {}
        dropped: dict[str, int] = {}
        counts = {"captured": packets, "dropped by kernel": dropped}
        for interface, process in self._running.items():
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
            told = {what: int(number) for number, what in TOLD.findall(said)}
            if process.returncode or set(told) != set(counts):
                why = " ".join(said.split())
                raise NetworkError(f"the capture at {interface} ended badly: {why}")
            for what, number in told.items():
                counts[what][interface] = number
        _write(self._record, {"packets": packets, "dropped": dropped})


def _write(record: Path, told: Mapping[str, Mapping[str, int]]) -> None:
    record.write_text(json.dumps(told, sort_keys=True) + "\n")


def start(
    wanted: capture_record.Capture | None,
    network: LabNetwork | FabricNetwork,
    folder: Path,
) -> Capture:
    """Begin to capture at the interfaces that the job names, if it names any.

    Raises NetworkError for an unknown interface, and if the capture cannot begin.
    """
    if not wanted or not wanted.interfaces:
        return Nothing()
    found = capturing.places(
        (node.name, interface)
        for node in network.nodes.values()
        for interface in node.interfaces
    )
    owners: dict[str, tuple[LabNode | int, str]] = {
        name: (network.nodes[node], interface)
        for name, (node, interface) in found.items()
    }
    if isinstance(network, FabricNetwork):
        owners |= {name: (way, name) for name, way in network.table.captures.items()}
    places: dict[str, Place] = {}
    for name in wanted.interfaces:
        if name not in owners:
            has = ", ".join(sorted(owners))
            raise NetworkError(f"no interface {name} to capture at; has {has}")
        places[name] = (*owners[name], folder / f"capture-{name}.pcap")
    full, record = wanted.full, folder / RECORD
    if in_lab():
        return ByKernel(places, full, record)
    return ByTcpdump(places, full, record)
