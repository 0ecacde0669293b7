"""The server and the client of a tool whose both ends are one Python file of ours."""

from collections.abc import Callable, Sequence
from pathlib import Path

from jobs import Entry, Transport
from tools.processes import Process, over
from tools.web import HOME

ENDING = Path(__file__).with_name("ending.py")
"""A file that every such program needs beside it."""
PYTHON = ("python3", "-S", "-E")


def folder(index: int) -> str:
    """The folder of an entry's files in a guest."""
    return f"{HOME}/traffic-{index}"


def pair(
    index: int,
    entry: Entry,
    transport: Transport,
    address: Callable[[str, int | None], str],
    *,
    program: Path,
    server: tuple[str, ...],
    client: tuple[str, str],
    beside: Sequence[tuple[str, str]] = (),
) -> list[Process]:
    """The server, which lasts, and the client; each prints JSON.

    program : the file, which a guest gets in the entry's folder
    server : the verb, and what follows the port
    client : the verb, and what follows address, port and source
    beside : names and texts of the files that the guest gets beside the program
    """
    name, port, here = f"traffic-{index}", str(entry.port), folder(index)
    place = f"{here}/{program.name}"
    served = [*PYTHON, place, server[0], port, *server[1:]]
    source = address(entry.source, transport.path)
    ends = [address(entry.destination, None), port, source]
    whole = (*beside, (ENDING.name, ENDING.read_text()))
    texts = [(f"{here}/{file}", text) for file, text in whole]
    return [
        Process(
            name=f"{name}-server",
            host=entry.destination,
            argv=over(transport, served),
            role="server",
            output=f"{name}-server.json",
            listens=entry.port,
            lasting=True,
            files=((place, program.read_text()), *texts),
        ),
        Process(
            name=f"{name}-client",
            host=entry.source,
            argv=over(transport, [*PYTHON, place, client[0], *ends, client[1]]),
            role="client",
            output=f"{name}-client.json",
            start_s=entry.start_s,
        ),
    ]
