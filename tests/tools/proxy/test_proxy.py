"""The proxy by itself, over the loopback interface, and its report."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tools.proxy import results
from tools.proxy.programs import relay

PROGRAM = Path(relay.__file__)
REPORT = {
    "accepted": 2,
    "opened": 1,
    "failed": 1,
    "up_bytes": 10,
    "down_bytes": 20,
    "most_held_bytes": 5,
    "waits_s": [0.25],
    "lasted_s": [1.5],
    "error": "Connection refused",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def proxy(port: int, to: int) -> Iterator[dict[str, Any]]:
    """A proxy of plain TCP; its report is there when the context ends."""
    report: dict[str, Any] = {}
    argv = [str(port), "tcp", "tcp", "127.0.0.1", str(to)]
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), *argv], stdout=subprocess.PIPE
    ) as process:
        try:
            yield report
        finally:
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=10)
            report |= json.loads(output)


def connected(port: int) -> socket.socket:
    """A connection to a proxy that may still be starting."""
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except ConnectionRefusedError:
            time.sleep(0.02)
    raise AssertionError("the proxy does not listen")


def whole(inlet: socket.socket) -> bytes:
    return b"".join(iter(lambda: inlet.recv(1 << 16), b""))


def test_data_and_their_end_pass_in_both_directions() -> None:
    port, listener = free_port(), socket.create_server(("127.0.0.1", 0))
    request, answer = bytes(range(256)) * 4096, b"answer" * 100_000
    with proxy(port, listener.getsockname()[1]) as report:
        client = connected(port)
        server, _ = listener.accept()
        server.settimeout(10)
        client.sendall(request[:1000])
        assert server.recv(1000)
        # The server does not read, so the proxy holds back, and then the client's end.
        client.settimeout(1)
        sent = 0
        with pytest.raises(TimeoutError):
            while True:
                sent += client.send(request)
        client.settimeout(10)
        client.shutdown(socket.SHUT_WR)
        server.sendall(answer)
        server.shutdown(socket.SHUT_WR)
        assert whole(client) == answer
        arrived = len(whole(server))
    assert report["up_bytes"] in (1000 + sent, arrived + 1000)
    assert report["down_bytes"] == len(answer)
    assert report["most_held_bytes"] < relay.MOST_BYTES + relay.PIECE_BYTES
    assert (report["accepted"], report["opened"], report["failed"]) == (1, 1, 0)
    assert len(report["waits_s"]) == len(report["lasted_s"]) == 1


def test_a_reset_passes() -> None:
    port, listener = free_port(), socket.create_server(("127.0.0.1", 0))
    with proxy(port, listener.getsockname()[1]) as report:
        client = connected(port)
        server, _ = listener.accept()
        client.sendall(b"x")
        assert server.recv(1) == b"x"
        server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, relay.RESET)
        server.close()
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    assert report["error"] == "Connection reset by peer"


def test_a_client_learns_late_that_nobody_listens() -> None:
    port, closed = free_port(), free_port()
    with (
        proxy(port, closed) as report,
        # The reset follows at once, so it can be seen while connect() still returns.
        pytest.raises(ConnectionResetError),
        connected(port) as client,
    ):
        client.recv(1)
    assert (report["accepted"], report["opened"], report["failed"]) == (1, 0, 1)
    assert report["error"] == "Connection refused"


def test_a_report_is_read() -> None:
    read = results.parse(REPORT, "report")
    columns = results.columns(None, read)  # type: ignore[arg-type]
    assert columns["proxy.failed"] == 1
    assert columns["proxy.longest_wait_ms"] == 250.0
    assert results.lasted(None, read).longer_than(1.0) == 1  # type: ignore[arg-type]
    (reason,) = results.wrong(None, read)  # type: ignore[arg-type]
    assert reason == "the proxy could not open 1 connection: Connection refused"


@pytest.mark.parametrize(
    "change",
    [
        {"accepted": -1},
        {"accepted": True},
        {"up_bytes": "1"},
        {"waits_s": 3},
        {"lasted_s": [float("nan")]},
        {"lasted_s": [-1]},
    ],
)
def test_what_is_no_report_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"r\.json: not a report of a proxy"):
        results.parse({**REPORT, **change}, "r.json")
