"""page: the load of a page, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.own_programs import folder, pair
from tools.page.record import Page
from tools.processes import Process

PROGRAM = Path(__file__).with_name("programs") / "page.py"


def processes(
    index: int,
    entry: Page,
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
        client=("load", f"{folder(index)}/{file}"),
        beside=((file, _settings(entry)),),
    )


def _settings(entry: Page) -> str:
    return json.dumps(
        {
            "most": entry.connections,
            "request": entry.request_bytes,
            "timeout_s": entry.timeout_s,
            "objects": [
                {
                    "bytes": each.bytes,
                    "after": sorted(set(each.after)),
                    "wait_s": each.wait_s,
                    "origin": each.origin,
                }
                for each in entry.objects
            ],
        }
    )
