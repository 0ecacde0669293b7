"""Memory of guests."""

from jobs.guest import LEAST_MIB as LEAST_MIB
from jobs.guest import MIB as MIB
from jobs.guest import MOST_MIB as MOST_MIB
from jobs.guest import USUAL_MIB as USUAL_MIB


def words(memory_mib: int) -> str:
    """The size as an experiment file says it."""
    gib = memory_mib / 1024
    return f"{gib:g} GiB" if memory_mib % 512 == 0 else f"{memory_mib} MiB"
