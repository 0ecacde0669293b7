"""The CPUs that runs are pinned to: one run a CPU."""

import math
import os
import threading
from pathlib import Path

from mpbench.errors import UserError


def choose(jobs: int | None, max_parallel: int | None = None) -> list[int]:
    """The CPUs for as many workers as asked, lowest numbers first.

    jobs : workers wanted; None for one a CPU, or fewer where the container's
        share of CPU time is smaller
    max_parallel : the backend's own limit
    Raises UserError if no CPU can be pinned to, or fewer than asked.
    """
    usable = pinnable()
    if not usable:
        raise UserError(
            "no CPU to pin a run to: the system refuses every CPU of this process's "
            "set; start mpbench outside the cpuset or sandbox that limits it"
        )
    if max_parallel is not None and (jobs or 1) > max_parallel:
        raise UserError(
            f"-j {jobs}: this backend runs {max_parallel} at a time; "
            f"give -j {max_parallel} or leave it out"
        )
    if jobs is not None and jobs > len(usable):
        listed = ", ".join(map(str, usable))
        raise UserError(
            f"-j {jobs}: more than the {len(usable)} that this process may use "
            f"(CPU {listed}); give at most {len(usable)}"
        )
    wanted = jobs or min(len(usable), share() or len(usable))
    return usable[: min(wanted, max_parallel or wanted)]


def pinnable() -> list[int]:
    """The CPUs of this process's set that a thread can in truth be pinned to.

    Tried in a thread of its own, as a pin holds for the calling thread alone.
    """
    found: list[int] = []

    def attempt() -> None:
        for cpu in sorted(os.sched_getaffinity(0)):
            try:
                os.sched_setaffinity(0, {cpu})
            except OSError:
                continue
            found.append(cpu)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found


def share(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Whole CPUs' worth of time that the container grants (cgroup 2 ``cpu.max``).

    None where there is no such limit.
    """
    try:
        quota, period = (root / "cpu.max").read_text().split()[:2]
    except (OSError, ValueError):
        return None
    if quota == "max":
        return None
    return max(1, math.floor(int(quota) / int(period)))
