"""A bound on what this process reads from a cluster.

Dask reads as many bytes as a peer announces, and decompresses what it sends. So whoever
has a worker's key could fill the memory of a campaign's process. Here a message that
announces more than a run's answer may have ends its connection before any of it is
read, and compressed parts are refused: `mpbench` compresses answers itself.
"""

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from mpbench.cluster.messages import MOST_HEADER_BYTES, MOST_PACKED_BYTES

MOST_BYTES = MOST_PACKED_BYTES + 2 * MOST_HEADER_BYTES
"""Of a message: an archive, its header, and Dask's own words."""
TOO_MUCH = "more than a run may have"
REFUSED = "refused"
"""Stands in a scheduler's answer for the value that was not read."""

refused: set[str] = set()
"""The addresses of peers whose messages were refused."""


class RefusedError(OSError):
    """A peer sends too much, or what is not read."""


@contextlib.contextmanager
def bounded(most: int = MOST_BYTES) -> Iterator[None]:
    """Bound all messages that this process reads while the context lasts."""
    tcp: Any = importlib.import_module("distributed.comm.tcp")
    compressions: Any = importlib.import_module(
        "distributed.protocol.compression"
    ).compressions
    read, read_bytes = tcp.TCP.read, tcp.read_bytes_rw
    kinds = dict(compressions)
    left: dict[Any, int] = {}

    async def read_message(comm: Any, deserializers: Any = None) -> Any:
        stream = comm.stream
        left[stream] = most
        try:
            return await read(comm, deserializers)
        except RefusedError:
            refused.add(comm.peer_address)
            raise
        finally:
            left.pop(stream, None)

    async def read_part(stream: Any, count: int) -> Any:
        left[stream] = left.get(stream, most) - count
        if left[stream] < 0:
            raise RefusedError(TOO_MUCH)
        return await read_bytes(stream, count)

    def decompress(*_: Any) -> bytes:
        raise RefusedError("a message that is compressed")

    tcp.TCP.read, tcp.read_bytes_rw = read_message, read_part
    compressions.update(
        (name, kind._replace(decompress=decompress))
        for name, kind in kinds.items()
        if kind.name
    )
    try:
        yield
    finally:
        tcp.TCP.read, tcp.read_bytes_rw = read, read_bytes
        compressions.update(kinds)
        refused.clear()
