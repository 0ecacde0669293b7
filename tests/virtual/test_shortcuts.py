"""Shortcuts of the guest kernel change nothing that a program can see."""

from pathlib import Path

from .lab import lab_with, script

CLOCK = """
import time
readings = [time.monotonic_ns() for _ in range(5000)]
print("steps", {b - a for a, b in zip(readings, readings[1:])})
before = time.monotonic_ns()
time.sleep(0.02)
print("slept", time.monotonic_ns() - before >= 20_000_000)
print("dates agree", abs(time.time() - time.clock_gettime(time.CLOCK_REALTIME)) < 1e-5)
began, turns = time.monotonic(), 0
while time.monotonic() - began < 0.01:
    turns += 1
print("turns", turns)
"""

MEMORY = """
import mmap, os
LENGTH = 1 << 20
memory = mmap.mmap(-1, LENGTH, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory[300_000] = 7
print("clear", sum(memory[:]) == 7)
child = os.fork()
if not child:
    memory[300_001] = 9
    memory[900_000] = 9
    os._exit(sum(memory[:]))
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("parent", sum(memory[:]))
"""


def console(folder: Path, text: str) -> list[str]:
    ended, artefacts = lab_with(folder, script(f"exec({text!r})")).execute({"seed": 1})
    assert ended.status == "finished"
    return (artefacts / "console.log").read_text().splitlines()


def test_a_reading_of_the_clock_costs_what_the_system_call_does(tmp_path: Path) -> None:
    # time.c: a reading costs TIMER_MULTIPLIER, 256 ns
    assert console(tmp_path, CLOCK)[:4] == [
        "steps {256}",
        "slept True",
        "dates agree True",
        "turns 39062",
    ]


def test_memory_brought_in_ahead_is_clear_and_private(tmp_path: Path) -> None:
    said = console(tmp_path, MEMORY)
    assert said[:3] == ["clear True", "child 25", "parent 7"]
