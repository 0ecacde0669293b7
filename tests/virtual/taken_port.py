"""A run in which another program has the port of the first entry's server.

Run as the guest's command; the rest is as in any run. The port is bound and does not
listen, so nobody takes it for the server.
"""

import socket
import sys
from contextlib import ExitStack
from pathlib import Path

from jobs import Job
from mpbench.guest import main as guest
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.network import LabNetwork
from topologies.network import Network

BUILD = guest.build_network
HELD: list[socket.socket] = []
Built = tuple[Network, LabNetwork | FabricNetwork]


def main(host: str, port: int) -> int:
    def build(job: Job, folder: Path, undo: ExitStack) -> Built:
        topology, network = BUILD(job, folder, undo)
        with network.nodes[host].namespace.entered():
            HELD.append(socket.socket())
        HELD[0].bind(("", port))
        return topology, network

    guest.build_network = build
    return guest.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
