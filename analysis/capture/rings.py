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
    with ring.open("rb") as source, target.open("wb") as out:
        out.write(HEAD)
        while head := source.read(BLOCK_HEAD):
            length = struct.unpack_from("=I", head, 20)[0] if len(head) > 23 else 0
            if not BLOCK_HEAD <= length <= LONGEST:
                raise ValueError(f"{ring.name}: a block of {length} bytes; damaged")
            block = head + source.read(length - BLOCK_HEAD)
            records = ctypes.create_string_buffer(length)
            count = core.capture_unroll(block, len(block), records, length)
            if count < 0:
                raise ValueError(f"{ring.name}: a damaged block")
            out.write(memoryview(records)[:count])
    ring.unlink()
    return target


def convert_all(folder: Path) -> list[Path]:
    """All rings of a folder; the captures, by name."""
    return [convert(ring) for ring in sorted(folder.glob(f"*{SUFFIX}"))]
