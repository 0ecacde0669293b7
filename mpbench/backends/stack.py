"""The command line of a guest's program, as the host finds it in the program's memory.

A guest's kernel gives each address space to a process of the host, with the addresses
that the program sees. At the end of its stack Linux has put, upwards: the auxiliary
vector, the name of the platform, the arguments, the environment, and the path of the
file that is executed, each with a zero byte behind it, and eight more zero bytes.

A guest may come from a stranger, so nothing that is read here is more than a text.
"""

import contextlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

PROC = Path("/proc")
GUEST = "uml-userspace"
"""The name of such a process of the host."""
MOST_BYTES = 64 << 10
"""Bytes of a stack that are looked at."""
END, PLATFORM = bytes(8), b"x86_64\0"
VARIABLE = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*=")


def command_line(number: int) -> list[str]:
    """The command line of a guest's program; empty if it cannot be told.

    number : the process of the host that has its address space
    """
    place = PROC / str(number)
    with contextlib.suppress(OSError, ValueError, OverflowError):
        if (place / "comm").read_text().strip() != GUEST:
            return []
        parts = ranges((place / "maps").read_text())
        with (place / "mem").open("rb", buffering=0) as memory:
            for low, high in reversed(parts):
                size = min(high - low, MOST_BYTES)
                found = os.pread(memory.fileno(), size, high - size)
                if words := arguments(found):
                    return words
    return []


def ranges(maps: str) -> list[tuple[int, int]]:
    """Parts of an address space that can be written, joined where one follows on the
    other; from the text of /proc/N/maps."""
    found: list[tuple[int, int]] = []
    for line in maps.splitlines():
        place, rights = line.split()[:2]
        low, high = (int(word, 16) for word in place.split("-"))
        if not rights.startswith("rw"):
            continue
        if found and found[-1][1] == low:
            found[-1] = (found[-1][0], high)
        else:
            found.append((low, high))
    return found


def arguments(stack: bytes) -> list[str]:
    """The arguments at the end of a stack; none if this is no end of a stack."""
    if not stack.endswith(END):
        return []
    _, platform, strings = stack[: -len(END)].rpartition(PLATFORM)
    if not platform:
        return []
    # The kernel aligns what stands below the arguments.
    words = strings.lstrip(b"\0").split(b"\0")
    if len(words) < 2 or words[-1]:
        return []
    argv = list(_until_environment(words[:-2]))
    return [word.decode("ascii", "backslashreplace") for word in argv]


def _until_environment(words: Sequence[bytes]) -> Sequence[bytes]:
    for place, word in enumerate(words):
        if place and VARIABLE.match(word):
            return words[:place]
    return words
