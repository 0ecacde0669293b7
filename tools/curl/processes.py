"""curl: one download over HTTP/1.1, from nginx."""

from collections.abc import Callable, Mapping
from typing import Any

from tools import web
from tools.processes import Process, over


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name = f"traffic-{index}-client"
    # -q must come first. It keeps curl from reading the user's configuration.
    client = ["curl", "-q", "--silent", "--show-error", "--http1.1", "--noproxy", "*"]
    client += ["--output", "/dev/null", "--write-out", "%{json}\n"]
    if traffic.get("timeout_s") is not None:
        client += ["--max-time", f"{traffic['timeout_s']:g}"]
    if transport.get("path"):
        client += ["--interface", address(traffic["from"], transport["path"])]
    client.append(web.url(traffic, address(traffic["to"], None)))
    return [
        web.server(index, traffic, transport),
        Process(
            name=name,
            host=traffic["from"],
            argv=over(transport, client),
            role="client",
            output=f"{name}.json",
            start_s=traffic.get("start_s", 0.0),
        ),
    ]
