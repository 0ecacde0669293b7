"""The CPUs that runs are pinned to, one run per CPU."""

import math
import os
import threading
from pathlib import Path

from mpbench.errors import UserError


def choose(jobs: int | None, max_parallel: int | None = None) -> list[int]:
    """The CPUs for the workers, lowest numbers first.

    jobs : the number of workers; None for one per CPU, or for fewer if the container's
        share of CPU time is smaller
    max_parallel : the backend's own limit
    Raises UserError if a thread can be pinned to no CPU, or to fewer than `jobs`.
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
    count = jobs or min(len(usable), share() or len(usable))
    return usable[: min(count, max_parallel or count)]


def pinnable() -> list[int]:
    """The CPUs of this process's set that a thread can be pinned to.

    Some sandboxes list CPUs that they then refuse, so each is tried. A pin holds for
    the calling thread alone, so a thread of its own tries them.
    """
    accepted: list[int] = []

    def attempt() -> None:
        for cpu in sorted(os.sched_getaffinity(0)):
            try:
                os.sched_setaffinity(0, {cpu})
            except OSError:
                continue
            accepted.append(cpu)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return accepted


def share(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """CPUs' worth of time that the container grants (cgroup 2 ``cpu.max``).

    A whole number; None if there is no such limit.
    """
    try:
        quota, period = (root / "cpu.max").read_text().split()[:2]
    except (OSError, ValueError):
        return None
    if quota == "max":
        return None
    return max(1, math.floor(int(quota) / int(period)))
