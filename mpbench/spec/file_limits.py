"""The key `file_limit` of entries whose programs are the user's own."""

from typing import Annotated

from mpbench.spec.traffic import Json
from mpbench.spec.values import Quantity

FileLimit = Annotated[float, Quantity("bytes", 1 << 10, 1e9)]


def limited(file_limit: float | None) -> Json:
    """The limit in a job; nothing for the usual one."""
    return {} if file_limit is None else {"file_limit_bytes": int(file_limit)}
