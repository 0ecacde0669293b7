"""iperf3: bulk transfers of a given time or size, in either direction.

`mpbench-read` runs both ends. With `read: coalesced`, the reads of the receiver of the
data wait for `read_bytes`; an argument of 0 means that reads do not wait. It also
keeps iperf3 from polling without a pause.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tools.processes import Process, over


def processes(
    index: int,
    traffic: Mapping[str, Any],
    transport: Mapping[str, Any],
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    port = str(traffic["port"])
    interval = f"{traffic['interval_s']:g}"
    server = ["iperf3", "--server", "--one-off", "--port", port, "--json"]
    server += ["--interval", interval]
    client = ["iperf3", "--client", address(traffic["to"], None), "--port", port]
    client += ["--json", "--interval", interval]
    if traffic.get("bytes"):
        client += ["--bytes", str(traffic["bytes"])]
    else:
        client += ["--time", f"{traffic['duration_s']:g}"]
    if traffic.get("parallel", 1) > 1:
        client += ["--parallel", str(traffic["parallel"])]
    if traffic.get("reverse"):
        client += ["--reverse"]
    if transport.get("path"):
        client += ["--bind", address(traffic["from"], transport["path"])]
    reader, writer = (client, server) if traffic.get("reverse") else (server, client)
    coalesced = traffic.get("read") == "coalesced"
    reader[:0] = ["mpbench-read", str(traffic["read_bytes"]) if coalesced else "0"]
    writer[:0] = ["mpbench-read", "0"]
    return [
        Process(
            name=f"traffic-{index}-server",
            host=traffic["to"],
            argv=over(transport, server),
            role="server",
            output=f"traffic-{index}-server.json",
            listens=int(port),
        ),
        Process(
            name=f"traffic-{index}-client",
            host=traffic["from"],
            argv=over(transport, client),
            role="client",
            output=f"traffic-{index}-client.json",
            start_s=traffic.get("start_s", 0.0),
        ),
    ]
