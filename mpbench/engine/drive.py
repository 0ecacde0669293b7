"""The loop of the main thread, from events to display and saving."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mpbench.engine import pool, stopping
from mpbench.engine.display import Display
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished, Progress

STOPPING = (
    "Stopping: giving up the runs in flight. Press Ctrl-C again to leave at once."
)


@dataclass(frozen=True)
class Work:
    """A batch of tasks and what is to happen around them.

    slots : a number for each task that may be in flight at the same time
    do : executes a task (in a worker's thread)
    concluded : turns what `do` returned into what a display shows (in the main thread)
    hopeless : whether the work was stopped because too many runs in a row gave no
        result
    place : what a display calls a slot
    tick : called several times per second; may write interim results
    """

    tasks: Sequence[Task]
    slots: Sequence[int]
    do: pool.Do
    concluded: Callable[[Task, Any], Finished]
    tick: Callable[[], None] = lambda: None
    hopeless: Callable[[], bool] = lambda: False
    place: Callable[[int], str] = lambda cpu: f"cpu {cpu}"


@dataclass(frozen=True)
class Driven:
    """The end of a batch.

    progress : the final counts
    signal_status : 0, or the exit status of the signal that stopped it
    error : what a task raised, if that stopped it
    given_up : tasks that were in flight at the stop
    hopeless : whether too many runs in a row gave no result
    """

    progress: Progress
    signal_status: int
    error: BaseException | None
    given_up: int
    hopeless: bool


def drive(work: Work, display: Display) -> Driven:
    """Do all the work, or as much as signals and errors allow."""
    progress = Progress(len(work.tasks), sum(task.expected_s for task in work.tasks))
    cancel = threading.Event()
    error: BaseException | None = None
    given_up = 0
    announced = False
    shown_s = 0.0
    with stopping.stopping(cancel, display.close) as stop:
        try:
            for event in pool.work(work.tasks, work.slots, work.do, cancel):
                match event:
                    case pool.Started(task, slot):
                        progress.started(task, slot, work.place(slot))
                    case pool.Advanced(task, virtual_s):
                        progress.advanced(task, virtual_s)
                    case pool.Ended(task, None):
                        progress.cancelled(task)
                        given_up += 1
                    case pool.Ended(task, result):
                        end = work.concluded(task, result)
                        progress.ended(task, end.verdict, end.virtual_s)
                        display.finished(end, progress)
                    case pool.Broke(task, raised):
                        progress.cancelled(task)
                        error = error or raised
                if stop.signal is not None and not announced:
                    announced = True
                    display.note(STOPPING)
                if time.monotonic() - shown_s >= pool.TICK_S:
                    work.tick()
                    display.refresh(progress)
                    shown_s = time.monotonic()
        finally:
            cancel.set()
            display.close()
    return Driven(progress, stop.status, error, given_up, work.hopeless())
