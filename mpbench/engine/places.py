"""Places where runs are executed: on this machine's CPUs, or elsewhere."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from mpbench.backends.base import Report
from mpbench.engine.execute import ExecutionContext, Outcome, execute
from mpbench.engine.types import PlannedRun

Accept = Callable[[str], bool]


class Places(Protocol):
    """Executes runs, several at a time.

    slots : a number for each run that may be in flight at the same time
    """

    @property
    def slots(self) -> Sequence[int]: ...

    def name(self, slot: int) -> str:
        """Name of the slot in a display."""
        ...

    def summary(self, runs: int) -> str:
        """Places where that many runs will be executed, for the opening line."""
        ...

    def execute(
        self,
        run: PlannedRun,
        context: ExecutionContext,
        slot: int,
        report: Report,
        cancel: threading.Event,
        accept: Accept,
    ) -> Outcome | None:
        """As `mpbench.engine.execute.execute`; called from a thread per slot."""
        ...


class LocalCpus:
    """One run per CPU of this machine; a slot is the number of a CPU."""

    def __init__(self, cpus: Sequence[int]) -> None:
        self.slots = tuple(cpus)

    def name(self, slot: int) -> str:
        return f"cpu {slot}"

    def summary(self, runs: int) -> str:
        used = self.slots[:runs]
        return f"CPU{'' if len(used) == 1 else 's'} {', '.join(map(str, used))}"

    def execute(
        self,
        run: PlannedRun,
        context: ExecutionContext,
        slot: int,
        report: Report,
        cancel: threading.Event,
        accept: Accept,
    ) -> Outcome | None:
        return execute(run, context, slot, report, cancel, accept)
