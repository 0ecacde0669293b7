"""A bound on the bytes that this process reads from a cluster."""

import asyncio
import struct
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from distributed import Client, Worker
from distributed.comm.core import connect, listen
from distributed.protocol.compression import compressions

from mpbench.backends.base import Exit
from mpbench.cluster import sizes
from mpbench.cluster.messages import MIB, MOST_PACKED_BYTES, Answer, too_large
from mpbench.cluster.scheduler import BareScheduler

BOUND = 1 << 20
SECONDS = 60


async def answered(serve: Callable[[Any], Awaitable[object]]) -> Any:
    """The message that this process reads from a peer that serves a connection so."""
    opened: Any = connect
    listener: Any = listen("tcp://127.0.0.1:0", serve)  # type: ignore[no-untyped-call]
    async with listener:
        comm = await opened(listener.contact_address, timeout=SECONDS)
        try:
            return await asyncio.wait_for(comm.read(), SECONDS)
        finally:
            comm.abort()


def sends(*messages: object) -> Callable[[Any], Awaitable[object]]:
    async def serve(comm: Any) -> None:
        for message in messages:
            await comm.write(message)

    return serve


def test_a_message_below_the_bound_is_read() -> None:
    with sizes.bounded(BOUND):
        assert asyncio.run(answered(sends(b"x" * (BOUND // 2)))) == b"x" * (BOUND // 2)


@pytest.mark.parametrize("parts", [1, 2, 100])
def test_a_message_above_the_bound_is_refused(parts: int) -> None:
    message = [b"x" * (2 * BOUND // parts)] * parts
    with sizes.bounded(BOUND), pytest.raises(sizes.RefusedError, match="more than"):
        asyncio.run(answered(sends(message)))
    assert asyncio.run(answered(sends(message))) is not None


def test_an_announcement_takes_no_memory() -> None:
    """A peer that announces 2^60 bytes, and sends none of them."""

    async def serve(comm: Any) -> None:
        comm.stream.write(struct.pack("Q", 1 << 60))
        await asyncio.sleep(5)

    with sizes.bounded(BOUND), pytest.raises(sizes.RefusedError, match="more than"):
        asyncio.run(answered(serve))


def test_what_is_compressed_is_refused() -> None:
    """A message of 1 MB may become a thousand."""
    before = dict(compressions)
    with sizes.bounded(BOUND):
        with pytest.raises(sizes.RefusedError, match="compressed"):
            compressions["zlib"].decompress(b"")
        assert compressions[None] == before[None]
    assert compressions == before


def large() -> bytes:
    return b"x" * (64 * BOUND)


async def gathered() -> Any:
    """The value of a task whose worker answers with too much, by the scheduler."""
    client_of: Any = Client
    options = {"host": "127.0.0.1", "port": 0, "dashboard": False}
    async with (
        BareScheduler(**options) as scheduler,
        Worker(scheduler.address, nthreads=1, dashboard=False),
        client_of(scheduler.address, asynchronous=True) as client,
    ):
        future = client.submit(large, pure=False)
        return await asyncio.wait_for(future.result(), SECONDS)


def test_the_scheduler_says_that_a_value_was_refused() -> None:
    """Dask would ask for it for ever."""
    with sizes.bounded(BOUND):
        assert asyncio.run(gathered()) == sizes.REFUSED
        assert sizes.refused
    assert not sizes.refused


def test_a_run_that_is_too_large_to_send_has_a_reason() -> None:
    reason = too_large(MOST_PACKED_BYTES + 1)
    assert reason.startswith(f"the run has {MOST_PACKED_BYTES // MIB + 1} MiB")
    ended = replace(Exit("finished", "", 1.0, 1.0), reason=reason)
    read = Answer.load(Answer("host", "tls://a:1", exit=ended).dump())
    assert read.packed is None
    assert read.exit == ended
