"""Workers: each task once, on a CPU of its own, and an end to all of it."""

import threading
from collections.abc import Callable, Sequence

from mpbench.engine import pool
from mpbench.engine.pool import Advanced, Broke, Ended, Event, Started, Task

TASKS = [Task(f"id{index}", "", 1.0, index) for index in range(20)]


def events(
    do: pool.Do,
    cpus: Sequence[int] = (0, 1),
    tasks: Sequence[Task] = TASKS,
    cancel: threading.Event | None = None,
) -> list[Event]:
    cancel = cancel or threading.Event()
    return [event for event in pool.work(tasks, cpus, do, cancel) if event]


def test_every_task_is_done_once() -> None:
    def do(
        task: Task, cpu: int, report: Callable[[float], None], cancel: threading.Event
    ) -> object:
        report(0.5)
        return task.subject**2

    found = events(do)
    ended = [event for event in found if isinstance(event, Ended)]
    assert sorted(event.result for event in ended) == [n * n for n in range(20)]
    assert sum(isinstance(event, Advanced) for event in found) == 20
    assert {event.slot for event in found if isinstance(event, Started)} <= {0, 1}


def test_a_cpu_has_one_task_at_a_time() -> None:
    busy: dict[int, threading.Lock] = {0: threading.Lock(), 1: threading.Lock()}

    def do(
        task: Task, cpu: int, report: Callable[[float], None], cancel: threading.Event
    ) -> object:
        assert busy[cpu].acquire(blocking=False)
        cancel.wait(0.002)
        busy[cpu].release()
        return True

    assert not [event for event in events(do) if isinstance(event, Broke)]


def test_tasks_begin_in_order() -> None:
    found = events(lambda *_: True, cpus=(0,))
    began = [event.task for event in found if isinstance(event, Started)]
    assert began == TASKS


def test_a_task_that_raises_stops_the_others() -> None:
    def do(
        task: Task, cpu: int, report: Callable[[float], None], cancel: threading.Event
    ) -> object:
        if task.subject == 3:
            raise KeyError(task.subject)
        return True

    found = events(do, cpus=(0,))
    assert [event.task.subject for event in found if isinstance(event, Broke)] == [3]
    assert sum(isinstance(event, Started) for event in found) == 4


def test_cancelling_ends_after_the_tasks_in_flight() -> None:
    cancel = threading.Event()

    def do(
        task: Task, cpu: int, report: Callable[[float], None], cancel: threading.Event
    ) -> object:
        if task.subject == 5:
            cancel.set()
            return None
        return True

    found = events(do, cpus=(0,), cancel=cancel)
    assert found[-1] == Ended(TASKS[5], None)


def test_nothing_to_do_is_done_at_once() -> None:
    assert events(lambda *_: True, tasks=[]) == []


def test_silence_is_broken_by_ticks() -> None:
    def do(
        task: Task, cpu: int, report: Callable[[float], None], cancel: threading.Event
    ) -> object:
        cancel.wait(0.1)
        return True

    found = list(pool.work(TASKS[:1], [0], do, threading.Event(), tick_s=0.01))
    assert None in found
