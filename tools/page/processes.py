"""page: the load of a page, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.page.record import Page
from tools.processes import Process, over
from tools.web import HOME

PROGRAM = Path(__file__).with_name("programs") / "page.py"
PYTHON = ("python3", "-S", "-E")


def processes(
    index: int,
    entry: Page,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name, port = f"traffic-{index}", str(entry.port)
    program, settings = f"{HOME}/{name}/page.py", f"{HOME}/{name}/settings.json"
    source = address(entry.source, transport.path)
    ends = [address(entry.destination, None), port, source]
    return [
        Process(
            name=f"{name}-server",
            host=entry.destination,
            argv=over(transport, [*PYTHON, program, "serve", port]),
            role="server",
            output=f"{name}-server.json",
            listens=entry.port,
            lasting=True,
            files=((program, PROGRAM.read_text()), (settings, _settings(entry))),
        ),
        Process(
            name=f"{name}-client",
            host=entry.source,
            argv=over(transport, [*PYTHON, program, "load", *ends, settings]),
            role="client",
            output=f"{name}-client.json",
            start_s=entry.start_s,
        ),
    ]


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
