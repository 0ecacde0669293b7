"""One change of one place of a source file."""

import ctypes
import math
import os
import resource
import signal
import time
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1
PATIENCE = 4
"""A mutant that sleeps ends after this many times the CPU time that it may use: tests
take longer on a busy machine."""


@dataclass(frozen=True)
class Mutant:
    """file : relative to the root of the project
    line : counted from 1
    column : where the change begins in the line, counted from 0
    operator : the kind of change
    before, after : the text that is replaced, and by what
    text : the line as it was, without space around it
    """

    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    text: str

    def of(self, source: str) -> str:
        """The source with this change."""
        lines = source.split("\n")
        whole = lines[self.line - 1]
        end = self.column + len(self.before)
        assert whole[self.column : end] == self.before
        lines[self.line - 1] = whole[: self.column] + self.after + whole[end:]
        return "\n".join(lines)

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.operator}: {self.before} -> "
            f"{self.after or 'nothing'}: {self.text}"
        )


def bounded(cpu_s: float) -> None:
    """Make this process a group that ends with its parent, because a mutant may loop,
    and after so much CPU time."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    seconds = math.ceil(cpu_s)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def became(child: int, cpu_s: float) -> str:
    """survived if a child passes the tests; found if it fails, crashes or hangs.

    cpu_s : as `bounded` has it
    """
    end = time.monotonic() + PATIENCE * cpu_s
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "survived" if code == 0 else "found"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "found"
