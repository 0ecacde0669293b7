"""sync: files over several connections, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.own_programs import folder, pair
from tools.processes import Process
from tools.sync.record import Sync

PROGRAM = Path(__file__).with_name("programs") / "sync.py"


def processes(
    index: int,
    entry: Sync,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    file = "settings.json"
    return pair(
        index,
        entry,
        transport,
        address,
        program=PROGRAM,
        server=("serve",),
        client=("copy", f"{folder(index)}/{file}"),
        beside=((file, _settings(entry)),),
    )


def _settings(entry: Sync) -> str:
    return json.dumps(
        {
            "get": entry.reverse,
            "connections": entry.connections,
            "ahead": entry.ahead,
            "timeout_s": entry.timeout_s,
            "sizes": entry.sizes,
        }
    )
