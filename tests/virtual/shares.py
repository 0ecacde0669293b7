"""One connection that always has data, and the windows of its subflows; in the guest.

The job's `shares` says how: `controller`, `seconds`, `skip_s` at the beginning,
`single` (whether to stay on one path, and which). Writes `artefacts/shares.json`: the
average of `cwnd`, segments, by path, and the part of the samples with both subflows.
"""

import contextlib
import json
import socket
import threading
import time
from pathlib import Path

from mpbench.guest.main import build_network
from tests.virtual.churn import IPPROTO_MPTCP
from tests.virtual.trace import open_in, receive

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
    built = build_network({**job, "transport": transport}, folder, _forever())
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
    sums, samples, both = [0.0, 0.0], 0, 0
    with client.namespace.entered():
        time.sleep(wanted["skip_s"])
        end = time.monotonic() + wanted["seconds"]
        while time.monotonic() < end:
            lines = Path("/proc/thread-self/net/mptcp_coupled").read_text()
            windows = [line.split()[1:5:3] for line in lines.splitlines()[2:]]
            for local_id, cwnd in windows:
                sums[int(local_id != "0")] += int(cwnd)
            both += len(windows) == 2
            samples += 1
            time.sleep(SAMPLE_S)
    result = {"cwnd": [each / samples for each in sums], "both": both / samples}
    (folder / "shares.json").write_text(json.dumps(result))
    return 0


def _forever() -> contextlib.ExitStack:
    return contextlib.ExitStack()


def _send(source: socket.socket) -> None:
    while True:
        source.sendall(PIECE)


if __name__ == "__main__":
    raise SystemExit(main())
