"""One change of one place of a source file."""

import ctypes
import signal
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1


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


def die_with_parent() -> None:
    """End this process with its parent: a mutant may loop when the time is over."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
