"""pingpong: requests and answers in turn, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.own_programs import pair
from tools.pingpong.record import MOST_EXCHANGES, PingPong
from tools.processes import Process

PROGRAM = Path(__file__).with_name("programs") / "pingpong.py"


def processes(
    index: int,
    entry: PingPong,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
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
    return pair(
        index,
        entry,
        transport,
        address,
        program=PROGRAM,
        server=("answer", settings),
        client=("ask", settings),
    )
