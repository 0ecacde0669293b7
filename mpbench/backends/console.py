"""Read a guest's console, while the guest runs and after it has ended.

The guest's first process (`kernel/guest/init.c`) prints ``mpbench: t N`` every virtual
second and, as its last line, ``mpbench: exit N`` or ``mpbench: limit``. All other lines
come from the kernel or from the guest code.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

LONGEST_BYTES = 16 * 1024 * 1024
"""A guest with a longer console is stopped."""

_TIME = re.compile(rb"^mpbench: t (\d+)\r?$", re.MULTILINE)
_END = re.compile(r"^mpbench: (?:exit (\d+)|(limit)|(cannot .*?))\r?$", re.MULTILINE)
_PANIC = re.compile(r"Kernel panic - not syncing: (.*?)\r?$", re.MULTILINE)
_OUT_OF_MEMORY = re.compile(r"Out of memory: Killed process \d+ \((.*?)\)")


class Follower:
    """Reads a console as it grows.

    descriptor : of the file that the guest's output goes to, open for reading
    report : called with the virtual seconds that the guest has counted
    """

    def __init__(self, descriptor: int, report: Callable[[float], None]) -> None:
        self._descriptor = descriptor
        self._report = report
        self._rest = b""
        self.length_bytes = 0
        self.virtual_s = 0.0

    def look(self) -> None:
        """Read what was printed since the last call."""
        said = os.pread(self._descriptor, LONGEST_BYTES, self.length_bytes)
        if not said:
            return
        self.length_bytes += len(said)
        whole, newline, self._rest = (self._rest + said).rpartition(b"\n")
        times = _TIME.findall(whole + newline)
        if times:
            self.virtual_s = float(times[-1])
            self._report(self.virtual_s)


@dataclass(frozen=True)
class Words:
    """A console's words about the guest's end.

    exit_code : that of the command that the guest ran; None if it never ended
    limit : whether virtual time ran out
    panic, out_of_memory, boot : what the console says about each; None if nothing
    """

    exit_code: int | None
    limit: bool
    panic: str | None
    out_of_memory: str | None
    boot: str | None


def last_words(text: str) -> Words:
    """The guest's end, according to its console."""
    code = limit = boot = None
    for match in _END.finditer(text):
        code, limit, boot = match.groups()
    panic = _PANIC.search(text)
    memory = _OUT_OF_MEMORY.search(text)
    return Words(
        exit_code=int(code) if code is not None else None,
        limit=limit is not None,
        panic=panic.group(1).strip() if panic else None,
        out_of_memory=memory.group(1) if memory else None,
        boot=boot,
    )
