"""cbr: a constant bit rate, with pauses or without, by programs of our own.

One sends datagrams, the other writes into a connection of the entry's transport.
"""

from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.cbr.record import Cbr
from tools.processes import Process, over
from tools.web import HOME

PROGRAM = Path(__file__).with_name("programs") / "cbr.py"
MESSAGES = PROGRAM.with_name("messages.py")
PYTHON = ("python3", "-S", "-E")


def processes(
    index: int,
    entry: Cbr,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The receiver and the sender of one traffic entry."""
    name, port = f"traffic-{index}", str(entry.port)
    source = address(entry.source, transport.path)
    bursts = (entry.duration_s, entry.burst_s or 0, entry.pause_s or 0)
    numbers = [f"{value:.12g}" for value in (entry.rate_mbps * 1e6, *bursts)]
    to = [address(entry.destination, None), port, source, *numbers]
    connected = entry.over_connection
    size = [] if entry.size_bytes is None else [str(entry.size_bytes)]
    if connected:
        file, program = MESSAGES, f"{HOME}/{name}/messages.py"
        receiver = over(
            transport, [*PYTHON, program, "read", port, *numbers[:2], *size]
        )
        sender = over(transport, [*PYTHON, program, "write", *to, *size])
    else:
        file, program = PROGRAM, f"{HOME}/{name}/cbr.py"
        receiver = (*PYTHON, program, "receive", port, numbers[1])
        sender = (*PYTHON, program, "send", *to, *size)
    return [
        Process(
            name=f"{name}-server",
            host=entry.destination,
            argv=receiver,
            role="server",
            output=f"{name}-server.json",
            listens=int(port),
            udp=not connected,
            lasting=not connected,
            files=((program, file.read_text()),),
        ),
        Process(
            name=f"{name}-client",
            host=entry.source,
            argv=sender,
            role="client",
            output=f"{name}-client.json",
            start_s=entry.start_s,
        ),
    ]
