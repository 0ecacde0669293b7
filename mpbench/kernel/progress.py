"""Shows the step that a build is in, its duration and its progress."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

EVERY_S = 10
"""Seconds between two lines where the output is not a terminal."""


class Progress:
    """Shows steps as a bar on a terminal, and as plain lines elsewhere."""

    def __init__(self, stream: IO[str] | None = None, every_s: float = EVERY_S):
        self._stream = stream or sys.stderr
        self._every_s = every_s

    def say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    @contextmanager
    def step(
        self, name: str, what: str, total: int | None = None
    ) -> Iterator[Callable[[], None]]:
        """Show a step while it lasts. Yields a function to call for each finished file.

        total : the expected number of files; None if it is not known
        """
        start = time.monotonic()
        bar = self._bar if self._stream.isatty() else self._lines
        with bar(name, what, total) as advance:
            yield advance
        self.say(f"{name:<9} {what}: {time.monotonic() - start:.1f} s")

    @contextmanager
    def _bar(
        self, name: str, what: str, total: int | None
    ) -> Iterator[Callable[[], None]]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Rich

        columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
        if total:
            columns += [
                MofNCompleteColumn(),
                TextColumn("files, to go"),
                TimeRemainingColumn(),
            ]
        console = Console(file=self._stream, highlight=False)
        with Rich(*columns, console=console, transient=True) as rich:
            task = rich.add_task(f"{name:<9} {what}", total=total)
            yield lambda: rich.advance(task)

    @contextmanager
    def _lines(
        self, name: str, what: str, total: int | None
    ) -> Iterator[Callable[[], None]]:
        start = time.monotonic()
        done = 0
        over = threading.Event()

        def advance() -> None:
            nonlocal done
            done += 1

        def tell() -> None:
            while not over.wait(self._every_s):
                elapsed_s = time.monotonic() - start
                self.say(f"{name:<9} {_so_far(done, total, elapsed_s)}")

        self.say(f"{name:<9} {what} ...")
        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield advance
        finally:
            over.set()
            teller.join()


def _so_far(done: int, total: int | None, elapsed_s: float) -> str:
    text = f"{elapsed_s:.0f} s"
    if done and total:
        left_s = max(0, total - done) * elapsed_s / done
        text += f", {done} of {total} files, about {left_s:.0f} s to go"
    elif done:
        text += f", {done} files"
    return text
