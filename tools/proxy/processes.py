"""The proxy: a program of our own, which ends connections and opens others."""

from collections.abc import Callable
from pathlib import Path

from jobs import Transport
from tools.own_programs import PYTHON, folder
from tools.processes import Process
from tools.proxy.record import TCP, Proxy

PROGRAM = Path(__file__).with_name("programs") / "relay.py"


def processes(
    index: int,
    entry: Proxy,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The proxy. It opens its sockets itself, so it needs no `mptcpize`."""
    name, place = f"traffic-{index}-server", f"{folder(index)}/{PROGRAM.name}"
    to = [address(entry.destination, None), str(entry.port)]
    if entry.opens == TCP:
        to.append(address(entry.source, transport.path or 1))
    return [
        Process(
            name=name,
            host=entry.source,
            argv=(*PYTHON, place, str(entry.listens), entry.accepts, entry.opens, *to),
            role="server",
            output=f"{name}.json",
            listens=entry.listens,
            lasting=True,
            files=((place, PROGRAM.read_text()),),
        )
    ]
