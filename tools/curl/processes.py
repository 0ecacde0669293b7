"""curl: one download over HTTP/1.1, from nginx."""

from collections.abc import Callable

from jobs import Transport
from tools import web
from tools.curl.record import Curl
from tools.processes import Process, over


def processes(
    index: int,
    entry: Curl,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name = f"traffic-{index}-client"
    # -q must come first. It keeps curl from reading the user's configuration.
    client = ["curl", "-q", "--silent", "--show-error", "--http1.1", "--noproxy", "*"]
    client += ["--output", "/dev/null", "--write-out", "%{json}\n"]
    if entry.timeout_s is not None:
        client += ["--max-time", f"{entry.timeout_s:g}"]
    if transport.path:
        client += ["--interface", address(entry.source, transport.path)]
    client.append(web.url(entry, address(entry.destination, None)))
    return [
        web.server(index, entry, transport),
        Process(
            name=name,
            host=entry.source,
            argv=over(transport, client),
            role="client",
            output=f"{name}.json",
            start_s=entry.start_s,
        ),
    ]
