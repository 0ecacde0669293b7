"""The end of a program of our own that lasts until its work or SIGTERM ends it.

The file lies beside such programs in guests.
"""

import os
import signal
import threading
from collections.abc import Callable

SIGNALS = {signal.SIGTERM, signal.SIGUSR1}


def block() -> None:
    """Keep the signals until `told_to_end` asks for them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def told_to_end(work: Callable[[], None]) -> bool:
    """Run `work` in a thread until it ends; True if SIGTERM came before."""

    def whole() -> None:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGUSR1)

    threading.Thread(target=whole, daemon=True).start()
    return signal.sigwait(SIGNALS) == signal.SIGTERM
