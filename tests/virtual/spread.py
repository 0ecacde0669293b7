"""Counts over which links of a data centre many flows go, from inside the guest.

Writes `artefacts/spread.json`: the packets of each way.
"""

import contextlib
import json
from pathlib import Path

from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.main import build_network
from tests.virtual.probe import open_socket, round_trip_ms
from tests.virtual.records import record

FLOWS = 400


def main(_: object = None) -> int:
    job = json.loads(Path("job.json").read_text())
    topology, network = build_network(
        record(job), Path("artefacts"), contextlib.ExitStack()
    )
    assert isinstance(network, FabricNetwork)
    entry = job["traffic"][0]
    here, there = (network.nodes[entry[end]] for end in ("from", "to"))
    target = (topology.address(entry["to"]), 7000)
    two = open_socket(there, target)
    for number in range(FLOWS):
        one = open_socket(here, (topology.address(entry["from"]), 10_000 + number))
        round_trip_ms(one, two, target)
        one.close()
    ways = [way for listed in network.queues().values() for way in listed]
    counts = {way["dev"]: way["packets"] for way in ways}
    Path("artefacts/spread.json").write_text(json.dumps(counts))
    return 0
