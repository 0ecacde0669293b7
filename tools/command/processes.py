"""command: any program, with a server or without, as lists of words and never a shell.

In the words, `{address}` is the server's address, `{port}` its port, `{source}` the
client's own address on its path, and `{duration}` the entry's duration in seconds.
`{{` and `}}` stand for braces.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tools.processes import Process, over

PLACES = ("address", "port", "source", "duration")
MOST_BYTES = 16 << 20
"""The largest file that such a program can write, its output included."""

_PLACE = re.compile(r"\{\{|\}\}|\{(" + "|".join(PLACES) + r")\}")


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The client of one traffic entry, and its server if it has one."""
    values = {
        "address": address(traffic["to"], None),
        "port": str(traffic["port"]),
        "source": address(traffic["from"], transport.get("path")),
        "duration": f"{traffic['duration_s']:.12g}",
    }
    name = f"traffic-{index}"
    client = Process(
        name=f"{name}-client",
        host=traffic["from"],
        argv=over(transport, filled(traffic["client"], values)),
        role="client",
        output=f"{name}-client.txt",
        start_s=traffic.get("start_s", 0.0),
        most_bytes=MOST_BYTES,
    )
    if traffic["server"] is None:
        return [client]
    ready = traffic["ready"]
    server = Process(
        name=f"{name}-server",
        host=traffic["to"],
        argv=over(transport, filled(traffic["server"], values)),
        role="server",
        output=f"{name}-server.txt",
        listens=traffic["port"] if ready in ("port", "udp_port") else None,
        udp=ready == "udp_port",
        says=traffic["ready_line"],
        lasting=True,
        most_bytes=MOST_BYTES,
    )
    return [server, client]


def filled(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words of a command with values in their places."""

    def value(match: re.Match[str]) -> str:
        return values[match[1]] if match[1] else match[0][0]

    return [_PLACE.sub(value, word) for word in words]
