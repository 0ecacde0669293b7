"""Packets as interfaces see them, into files, at the least cost to the run.

The kernel puts what a filter leaves of each packet into a ring of blocks
(packet(7), TPACKET_V3), and a process on the side writes full blocks to a file as they
are; what reads them outside makes captures of them. Nothing is done for a
single packet but the kernel's copy of its headers. The process is a fork, not a
program of its own: to start a program would draw from the guest's random numbers,
and a run with a capture would be another run than one without.
"""

import contextlib
import ctypes
import json
import mmap
import os
import select
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mpbench.guest.network import LabNetwork, LabNode, NetworkError

READY = b"ready"
RECORD = "capture.json"
SUFFIX = ".ring"
BLOCK_BYTES = 1 << 19
BLOCKS, BLOCKS_FULL = 8, 64
"""Of headers, 4 MiB are a tenth of a second of 200,000 packets a second; of whole
packets, 32 MiB of 2.5 Gbit/s."""
FRAME_BYTES = 2048
PERIOD_MS = 100
RETIRE_MS = 60_000
"""A block that is not full waits so long; the last ones are taken at the end."""

SOL_PACKET, PACKET_RX_RING, PACKET_STATISTICS, PACKET_VERSION = 263, 5, 6, 10
TPACKET_V3 = 2
ETH_P_ALL = 3
SO_ATTACH_FILTER = 26
TO_KERNEL, TO_USER = 0, 1
STATUS_AT = 8
IPV6_BYTES = 134
"""Of an IPv6 packet: its header, the longest of TCP, and 20 of extensions."""

HEADERS = (
    (0x28, 0, 0, 12),  # the ethertype
    (0x15, 0, 1, 0x86DD),
    (0x06, 0, 0, IPV6_BYTES),
    (0x15, 0, 9, 0x0800),
    (0x30, 0, 0, 23),  # IPv4's protocol
    (0x15, 0, 7, 6),
    (0xB1, 0, 0, 14),  # X: the length of its header
    (0x50, 0, 0, 26),  # TCP's data offset, as an upper half byte in words
    (0x54, 0, 0, 0xF0),
    (0x74, 0, 0, 2),
    (0x0C, 0, 0, 0),
    (0x04, 0, 0, 14),
    (0x16, 0, 0, 0),
    (0x06, 0, 0, 0),
)
"""Classic BPF (code, jump if true, if false, operand) that says how many bytes to
keep: of TCP all headers and no data; nothing of what is neither TCP nor IPv6."""


_libc = ctypes.CDLL(None, use_errno=True)
_libc.sync_file_range.argtypes = (
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_uint,
)
WRITE_AND_WAIT = 1 | 2 | 4


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _attach(to: socket.socket, code: Sequence[tuple[int, int, int, int]]) -> None:
    words = b"".join(struct.pack("=HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(words, len(words))
    program = _Program(len(code), ctypes.addressof(buffer))
    to.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, bytes(program))


class Ring:
    """One interface's ring, whose blocks go to the file at `path`."""

    def __init__(self, interface: str, full: bool, path: Path) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        if not full:
            _attach(self.socket, HEADERS)
        self.socket.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V3)
        self.blocks = BLOCKS_FULL if full else BLOCKS
        frames = BLOCK_BYTES // FRAME_BYTES * self.blocks
        sizes = (BLOCK_BYTES, self.blocks, FRAME_BYTES, frames, RETIRE_MS, 0, 0)
        self.socket.setsockopt(SOL_PACKET, PACKET_RX_RING, struct.pack("=7I", *sizes))
        self.memory = mmap.mmap(self.socket.fileno(), BLOCK_BYTES * self.blocks)
        self.socket.bind((interface, ETH_P_ALL))
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        self.next = 0

    def drain(self, last: bool = False) -> None:
        """Write the full blocks; with `last`, the one that is being filled too."""
        while True:
            at = self.next * BLOCK_BYTES
            status, packets, _, length = struct.unpack_from(
                "=4I", self.memory, at + STATUS_AT
            )
            if not status & TO_USER and not (last and packets):
                return
            with memoryview(self.memory) as view, view[at : at + length] as block:
                _write(self.file, block)
            if not status & TO_USER:
                return
            struct.pack_into("=I", self.memory, at + STATUS_AT, TO_KERNEL)
            self.next = (self.next + 1) % self.blocks

    def dropped(self) -> int:
        """Packets for which the ring had no room, since this was asked last."""
        told = self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 12)
        return int(struct.unpack("=3I", told)[1])


