"""The largest file that programs of a user's own can write in a guest."""

from typing import Annotated

from jobs.marks import Bounds

MOST_BYTES = 16 << 20
"""The limit, output included, where the entry does not say one."""
FileLimit = Annotated[int, Bounds(1 << 10, 10**9)]
"""Bytes."""
