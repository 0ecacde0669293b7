"""One connection that always has data, and the windows of its subflows; in the guest.

The job's `shares` says how: `controller`, `seconds`, `skip_s` at the beginning,
`single` (whether to stay on one path, and which). Writes `artefacts/shares.json`: by
path the average of the window over time, `cwnd`, and the root of that of its square,
`rms`, in segments; of each path's link `packets` and how many of them were `lost` at
random meanwhile; and the part of the samples with `both` subflows.
"""

import contextlib
import json
import socket
import threading
import time
from pathlib import Path

from mpbench.guest.main import build_network
from mpbench.guest.network import Nodes
from mpbench.guest.snapshot import tool_output
from tests.virtual.churn import IPPROTO_MPTCP
from tests.virtual.records import record
from tests.virtual.trace import open_in, receive
from topologies.network import Network

PORT = 7001
SAMPLE_S = 0.02
PIECE = bytes(1 << 16)


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    wanted, folder = job["shares"], Path("artefacts")
    single = wanted.get("single")
    protocol = "tcp" if single else "mptcp"  # tcp: no further addresses
    transport = {**job["transport"], "protocol": protocol}
    transport["congestion_control"] = wanted["controller"]
    built = build_network(record({**job, "transport": transport}), folder, _forever())
    topology, network = built
    client, server = (network.nodes[name] for name in ("client", "server"))
    if not single:
        client.write_sysctls({"net.mptcp.scheduler": "lowrtt"})
    listener = open_in(server, socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    listener.bind((topology.address("server"), PORT))
    listener.listen()
    threading.Thread(target=receive, args=(listener,), daemon=True).start()
    source = open_in(client, socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    source.bind((topology.address("client", single or 1), 0))
    source.connect((topology.address("server"), PORT))
    threading.Thread(target=_send, args=(source,), daemon=True).start()
    sums, squares, samples, both = [0.0, 0.0], [0.0, 0.0], 0, 0
    time.sleep(wanted["skip_s"])
    before = _counted(topology, network)
    with client.namespace.entered():
        end = time.monotonic() + wanted["seconds"]
        while time.monotonic() < end:
            lines = Path("/proc/thread-self/net/mptcp_coupled").read_text()
            windows = [line.split()[1:5:3] for line in lines.splitlines()[2:]]
            for local_id, text in windows:
                path, cwnd = int(local_id != "0"), int(text)
                sums[path] += cwnd
                squares[path] += cwnd**2
            both += len(windows) == 2
            samples += 1
            time.sleep(SAMPLE_S)
    counts = [
        [now - then for now, then in zip(*pair, strict=True)]
        for pair in zip(_counted(topology, network), before, strict=True)
    ]
    result = {
        "cwnd": [each / samples for each in sums],
        "rms": [(each / samples) ** 0.5 for each in squares],
        "both": both / samples,
        "packets": [count[0] for count in counts],
        "lost": [count[1] for count in counts],
    }
    (folder / "shares.json").write_text(json.dumps(result))
    return 0


def _counted(topology: Network, network: Nodes) -> list[tuple[int, int]]:
    """Of each link, in the direction of the data: packets that netem had to carry,
    and those that it lost."""
    found = []
    for link in topology.wiring.links:
        node, interface = link.forward
        argv = ["tc", "-s", "-j", "qdisc", "show", "dev", interface]
        every = tool_output(network.nodes[node], argv)
        (netem,) = [each for each in every if each["kind"] == "netem"]
        found.append((netem["packets"] + netem["drops"], netem["drops"]))
    return found


def _forever() -> contextlib.ExitStack:
    return contextlib.ExitStack()


def _send(source: socket.socket) -> None:
    while True:
        source.sendall(PIECE)


if __name__ == "__main__":
    raise SystemExit(main())
