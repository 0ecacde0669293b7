"""Share of the time for which a process, with all that it started, computes."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

BUSY = 0.5
"""The part of a time from which on processes count as busy."""
PROC = Path("/proc")


@dataclass(frozen=True)
class Used:
    """CPU time of the living processes of a tree so far.

    at_s : when, on a clock of the host's
    cpu_s : CPU time
    ready_s : CPU time, and the time that they waited for a CPU
    each_s : CPU time of each, by its number
    waits_s : time that each waited for a CPU, by its number
    """

    at_s: float
    cpu_s: float
    ready_s: float
    each_s: Mapping[int, float] = field(default_factory=dict)
    waits_s: Mapping[int, float] = field(default_factory=dict)

    def was_ready(self, before: "Used") -> bool:
        """Whether one of the processes wanted to compute for most of the time."""
        return self.ready_s - before.ready_s >= BUSY * (self.at_s - before.at_s)

    def computed(self, before: "Used") -> bool:
        """Whether they computed for most of the time in which they did not wait."""
        could_s = self.at_s - before.at_s - self.waited_s(before)
        return self.cpu_s - before.cpu_s >= BUSY * could_s

    def waited_s(self, before: "Used") -> float:
        """Time since then for which they waited for a CPU.

        They take turns: a guest's kernel waits while one of its programs computes.
        """
        waited_s = sum(
            wait_s - before.waits_s.get(number, 0.0)
            for number, wait_s in self.waits_s.items()
        )
        return min(waited_s, self.at_s - before.at_s)

    def busiest(self, before: "Used") -> list[int]:
        """The processes that were there before, from the one that has computed most
        since then. Those that did not compute are left out."""
        took = {
            number: cpu_s - before.each_s[number]
            for number, cpu_s in self.each_s.items()
            if cpu_s > before.each_s.get(number, cpu_s)
        }
        return sorted(took, key=lambda number: -took[number])


def used(pid: int) -> Used:
    """CPU time of a process and the processes below it."""
    parents = dict(_parents())
    cpu_ns = wait_ns = 0
    each_s: dict[int, float] = {}
    waits_s: dict[int, float] = {}
    for number in parents:
        if _below(number, pid, parents):
            try:
                words = (PROC / str(number) / "schedstat").read_text().split()
                cpu_ns, wait_ns = cpu_ns + int(words[0]), wait_ns + int(words[1])
                each_s[number] = int(words[0]) / 1e9
                waits_s[number] = int(words[1]) / 1e9
            except (OSError, ValueError, IndexError):
                continue
    ready_s = (cpu_ns + wait_ns) / 1e9
    return Used(time.monotonic(), cpu_ns / 1e9, ready_s, each_s, waits_s)


def _parents() -> Iterator[tuple[int, int]]:
    """The number and the parent of each process of this machine."""
    for place in PROC.glob("[0-9]*"):
        try:
            # The name before the last parenthesis may hold spaces.
            words = (place / "stat").read_text().rpartition(")")[2].split()
            yield int(place.name), int(words[1])
        except (OSError, ValueError, IndexError):
            continue


def _below(number: int, pid: int, parents: dict[int, int]) -> bool:
    while number > 1:
        if number == pid:
            return True
        number = parents.get(number, 0)
    return False
