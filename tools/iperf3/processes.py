"""iperf3: bulk transfers of a given time or size, in either direction.

`mpbench-read` runs both ends. With `read: coalesced`, the reads of the receiver of the
data wait for `read_bytes`; an argument of 0 means that reads do not wait. With `read:
bulk`, the receiver also takes all that is there at once, and the sender hands several
blocks to the kernel at once. A sender that has to end after a certain block does not.
A receiver that has to end after some bytes does not wait for the last of them. iperf3
never looks at what it reads, so that is not copied. `mpbench-read` also keeps it from
polling without a pause.
"""

from collections.abc import Callable

from jobs import Transport
from tools.iperf3.record import Iperf3
from tools.processes import Process, over


def processes(
    index: int,
    entry: Iperf3,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The server and the client of one traffic entry."""
    port = str(entry.port)
    interval = f"{entry.interval_s:g}"
    server = ["iperf3", "--server", "--one-off", "--port", port, "--json"]
    server += ["--interval", interval]
    client = ["iperf3", "--client", address(entry.destination, None), "--port", port]
    client += ["--json", "--interval", interval]
    if entry.bytes:
        client += ["--bytes", str(entry.bytes)]
    else:
        client += ["--time", f"{entry.duration_s:g}"]
    if entry.parallel > 1:
        client += ["--parallel", str(entry.parallel)]
    if entry.reverse:
        client += ["--reverse"]
    if entry.nodelay:
        client += ["--no-delay"]
    if transport.path:
        client += ["--bind", address(entry.source, transport.path)]
    reader, writer = (client, server) if entry.reverse else (server, client)
    bulk = entry.read == "bulk"
    takes = ["--all"] if bulk else []
    waits_bytes = entry.read_bytes if entry.read != "packet" else 0
    if waits_bytes and entry.bytes and entry.reverse:
        takes.append(f"--end={entry.bytes}")
    reader[:0] = ["mpbench-read", *takes, str(waits_bytes)]
    ahead = ["--ahead"] if bulk and not entry.bytes else []
    writer[:0] = ["mpbench-read", *ahead, "0"]
    return [
        Process(
            name=f"traffic-{index}-server",
            host=entry.destination,
            argv=over(transport, server),
            role="server",
            output=f"traffic-{index}-server.json",
            listens=int(port),
        ),
        Process(
            name=f"traffic-{index}-client",
            host=entry.source,
            argv=over(transport, client),
            role="client",
            output=f"traffic-{index}-client.json",
            start_s=entry.start_s,
        ),
    ]
