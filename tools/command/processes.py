"""command: any program, with a server or without, as lists of words and never a shell.

In the words, `{address}` is the server's address, `{port}` its port, `{source}` the
client's own address on its path, and `{duration}` the entry's duration in seconds.
`{{` and `}}` stand for braces.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from jobs import Transport
from tools.command.record import PLACES as PLACES
from tools.command.record import Command
from tools.processes import Process, over

_PLACE = re.compile(r"\{\{|\}\}|\{(" + "|".join(PLACES) + r")\}")


def processes(
    index: int,
    entry: Command,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The client of one traffic entry, and its server if it has one."""
    values = {
        "address": address(entry.destination, None),
        "port": str(entry.port),
        "source": address(entry.source, transport.path),
        "duration": f"{entry.duration_s:.12g}",
    }
    name = f"traffic-{index}"
    client = Process(
        name=f"{name}-client",
        host=entry.source,
        argv=over(transport, filled(entry.client, values)),
        role="client",
        output=f"{name}-client.txt",
        start_s=entry.start_s,
        most_bytes=entry.most_file_bytes,
    )
    if entry.server is None:
        return [client]
    ready = entry.ready
    server = Process(
        name=f"{name}-server",
        host=entry.destination,
        argv=over(transport, filled(entry.server, values)),
        role="server",
        output=f"{name}-server.txt",
        listens=entry.port if ready in ("port", "udp_port") else None,
        udp=ready == "udp_port",
        says=entry.ready_line,
        lasting=True,
        most_bytes=entry.most_file_bytes,
    )
    return [server, client]


def filled(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words of a command with values in their places."""

    def value(match: re.Match[str]) -> str:
        return values[match[1]] if match[1] else match[0][0]

    return [_PLACE.sub(value, word) for word in words]
