"""cbr: a constant bit rate over UDP, with pauses or without, by our own program."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mpbench.workloads.processes import Process
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
    return [
        Process(
            name=f"{name}-server",
            host=traffic["to"],
            argv=(*PYTHON, program, "receive", port),
            role="server",
            output=f"{name}-server.json",
            listens=int(port),
            udp=True,
            lasting=True,
            files=((program, PROGRAM.read_text()),),
        ),
        Process(
            name=f"{name}-client",
            host=traffic["from"],
            argv=(*PYTHON, program, "send", destination, port, source, *numbers),
            role="client",
            output=f"{name}-client.json",
            start_s=traffic.get("start_s", 0.0),
        ),
    ]
