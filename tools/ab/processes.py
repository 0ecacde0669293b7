"""ab (ApacheBench): requests to nginx, one or several at a time."""

from collections.abc import Callable

from jobs import Transport
from tools import web
from tools.ab.record import Ab
from tools.processes import Process, over

MOST_REQUESTS = 1_000_000
"""Limit of a test that is limited by time. Without it, ab would stop after 50,000
requests. ab allocates 32 bytes per request of the limit."""


def processes(
    index: int,
    entry: Ab,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name = f"traffic-{index}-client"
    table = f"{web.HOME}/{name}/percentiles.csv"
    client = ["ab", "-q", "-c", str(entry.concurrency), "-e", table]
    if entry.duration_s is not None:
        # -t sets the number of requests too, so it has to come before -n.
        client += ["-t", f"{entry.duration_s:g}"]
    client += ["-n", str(entry.requests or MOST_REQUESTS)]
    if entry.keep_alive:
        client.append("-k")
    if entry.timeout_s is not None:
        client += ["-s", f"{entry.timeout_s:g}"]
    if transport.path:
        client += ["-B", address(entry.source, transport.path)]
    client.append(web.url(entry, address(entry.destination, None)))
    return [
        web.server(index, entry, transport),
        Process(
            name=name,
            host=entry.source,
            argv=over(transport, client),
            role="client",
            output=f"{name}.txt",
            start_s=entry.start_s,
            leaves=((table, f"traffic-{index}-percentiles.csv"),),
        ),
    ]