@contextlib.contextmanager
def observing() -> Iterator[None]:
    """As an observer: the guest's time does not pass for such, and what others are
    scheduled for does not depend on them (kernel/patches/0009-um-observers.patch)."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _write(file: int, block: memoryview) -> None:
    """Write a block and see it out of the kernel's cache: left to the kernel's own
    threads, which are no observers, that would cost time."""
    begin = os.lseek(file, 0, os.SEEK_CUR)
    done = 0
    while done < len(block):
        done += os.write(file, block[done:])
    if _libc.sync_file_range(file, begin, len(block), WRITE_AND_WAIT):
        number = ctypes.get_errno()
        raise OSError(number, f"the capture: {os.strerror(number)}")


class Capture:
    """The process that has the rings and empties them.

    places : interface to its node and file
    """

    def __init__(
        self, places: Mapping[str, tuple[LabNode, Path]], full: bool, record: Path
    ) -> None:
        waiting, self.telling = os.pipe()
        self.hearing, saying = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            try:
                os.close(self.telling)
                with observing():
                    _empty(places, full, record, waiting, saying)
            except OSError as error:
                os.write(saying, str(error).encode())
            finally:
                os._exit(1)
        os.close(waiting)
        os.close(saying)
        if (said := os.read(self.hearing, 1000)) != READY:
            os.waitpid(self.child, 0)
            why = said.decode(errors="replace")
            raise NetworkError(f"cannot capture: {why}")

    def stop(self) -> None:
        """Take what the rings still hold. Raises NetworkError if that fails."""
        with observing():
            os.close(self.telling)
            _, status = os.waitpid(self.child, 0)
        if status:
            why = os.read(self.hearing, 1000).decode(errors="replace")
            raise NetworkError(f"the capture could not be written to its end: {why}")


def _empty(
    places: Mapping[str, tuple[LabNode, Path]],
    full: bool,
    record: Path,
    waiting: int,
    saying: int,
) -> None:
    """Make the rings and write their blocks until the parent closes its pipe."""
    rings = {}
    for interface, (node, path) in places.items():
        with node.namespace.entered():
            rings[interface] = Ring(interface, full, path)
    poller = select.poll()
    poller.register(waiting, select.POLLHUP)
    os.write(saying, READY)
    # Not when a block is full: that is when somebody sends, who would be disturbed.
    while not poller.poll(PERIOD_MS):
        for ring in rings.values():
            ring.drain()
    dropped = {}
    for name, ring in rings.items():
        ring.drain(last=True)
        dropped[name] = ring.dropped()
    if rings:
        record.write_text(json.dumps({"dropped": dropped}, sort_keys=True) + "\n")
    os._exit(0)


def start(
    wanted: Mapping[str, Any] | None, network: LabNetwork, folder: Path
) -> Capture:
    """Begin to capture at the interfaces that the job asks for, if it does.

    The process is there in any case, and wakes at the same times: that somebody
    wakes moves the timers that others set afterwards by as much as a few jiffies.
    Raises NetworkError for an interface that is not there.
    """
    wanted = wanted or {"interfaces": []}
    owners = {
        interface: node
        for node in network.nodes.values()
        for interface in node.interfaces
    }
    places = {}
    for interface in wanted["interfaces"]:
        if interface not in owners:
            has = ", ".join(sorted(owners))
            raise NetworkError(f"no interface {interface} to capture at; has {has}")
        path = folder / f"capture-{interface}{SUFFIX}"
        places[interface] = (owners[interface], path)
    return Capture(places, bool(wanted.get("full")), folder / RECORD)
