"""Data arrives as it was sent, byte for byte, and the connection ends."""

import itertools
import random
import socket
from pathlib import Path

from tests.virtual.integrity import End
from tests.virtual.transfers import (
    DIRECTIONS,
    FAULTS,
    SCHEDULERS,
    WAYS,
    failures,
    matrix,
    run,
    transfer,
)


def exchange(sent: bytes, expected: bytes) -> str:
    """Words of the receiver when it expects something else than is sent."""
    ends = [
        End(name, connection, sends, expects)
        for name, connection, sends, expects in zip(
            ("client", "server"),
            socket.socketpair(),
            (sent, b""),
            (b"", expected),
            strict=True,
        )
    ]
    for end in ends:
        end.start("send", 0.0)
    for end in ends:
        for thread in end.threads:
            thread.join()
        end.connection.close()
    return "; ".join(end.error for end in ends if end.error)


def test_the_comparison_sees_a_changed_a_missing_and_a_further_byte() -> None:
    data = random.Random(1).randbytes(100_000)
    changed = data[:70_000] + bytes([data[70_000] ^ 1]) + data[70_001:]
    assert exchange(data, data) == ""
    assert "byte 70000 of 100000" in exchange(changed, data)
    assert "ended after 99999 of 100000" in exchange(data[:-1], data)
    assert "byte 100000 of 100000" in exchange(data + b"x", data)


def test_every_scheduler_under_every_fault(tmp_path: Path) -> None:
    wanted = [item for item in matrix() if item["controller"] == "lia"]
    assert len(wanted) == len(SCHEDULERS) * len(FAULTS)
    # Paths lose 1 %, and a SYN that is sent again can find its path dark. With this
    # seed no connection loses a subflow so.
    seen = run(tmp_path, wanted, seed=7)
    assert failures(seen) == []
    assert all(
        record["counters"]["MPTcpExtMPJoinSynAckRx"] >= 2
        for record in seen["transfers"]
    )
    reinjecting = [
        record["counters"]["MPTcpExtMPTCPRetrans"]
        for record in seen["transfers"]
        if ", reinject, " in record["name"]
    ]
    assert min(reinjecting) > 0


def test_a_closed_subflow_does_not_stall_a_connection_that_reinjects(
    tmp_path: Path,
) -> None:
    """The data of a closed subflow is sent again from before snd_nxt, which lies at
    the end of the receive window."""
    turns = itertools.product(("cubic", "reno", "vegas"), DIRECTIONS, WAYS)
    wanted = [
        transfer(controller, "reinject", "subflow closed", direction, way)
        for controller, direction, way in turns
    ]
    assert failures(run(tmp_path, wanted)) == []


def test_dead_paths_become_stale_while_the_receive_window_is_full(
    tmp_path: Path,
) -> None:
    """Reinjection brings some transfers past the dead paths without a timeout of the
    connection; in most, the timeouts must be counted."""
    wanted = [
        transfer(controller, "reinject", "first path dark", direction, "send")
        for controller in ("balia", "cubic", "lia", "lia_rfc6356")
        for direction in ("up", "both")
    ]
    seen = run(tmp_path, wanted)
    assert failures(seen) == []
    stale = [
        record["counters"]["MPTcpExtSubflowStale"] > 0 for record in seen["transfers"]
    ]
    assert sum(stale) > len(stale) / 2, stale
