"""ab (ApacheBench): requests to nginx, one or several at a time."""

from collections.abc import Callable, Mapping
from typing import Any

from tools import web
from tools.processes import Process, over

MOST_REQUESTS = 1_000_000
"""Limit of a test that is limited by time. Without it, ab would stop after 50,000
requests. ab allocates 32 bytes per request of the limit."""


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    name = f"traffic-{index}-client"
    table = f"{web.HOME}/{name}/percentiles.csv"
    client = ["ab", "-q", "-c", str(traffic["concurrency"]), "-e", table]
    if traffic["duration_s"] is not None:
        # -t sets the number of requests too, so it has to come before -n.
        client += ["-t", f"{traffic['duration_s']:g}"]
    client += ["-n", str(traffic["requests"] or MOST_REQUESTS)]
    if traffic["keep_alive"]:
        client.append("-k")
    if traffic["timeout_s"] is not None:
        client += ["-s", f"{traffic['timeout_s']:g}"]
    if transport.get("path"):
        client += ["-B", address(traffic["from"], transport["path"])]
    client.append(web.url(traffic, address(traffic["to"], None)))
    return [
        web.server(index, traffic, transport),
        Process(
            name=name,
            host=traffic["from"],
            argv=over(transport, client),
            role="client",
            output=f"{name}.txt",
            start_s=traffic.get("start_s", 0.0),
            leaves=((table, f"traffic-{index}-percentiles.csv"),),
        ),
    ]
