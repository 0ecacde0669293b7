"""Shows a campaign by plain lines; `live_display` has the panel of terminals."""

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from mpbench.engine.durations import span
from mpbench.engine.progress import Finished, Progress, counts

if TYPE_CHECKING:
    from rich.console import Console

SAME = "same"
GOOD = ("ok", SAME)
TAIL_SHOWN = 5


class Display(Protocol):
    def note(self, text: str) -> None:
        """Print a line that is not about the end of a run."""

    def finished(self, end: Finished, progress: Progress) -> None:
        """Print how a run ended."""

    def refresh(self, progress: Progress) -> None:
        """Show where things stand; called several times per second."""

    def close(self) -> None:
        """Restore the terminal."""


class Lines:
    """A console whose library is loaded when more than plain lines are printed.

    stderr : whether it prints to the standard error
    """

    def __init__(self, stderr: bool = False) -> None:
        self._stderr = stderr

    @cached_property
    def console(self) -> "Console":
        """The console of the library."""
        from rich.console import Console

        return Console(highlight=False, stderr=self._stderr)

    def print(self, text: str, **style: Any) -> None:
        """Print a line. style : as the library takes it, for text without any"""
        if "console" in self.__dict__:
            self.console.print(text, **style)
        else:
            print(text, file=sys.stderr if self._stderr else sys.stdout)


class LineDisplay:
    """Prints one line per run, for logs, pipes and continuous integration."""

    def __init__(self, console: "Console | Lines") -> None:
        self._console = console

    def note(self, text: str) -> None:
        self._say(text)

    def finished(self, end: Finished, progress: Progress) -> None:
        width = len(str(progress.total))
        self._say(
            f"[{progress.done:{width}}/{progress.total}] {end.task.id} "
            f"{end.task.label}: {end.verdict}, {pace(end)}, "
            f"ETA {span(progress.eta_s)}"
        )
        for line in complaint(end):
            self._say(f"    {line}")

    def refresh(self, progress: Progress) -> None:
        pass

    def close(self) -> None:
        pass

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def pace(end: Finished) -> str:
    """``30.0 virtual s in 1.5 s (20x)``."""
    speed = end.virtual_s / end.wall_s if end.wall_s > 0 else 0.0
    times = f"{speed:.0f}x" if speed >= 10 else f"{speed:.1f}x"
    return f"{end.virtual_s:.1f} virtual s in {end.wall_s:.1f} s ({times})"


def complaint(end: Finished) -> list[str]:
    """The reason of a run that is not good, and the end of its console."""
    if end.verdict in GOOD and not (end.verdict == SAME and end.reason):
        return []
    reason = [end.reason] if end.reason else []
    return reason + [f"| {line}" for line in end.tail[-TAIL_SHOWN:]]


def summary(progress: Progress) -> str:
    """``12 runs in 8 s (24.1 virtual s/s): 11 ok, 1 failed``."""
    runs = f"{progress.done} run{'' if progress.done == 1 else 's'}"
    return (
        f"{runs} in {span(progress.elapsed_s)} "
        f"({progress.rate:.1f} virtual s/s): {counts(progress.verdicts)}"
    )
