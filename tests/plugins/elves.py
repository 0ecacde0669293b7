"""ELF files that tests make by hand, byte by byte."""

import struct
from collections.abc import Sequence

LOADER = b"/lib64/ld-linux-x86-64.so.2\0"
BASE = 0x400000


def elf(
    libraries: Sequence[str] = (),
    version: str = "",
    kind: int = 2,
    machine: int = 62,
    loader: bytes = LOADER,
    entry: int = BASE,
) -> bytes:
    """A program; static without libraries.

    version : the one of the C library that it asks for, such as GLIBC_2.34
    """
    strings = b"\0"
    places = []
    for name in (*libraries, version):
        places.append(len(strings))
        strings += name.encode() + b"\0"
    segments = 3 if libraries else 1
    start = 64 + 56 * segments
    text = start + len(loader)
    versions = text + len(strings)
    table = struct.pack("<HHIII", 1, 1, 0, 16, 0)
    table += struct.pack("<IHHII", 0, 0, 2, places[-1], 0)
    dynamic = versions + len(table)
    entries = [(1, place) for place in places[:-1]] + [(5, BASE + text)]
    if version:
        entries += [(0x6FFFFFFE, BASE + versions), (0x6FFFFFFF, 1)]
    tags = b"".join(struct.pack("<QQ", *pair) for pair in [*entries, (0, 0)])
    total = dynamic + len(tags)
    heads = [(1, 0, total)]
    if libraries:
        heads += [(3, start, len(loader)), (2, dynamic, len(tags))]
    made = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    made += struct.pack("<HHIQQQ", kind, machine, 1, entry, 64, 0)
    made += struct.pack("<IHHHHHH", 0, 64, 56, segments, 64, 0, 0)
    for number, at, length in heads:
        made += struct.pack("<IIQQQQQQ", number, 5, at, BASE + at, 0, length, length, 8)
    return made + loader + strings + table + tags
