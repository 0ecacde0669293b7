"""What a run's guest wrote at its interfaces, made into captures."""

import ctypes
import struct
from pathlib import Path

from analysis.capture import library

SUFFIX = ".ring"
BLOCK_HEAD = 48
LONGEST = 1 << 24
HEAD = struct.pack("=IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)
"""Of pcap: nanoseconds, Ethernet."""


def convert(ring: Path) -> Path:
    """Make `NAME.ring` `NAME.pcap`; returns that. Raises ValueError if it is damaged,
    with what could be read left in the capture."""
    core = library.load()
    target = ring.with_suffix(".pcap")
    block, records = bytearray(BLOCK_HEAD), bytearray()
    with ring.open("rb", buffering=0) as source, target.open("wb", buffering=0) as out:
        out.write(HEAD)
        while got := source.readinto(memoryview(block)[:BLOCK_HEAD]):
            length = struct.unpack_from("=I", block, 20)[0] if got > 23 else 0
            if not BLOCK_HEAD <= length <= LONGEST:
                raise ValueError(f"{ring.name}: a block of {length} bytes; damaged")
            if length > len(block):
                block.extend(bytes(length - len(block)))
                records = bytearray(length)
            got += source.readinto(memoryview(block)[BLOCK_HEAD:length]) or 0
            count = core.capture_unroll(
                (ctypes.c_char * got).from_buffer(block),
                got,
                (ctypes.c_char * len(records)).from_buffer(records),
                len(records),
            )
            if count < 0:
                raise ValueError(f"{ring.name}: a damaged block")
            out.write(memoryview(records)[:count])
    ring.unlink()
    return target


def convert_all(folder: Path) -> list[Path]:
    """All rings of a folder; the captures, by name."""
    return [convert(ring) for ring in sorted(folder.glob(f"*{SUFFIX}"))]
