"""Modules of a kernel in the order in which they can be loaded.

A module names the modules that it needs in its section `.modinfo`; what it needs of the
kernel itself stands there in no way.
"""

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from mpbench.backends.qemu.binaries import module_name
from mpbench.errors import UserError

NEEDED = ("loop", "erofs", "overlay")
"""The root's modules. A kernel may have them built in."""
WANTED = (
    *NEEDED,
    "veth",
    "dummy",
    "ifb",
    "bridge",
    "af_packet",
    "inet_diag",
    "tcp_diag",
    "udp_diag",
    "mptcp_diag",
    "tcp_bbr",
    "tcp_vegas",
    "sch_cake",
    "sch_codel",
    "sch_fq",
    "sch_fq_codel",
    "sch_htb",
    "sch_ingress",
    "sch_netem",
    "sch_pie",
    "sch_prio",
    "sch_red",
    "sch_tbf",
    "cls_matchall",
    "cls_u32",
    "act_mirred",
)
"""All that a run may need. A module without a file counts as built in."""
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
ELF64 = b"\x7fELF\x02\x01"
INFO = b".modinfo"


def ordered(folder: Path, wanted: Iterable[str] = WANTED) -> list[Path]:
    """The files of these modules, each after the files of those that it needs.

    folder : has NAME.ko of every module that is not built in

    Raises UserError for a file that is no module, and for modules that need each other.
    """
    found: dict[str, Path] = {}
    for name in wanted:
        _add(name, folder, found, ())
    return list(found.values())


def _add(
    name: str, folder: Path, found: dict[str, Path], above: tuple[str, ...]
) -> None:
    file = folder / f"{name}.ko"
    if name in found or not file.is_file():
        return
    if name in above:
        raise UserError(f"{file}: needs itself ({' -> '.join((*above, name))})")
    for other in needs(file):
        _add(other, folder, found, (*above, name))
    found[name] = file


def needs(file: Path) -> list[str]:
    """The names of the modules that a module needs.

    Raises UserError for a file that is no module of Linux.
    """
    return needs_of(file.read_bytes(), str(file))


def needs_of(content: bytes, shown: str) -> list[str]:
    """The same of a module's content. shown : the file in messages"""
    try:
        words = dict(_information(content))
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{shown}: no module of Linux: {error}") from None
    return [module_name(n) for n in words.get("depends", "").split(",") if n]


def _information(content: bytes) -> Iterator[tuple[str, str]]:
    """The pairs of names and values in `.modinfo`."""
    for name, text in _sections(content):
        if name == INFO:
            for word in text.split(b"\0"):
                if b"=" in word:
                    key, _, value = word.decode().partition("=")
                    yield key, value
            return
    raise ValueError(f"it has no section {INFO.decode()}")


def _sections(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The name and the content of each section of an ELF file."""
    if content[: len(ELF64)] != ELF64:
        raise ValueError("no ELF file of a 64-bit machine")
    head = HEADER.unpack_from(content)
    start, size, count, names = head[6], head[11], head[12], head[13]
    if size != SECTION.size:
        raise ValueError(f"sections of {size} bytes")
    listed = [SECTION.unpack_from(content, start + size * i) for i in range(count)]
    if names >= len(listed):
        raise ValueError("its sections have no names")
    texts = _part(content, listed[names])
    for section in listed:
        name = texts[section[0] :].partition(b"\0")[0]
        if name == INFO:
            yield name, _part(content, section)


def _part(content: bytes, section: tuple[int, ...]) -> bytes:
    offset, size = section[4], section[5]
    part = content[offset : offset + size]
    if len(part) != size:
        raise ValueError("it ends before its last section")
    return part
