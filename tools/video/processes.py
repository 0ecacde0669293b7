"""video: adaptive video, by a program of our own."""

import json
from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.own_programs import pair
from tools.processes import Process
from tools.video.record import Video

PROGRAM = Path(__file__).with_name("programs") / "video.py"
RULES = PROGRAM.with_name("rules.py")


def processes(
    index: int,
    entry: Video,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the player of one traffic entry."""
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
    return pair(
        index,
        entry,
        transport,
        address,
        program=PROGRAM,
        server=("serve",),
        client=("play", settings),
        beside=((RULES.name, RULES.read_text()),),
    )
