"""video: adaptive video, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.processes import Process, over
from tools.video.record import Video
from tools.web import HOME

PROGRAM = Path(__file__).with_name("programs") / "video.py"
RULES = PROGRAM.with_name("rules.py")
PYTHON = ("python3", "-S", "-E")


def processes(
    index: int,
    entry: Video,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the player of one traffic entry."""
    name, port = f"traffic-{index}", str(entry.port)
    program, rules = f"{HOME}/{name}/video.py", f"{HOME}/{name}/rules.py"
    settings = json.dumps(
        {
            "chunk_s": entry.chunk_s,
            "chunks": entry.chunks,
            "rates_mbps": entry.rates_mbps,
            "buffer_s": entry.buffer_s,
            "resume_s": entry.resume_s,
            "rule": entry.rule,
            "timeout_s": entry.timeout_s,
        }
    )
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
            files=((program, PROGRAM.read_text()), (rules, RULES.read_text())),
        ),
        Process(
            name=f"{name}-client",
            host=entry.source,
            argv=over(transport, [*PYTHON, program, "play", *ends, settings]),
            role="client",
            output=f"{name}-client.json",
            start_s=entry.start_s,
        ),
    ]
