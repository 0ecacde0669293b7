"""How much memory guests have."""

from collections.abc import Mapping
from typing import Any

MIB = 1 << 20
USUAL_MIB = 1024
LEAST_MIB, MOST_MIB = 256, 65_536
"""What an experiment may ask for."""


def of_job(job: Mapping[str, Any]) -> int:
    """The memory of a run's guest, MiB."""
    return int((job.get("guest") or {}).get("memory_mib", USUAL_MIB))


def words(memory_mib: int) -> str:
    """The size as an experiment file says it."""
    gib = memory_mib / 1024
    return f"{gib:g} GiB" if memory_mib % 512 == 0 else f"{memory_mib} MiB"
