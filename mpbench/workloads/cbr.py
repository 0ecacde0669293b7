"""cbr: a constant bit rate, with pauses or without, by our own program.

It sends datagrams, or writes into a connection of the entry's transport.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mpbench.workloads.processes import Process, over
from mpbench.workloads.web import HOME

PROGRAM = Path(__file__).parents[1] / "guest" / "cbr.py"
PYTHON = ("python3", "-S", "-E")


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The receiver and the sender of one traffic entry."""
    name, port = f"traffic-{index}", str(traffic["port"])
    program = f"{HOME}/{name}/cbr.py"
    source = address(traffic["from"], transport.get("path"))
    bursts = (traffic["duration_s"], traffic["burst_s"] or 0, traffic["pause_s"] or 0)
    numbers = [f"{value:.12g}" for value in (traffic["rate_mbps"] * 1e6, *bursts)]
    destination = address(traffic["to"], None)
    connected = traffic.get("over") == "connection"
    receiver = [*PYTHON, program, "receive", port]
    sender = [*PYTHON, program, "send", destination, port, source, *numbers]
    if connected:
        receiver = [*PYTHON, program, "read", port, *numbers[:2]]
        sender[len(PYTHON) + 1] = "write"
    return [
        Process(
            name=f"{name}-server",
            host=traffic["to"],
            argv=over(transport, receiver) if connected else tuple(receiver),
            role="server",
            output=f"{name}-server.json",
            listens=int(port),
            udp=not connected,
            lasting=not connected,
            files=((program, PROGRAM.read_text()),),
        ),
        Process(
            name=f"{name}-client",
            host=traffic["from"],
            argv=over(transport, sender) if connected else tuple(sender),
            role="client",
            output=f"{name}-client.json",
            start_s=traffic.get("start_s", 0.0),
        ),
    ]
