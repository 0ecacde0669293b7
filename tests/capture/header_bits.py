"""Header bits that decide whether the packet inside is read, encapsulation by
encapsulation.

Every bit of every header is turned in a frame of its own. `header_bits.txt` has a line
per encapsulation: for each byte of the headers, and for the first bytes of the IP
packet, a mask of the bits that decide, in hexadecimal; `00*12` stands for twelve bytes
of which no bit does. Behind it is the mask of the bits that make a packet readable that
follows LLC, where the headers announce none: they move the place of the packet.

After a change of what is read, print the table again, and look at each line that
differs:

    python -m tests.capture.header_bits > tests/capture/header_bits.txt
"""

import struct
import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from analysis.capture.analyse import analyse
from tests.capture.encapsulations import (
    KIND,
    LINKS,
    MAC,
    SNAP,
    TAGS,
    TUNNELS,
    Carry,
    in_frame,
    ipv4,
)
from tests.capture.kinds import raw

TABLE = Path(__file__).with_name("header_bits.txt")
FIRST_PORT, SERVER_PORT = 1024, 80
INSIDE = 4
"""Bytes of the packet that are turned too: its version, lengths and protocol."""

EVERY: dict[str, tuple[int, Carry]] = {
    **{f"link: {name}": each for name, each in LINKS.items()},
    **{f"tag: {name}": (1, in_frame(each)) for name, each in TAGS.items()},
    **{f"tunnel: {name}": (1, in_frame(each)) for name, each in TUNNELS.items()},
}


def syn(port: int) -> bytes:
    """A frame of Ethernet with the first segment of a connection."""
    segment = struct.pack(">HHIIBBHHH", port, SERVER_PORT, 1, 0, 0x50, 2, 1000, 0, 0)
    return MAC + MAC + b"\x08\x00" + ipv4(6, segment)


def read_ports(
    folder: Path, link: int, frames: Sequence[tuple[bytes, int]]
) -> set[int]:
    """The ports of the connections that the analyser sees in frames.

    frames : each with its length on the wire
    """
    out = [raw(*KIND)[:20] + struct.pack("<I", link)]
    for number, (frame, length) in enumerate(frames):
        out.append(struct.pack("<IIII", 1, number, len(frame), length) + frame)
    path = folder / "a.pcap"
    path.write_bytes(b"".join(out))
    found = analyse([path]).subflows
    return {int(port) for port in (*found["a_port"], *found["b_port"])} - {SERVER_PORT}


def numbered(carry: Carry, behind: bytes = b"") -> Callable[[int], bytes]:
    """The frame of each number. behind : what stands between headers and packet"""

    def made(number: int) -> bytes:
        frame = syn(FIRST_PORT + number)
        return carry(frame[:14] + behind + frame[14:])

    return made


def turned(frame: Callable[[int], bytes], size: int) -> list[tuple[bytes, int]]:
    """A frame per bit of the first bytes, in which it is turned."""
    frames = []
    for number in range(8 * size):
        changed = bytearray(frame(number))
        changed[number // 8] ^= 1 << number % 8
        frames.append((bytes(changed), len(changed)))
    return frames


def header_bytes(carry: Carry) -> int:
    """Bytes before the packet."""
    return len(carry(syn(0))) - len(syn(0)) + 14


def mask(bits: Iterable[int], size: int) -> bytes:
    whole = bytearray(size)
    for bit in bits:
        whole[bit // 8] |= 1 << bit % 8
    return bytes(whole)


def deciding(folder: Path, link: int, carry: Carry) -> bytes:
    """Bits that decide, for each byte before the packet and its first INSIDE."""
    size = header_bytes(carry) + INSIDE
    seen = read_ports(folder, link, turned(numbered(carry), size))
    every = range(8 * size)
    return mask((bit for bit in every if FIRST_PORT + bit not in seen), size)


def opening(folder: Path, link: int, carry: Carry) -> bytes:
    """Bits that lead to a packet behind LLC."""
    size = header_bytes(carry)
    seen = read_ports(folder, link, turned(numbered(carry, SNAP + b"\x08\x00"), size))
    return mask((port - FIRST_PORT for port in seen), size)


def readable_lengths(folder: Path, link: int, carry: Carry) -> tuple[set[int], int]:
    """The captured bytes of the packet with which it is read; and its length."""
    frame = numbered(carry)
    size, headers = len(frame(0)), header_bytes(carry)
    cut = [(frame(number)[:number], size) for number in range(size + 1)]
    seen = read_ports(folder, link, cut)
    return {port - FIRST_PORT - headers for port in seen}, size - headers


def shown(mask: bytes) -> str:
    """A line of the table."""
    runs = ((byte, len(list(same))) for byte, same in groupby(mask))
    return " ".join(
        f"{b:02x}*{n}" if n > 2 else " ".join([f"{b:02x}"] * n) for b, n in runs
    )


def line(folder: Path, name: str) -> str:
    each = (deciding(folder, *EVERY[name]), opening(folder, *EVERY[name]))
    return " | ".join((name, *map(shown, each)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print("\n".join(line(Path(place), name) for name in EVERY))
