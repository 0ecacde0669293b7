"""ab (ApacheBench): requests one after the other, or several at a time, to nginx."""

from collections.abc import Callable, Mapping
from typing import Any

from mpbench.workloads import web
from mpbench.workloads.processes import Process, over

MOST_REQUESTS = 1_000_000
"""Of a timed test, which ab would else end after 50,000; it takes 32 bytes for each."""


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
        client += ["-t", f"{traffic['duration_s']:g}"]  # sets -n, so goes before it
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
