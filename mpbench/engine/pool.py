"""Workers, one per slot, that do tasks in order and report to the main thread."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mpbench.backends.base import Report

TICK_S = 0.125
"""The longest time that the main thread waits for an event."""


@dataclass(frozen=True)
class Task:
    """One execution to be done.

    expected_s : virtual seconds that the execution will probably take
    subject : what the `do` function needs
    """

    id: str
    label: str
    expected_s: float
    subject: Any = None


@dataclass(frozen=True)
class Started:
    task: Task
    slot: int


@dataclass(frozen=True)
class Advanced:
    task: Task
    virtual_s: float


@dataclass(frozen=True)
class Ended:
    """`result` is what `do` returned; None means cancelled."""

    task: Task
    result: Any


@dataclass(frozen=True)
class Broke:
    """`do` raised: the pool stops, and `error` is to be raised in the main thread."""

    task: Task
    error: BaseException


Event = Started | Advanced | Ended | Broke
Do = Callable[[Task, int, Report, threading.Event], Any]


def work(
    tasks: Sequence[Task],
    slots: Sequence[int],
    do: Do,
    cancel: threading.Event,
    tick_s: float = TICK_S,
) -> Iterator[Event | None]:
    """Do all `tasks`, yielding events as they happen and None at least each tick.

    slots : a number for each worker, which `do` is given; of a CPU, for example
    Ends when every task is done, or, once `cancel` is set, when the tasks in
    flight have ended. A task that raises sets `cancel`. The threads are daemons, so
    they go on if the caller leaves the loop early.
    """
    waiting = deque(tasks)
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    working = min(len(slots), len(tasks))
    for slot in slots[:working]:
        arguments = (waiting, slot, do, cancel, events)
        threading.Thread(target=_worker, args=arguments, daemon=True).start()
    while working:
        try:
            event = events.get(timeout=tick_s)
        except queue.Empty:
            yield None
            continue
        if event is None:
            working -= 1
        else:
            yield event


def _worker(
    waiting: deque[Task],
    slot: int,
    do: Do,
    cancel: threading.Event,
    events: "queue.SimpleQueue[Event | None]",
) -> None:
    while not cancel.is_set():
        try:
            task = waiting.popleft()
        except IndexError:
            break
        events.put(Started(task, slot))
        try:
            result = do(task, slot, _reporter(task, events), cancel)
        except BaseException as error:
            cancel.set()
            events.put(Broke(task, error))
        else:
            events.put(Ended(task, result))
    events.put(None)


def _reporter(task: Task, events: "queue.SimpleQueue[Event | None]") -> Report:
    return lambda virtual_s: events.put(Advanced(task, virtual_s))
