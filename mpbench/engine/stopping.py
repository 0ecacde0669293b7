"""Ctrl-C and similar signals: the first stops cleanly, the second at once."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Which signal, if any, asked mpbench to stop."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @property
    def status(self) -> int:
        """The exit status that a shell expects: 128 plus the number of the signal."""
        return 128 + self.signal if self.signal else 0


@contextlib.contextmanager
def stopping(cancel: threading.Event, at_once: Callable[[], None]) -> Iterator[Stop]:
    """Set `cancel` at the first signal; leave the process at the second.

    at_once : called before leaving, to restore the terminal

    Outside the main thread signals cannot be caught, and nothing is changed.
    """
    stop = Stop()

    def caught(number: int, frame: FrameType | None) -> None:
        if stop.signal is not None:
            at_once()
            os._exit(128 + number)
        stop.signal = signal.Signals(number)
        cancel.set()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    caught_signals = [
        number for number in SIGNALS if before[number] is not signal.SIG_IGN
    ]
    for number in caught_signals:
        signal.signal(number, caught)
    try:
        yield stop
    finally:
        for number in caught_signals:
            signal.signal(number, before[number])
