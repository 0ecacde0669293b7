"""One transfer over one path, and every packet of it; runs in the guest.

The job's `transfer` says how: protocol `mptcp` or `tcp`, and how many bytes.
With no further address announced, MPTCP stays at one subflow. Writes
`artefacts/trace`: the time, ns, and the bytes of each packet at the client.
"""

import contextlib
import json
import select
import socket
import struct
import threading
import time
from pathlib import Path

from mpbench.guest.main import build_network
from mpbench.guest.network import LabNode
from tests.virtual.records import record

PORT = 7001
IPPROTO_MPTCP = 262
ETH_P_ALL = 3
PIECE_BYTES = 1 << 16
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    transfer = job["transfer"]
    folder = Path("artefacts")
    tcp = {**job, "transport": {**job["transport"], "protocol": "tcp"}}
    topology, network = build_network(record(tcp), folder, contextlib.ExitStack())
    client, server = (network.nodes[name] for name in ("client", "server"))
    protocol = {"tcp": socket.IPPROTO_TCP, "mptcp": IPPROTO_MPTCP}[transfer["protocol"]]
    packets = open_in(client, socket.AF_PACKET, socket.SOCK_RAW, 0)
    packets.bind(("client-eth1", ETH_P_ALL))
    packets.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
    packets.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    address = (topology.address("server"), PORT)
    listener = open_in(server, socket.AF_INET, socket.SOCK_STREAM, protocol)
    listener.bind(address)
    listener.listen()
    sink = threading.Thread(target=receive, args=(listener,))
    sink.start()
    source = open_in(client, socket.AF_INET, socket.SOCK_STREAM, protocol)
    source.connect(address)
    source.sendall(bytes(transfer["bytes"]))
    source.shutdown(socket.SHUT_WR)
    sink.join()
    source.close()
    time.sleep(1)
    (folder / "trace").write_bytes(read_all(packets))
    return 0


def open_in(node: LabNode, family: int, kind: int, protocol: int) -> socket.socket:
    with node.namespace.entered():
        return socket.socket(family, kind, protocol)


def receive(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    while connection.recv(PIECE_BYTES, socket.MSG_WAITALL):
        pass
    connection.close()


def read_all(packets: socket.socket) -> bytes:
    found = []
    while select.select([packets], [], [], 0)[0]:
        data, extra, _, _ = packets.recvmsg(PIECE_BYTES, 256)
        for _, _, value in extra:
            seconds, nanoseconds = struct.unpack("qq", value[:16])
            time_ns = seconds * 10**9 + nanoseconds
            found.append(struct.pack("<QI", time_ns, len(data)))
        found.append(data)
    return b"".join(found)
