"""The machine that a run's guest is, where it is not the usual one."""

from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Bounds

MIB = 1 << 20
USUAL_MIB = 1024
LEAST_MIB, MOST_MIB = 256, 65_536
"""The range of memory that an experiment may ask for."""


@dataclass(frozen=True, kw_only=True)
class Guest:
    """memory_mib : the memory of the guest, MiB"""

    memory_mib: Annotated[int, Bounds(LEAST_MIB, MOST_MIB)]
