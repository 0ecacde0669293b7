"""A run in which a link loses everything from some time on.

Run as the guest's command with the link and the time in seconds; the rest is as in any
run.
"""

import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from jobs import Job
from mpbench.guest import main as guest
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.network import LabNetwork
from topologies.network import Network

BUILD = guest.build_network
Built = tuple[Network, LabNetwork | FabricNetwork]


def main(link: str, after_s: float) -> int:
    def build(job: Job, folder: Path, undo: ExitStack) -> Built:
        topology, network = BUILD(job, folder, undo)
        (place,) = (p for p in topology.wiring.links if p.link == link)

        def cut() -> None:
            for node, interface in (place.forward, place.backward):
                words = f"tc qdisc change dev {interface} root netem loss 100%"
                assert network.nodes[node].popen(words).wait() == 0

        threading.Timer(after_s, cut).start()
        return topology, network

    guest.build_network = build
    return guest.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
