"""Silence of a guest that has to wait for a CPU."""

import time

import pytest

from mpbench.backends import processes
from mpbench.backends.processes import Used
from mpbench.backends.watching import Silence

BUSY = 7
"""A process that waits for a CPU for nine tenths of the time."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]

    def used(number: int) -> Used:
        waited_s = 0.9 * now[0] if number == BUSY else 0.0
        return Used(now[0], 0.0, waited_s, {1: 0.0}, {1: waited_s})

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(processes, "used", used)
    return now


def after(silence: Silence, clock: list[float], seconds: int, *sign: int) -> float:
    """Silence that counts when the guest has been silent for so long."""
    for _ in range(10 * seconds + 1):
        counted_s = silence.counted_s(sign)
        clock[0] += 0.1
    return counted_s


def test_waits_for_a_cpu_do_not_count(clock: list[float]) -> None:
    counted_s = after(Silence(BUSY, 5.0), clock, 200, 1)
    assert counted_s == pytest.approx(200 * 0.1, abs=10)


def test_a_guest_that_does_not_wait_is_silent(clock: list[float]) -> None:
    assert after(Silence(8, 5.0), clock, 200) == pytest.approx(200)


def test_a_sign_of_life_begins_anew(clock: list[float]) -> None:
    silence = Silence(BUSY, 5.0)
    after(silence, clock, 200, 1)
    assert silence.counted_s((2,)) == 0.0
    assert after(silence, clock, 4, 2) == pytest.approx(4.0)


def test_waits_are_those_between_two_looks() -> None:
    before = Used(10.0, 1.0, 2.0, {}, {1: 1.0, 2: 5.0, 3: 2.0})
    now = Used(14.0, 2.0, 5.0, {}, {1: 2.0, 2: 5.0, 4: 0.5})
    assert now.waited_s(before) == 1.5
    assert Used(11.0, 1.0, 2.0, {}, {1: 9.0}).waited_s(before) == 1.0
    assert now.computed(Used(10.0, 0.75, 2.0, {}, {1: 1.0, 2: 5.0}))
    assert not now.computed(Used(10.0, 0.76, 2.0, {}, {1: 1.0, 2: 5.0}))


def test_a_real_process_that_sleeps_waits_for_no_cpu() -> None:
    before = processes.used(1)
    assert before.at_s <= time.monotonic()
    assert set(before.waits_s) == set(before.each_s)
