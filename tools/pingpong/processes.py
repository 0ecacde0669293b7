"""pingpong: requests and answers in turn, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.pingpong.record import MOST_EXCHANGES, PingPong
from tools.processes import Process, over
from tools.web import HOME

PROGRAM = Path(__file__).with_name("programs") / "pingpong.py"
PYTHON = ("python3", "-S", "-E")


def processes(
    index: int,
    entry: PingPong,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name, port = f"traffic-{index}", str(entry.port)
    program = f"{HOME}/{name}/pingpong.py"
    settings = json.dumps(
        {
            "request": entry.request_bytes,
            "answer": entry.answer_bytes,
            "nodelay": entry.nodelay,
            "writes": entry.writes,
            "number": entry.number or MOST_EXCHANGES,
            "duration_s": entry.duration_s,
            "think_s": entry.think_s,
            "timeout_s": entry.timeout_s,
            "keepalive_s": entry.keepalive_s,
        }
    )
    ends = [
        address(entry.destination, None),
        port,
        address(entry.source, transport.path),
    ]
    return [
        Process(
            name=f"{name}-server",
            host=entry.destination,
            argv=over(transport, [*PYTHON, program, "answer", port, settings]),
            role="server",
            output=f"{name}-server.json",
            listens=entry.port,
            lasting=True,
            files=((program, PROGRAM.read_text()),),
        ),
        Process(
            name=f"{name}-client",
            host=entry.source,
            argv=over(transport, [*PYTHON, program, "ask", *ends, settings]),
            role="client",
            output=f"{name}-client.json",
            start_s=entry.start_s,
        ),
    ]
