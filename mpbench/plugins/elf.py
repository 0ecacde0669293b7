"""Heads of ELF files: for which machine a program is, and which libraries it needs.

The file is a stranger's. Nothing of it is executed or mapped: its tables are read with
all offsets checked. (System V ABI, chapters 4 and 5; the versions of symbols are those
of the Linux Standard Base, "Symbol Versioning".)
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MACHINES = {3: "i386", 40: "ARM", 183: "ARM64", 243: "RISC-V", 21: "PowerPC"}
X86_64 = 62
LOADER = "/lib64/ld-linux-x86-64.so.2"
EXECUTABLES = (2, 3)
"""Types of files that can be executed: at a fixed address, or at any."""
MOST_SEGMENTS = 256
MOST_DYNAMIC = 4096
MOST_NAMES = 256
MOST_NAME_BYTES = 255
LOAD, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, STRINGS = 1, 5
VERSIONS, VERSIONS_COUNT = 0x6FFFFFFE, 0x6FFFFFFF
"""Tags of the dynamic section."""


@dataclass(frozen=True)
class Program:
    """A program that an x86-64 guest can execute, apart from its libraries.

    libraries : the names of the libraries that it is linked with; none if it is static
    glibc : the newest version of the C library that it asks for; None for none
    """

    libraries: tuple[str, ...]
    glibc: tuple[int, ...] | None


@dataclass(frozen=True)
class _Segment:
    kind: int
    offset: int
    address: int
    bytes: int


def described(content: bytes, keep: Callable[[bytes], str]) -> dict[str, Any]:
    """Hash, size and needs of a program, as `plugins:` holds them.

    keep : keeps the file, and returns its hash
    Raises ValueError, one line, for a file that is no such program.
    """
    head = read(content)
    needs: dict[str, Any] = {}
    if head.libraries:
        needs["libraries"] = list(head.libraries)
    if head.glibc:
        needs["glibc"] = ".".join(map(str, head.glibc))
    return {"sha256": keep(content), "bytes": len(content), **needs}


def read(content: bytes) -> Program:
    """The program in a file. Raises ValueError, one line, for anything else."""
    if content[:4] != b"\x7fELF":
        reason = "not an ELF file"
        if content[:2] == b"#!":
            reason += " but a script; a tool in Python runs one"
        raise ValueError(f"{reason}; compile a program for Linux on x86-64")
    if len(content) < 64 or content[4] not in (1, 2) or content[5] not in (1, 2):
        raise ValueError("an ELF file that is cut short; build it again")
    order = "<" if content[5] == 1 else ">"
    kind, machine = struct.unpack_from(f"{order}HH", content, 16)
    if machine != X86_64 or content[4] != 2 or order != "<":
        named = MACHINES.get(machine, f"another machine ({machine})")
        if machine == X86_64:
            named = f"{'big-endian' if order == '>' else '32-bit'} machines"
        raise ValueError(f"for {named}; guests are x86-64, so compile it for that")
    if kind not in EXECUTABLES:
        raise ValueError("an ELF file that is no program; link it as an executable")
    try:
        segments = list(_segments(content))
        return _program(content, segments)
    except (struct.error, IndexError, OverflowError):
        raise ValueError("an ELF file with a damaged head; build it again") from None


def _segments(content: bytes) -> Iterator[_Segment]:
    (offset,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    if size != 56 or not 0 < count <= MOST_SEGMENTS:
        raise IndexError
    for number in range(count):
        kind, _, at, address, _, length = struct.unpack_from(
            "<IIQQQQ", content, offset + number * size
        )
        if at + length > len(content):
            raise IndexError
        yield _Segment(kind, at, address, length)


def _program(content: bytes, segments: list[_Segment]) -> Program:
    named = next((s for s in segments if s.kind == INTERPRETER), None)
    table = next((s for s in segments if s.kind == DYNAMIC), None)
    if not any(s.kind == LOAD for s in segments):
        raise IndexError
    if named is None:
        (entry,) = struct.unpack_from("<Q", content, 24)
        if not entry or (table and _entries(content, table).get(NEEDED)):
            raise ValueError("a library and no program; link it as an executable")
        return Program((), None)
    loader = content[named.offset : named.offset + named.bytes].rstrip(b"\0")
    if loader != LOADER.encode():
        shown = loader[:60].decode("ascii", "replace")
        shown = "".join(c if c.isprintable() else "?" for c in shown)
        raise ValueError(
            f"needs the loader '{shown}', which guests lack; link it statically"
        )
    if table is None:
        raise IndexError
    entries = _entries(content, table)
    strings = _at(segments, entries[STRINGS][0]) if STRINGS in entries else 0
    libraries = tuple(
        _text(content, strings + at) for at in entries.get(NEEDED, ())[:MOST_NAMES]
    )
    if VERSIONS not in entries:
        return Program(libraries, None)
    count = entries.get(VERSIONS_COUNT, [0])[0]
    start = _at(segments, entries[VERSIONS][0])
    asked = list(_versions(content, start, min(count, MOST_NAMES), strings))
    return Program(libraries, max(asked, default=None))


def _entries(content: bytes, table: _Segment) -> dict[int, list[int]]:
    """The values of the dynamic section, by tag."""
    found: dict[int, list[int]] = {}
    for number in range(min(table.bytes // 16, MOST_DYNAMIC)):
        tag, value = struct.unpack_from("<QQ", content, table.offset + 16 * number)
        if tag == 0:
            break
        found.setdefault(tag, []).append(value)
    return found


def _at(segments: list[_Segment], address: int) -> int:
    """The place in the file of an address. Raises IndexError if it has none."""
    for each in segments:
        if each.kind == LOAD and 0 <= address - each.address < each.bytes:
            return each.offset + address - each.address
    raise IndexError


def _text(content: bytes, at: int) -> str:
    end = content.find(b"\0", at, at + MOST_NAME_BYTES + 1)
    name = content[at:end].decode("ascii", "replace")
    if end < 0 or not name.isprintable() or not name or "/" in name:
        raise IndexError
    return name


def _versions(
    content: bytes, at: int, count: int, strings: int
) -> Iterator[tuple[int, ...]]:
    """The versions of the C library that symbols ask for, as numbers."""
    for _ in range(count):
        _, names, _, first, following = struct.unpack_from("<HHIII", content, at)
        place = at + first
        for _ in range(min(names, MOST_NAMES)):
            _, _, _, name, beyond = struct.unpack_from("<IHHII", content, place)
            words = _text(content, strings + name).split("_")
            numbers = words[1].split(".") if words[0] == "GLIBC" and words[1:] else []
            if numbers and all(part.isdigit() for part in numbers):
                yield tuple(int(part[:6]) for part in numbers)
            place += beyond
        at += following
