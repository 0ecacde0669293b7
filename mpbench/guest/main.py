"""One run, from `job.json` to its artefacts: standard library and Mininet only.

Runs as root in a guest, or on a machine of its own (native backend), with the
run's folder as its working directory.
"""

import contextlib
import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from mpbench.guest import capture, snapshot, traffic, transport
from mpbench.guest.network import LabNetwork
from mpbench.workloads.processes import Process

ENDS = ("client", "server")
FORMAT = 1


def main() -> int:
    """Do the run in the current folder; exit status 0 when it was measured."""
    folder = Path("artefacts")
    folder.mkdir(exist_ok=True)
    began = time.monotonic()
    outcome: dict[str, Any] = {"format": FORMAT, "status": "failed", "error": None}
    try:
        job = json.loads(Path("job.json").read_text())
        with contextlib.ExitStack() as undo:
            if os.environ.get("MPBENCH_KEEP_NETWORK") == "no":
                # The guest is about to be switched off, network and all.
                execute(job, folder, outcome, contextlib.ExitStack())
            else:
                execute(job, folder, outcome, undo)
        outcome["status"] = "ok"
    except Exception as error:
        traceback.print_exc(file=sys.stdout)
        outcome["error"] = " ".join(f"{type(error).__name__}: {error}".split())
    outcome["virtual_s"] = round(time.monotonic() - began, 9)
    snapshot.write(folder / "outcome.json", outcome)
    return 0 if outcome["status"] == "ok" else 1


def execute(
    job: dict[str, Any],
    folder: Path,
    outcome: dict[str, Any],
    undo: contextlib.ExitStack,
) -> None:
    """Build the network, run the traffic, keep the counters."""
    topology, network = build_network(job, folder, undo)
    ends = [network.nodes[name] for name in ENDS]
    kernel = os.uname()
    outcome["kernel"] = {"release": kernel.release, "version": kernel.version}
    outcome["transport"] = transport.read_back(ends[0])
    outcome["paths"] = topology.paths()
    captured = capture.start(job.get("capture"), network, folder)
    outcome["processes"] = traffic.run(plan_processes(job, topology), network, folder)
    if captured:
        captured.stop()
    shaped = {
        end["node"]
        for path in topology.paths()
        for end in (path["forward"], path["backward"])
    }
    qdiscs = {
        name: snapshot.tool_output(
            network.nodes[name], ["tc", "-s", "-j", "qdisc", "show"]
        )
        for name in sorted(shaped)
    }
    snapshot.write(folder / "qdisc-end.json", qdiscs)
    links = {
        name: snapshot.interface_statistics(node)
        for name, node in sorted(network.nodes.items())
    }
    snapshot.write(folder / "link-end.json", links)
    for node in ends:
        counters = {"kernel": snapshot.counters(node)}
        snapshot.write(folder / f"nstat-{node.name}.json", counters)


def build_network(
    job: dict[str, Any], folder: Path, undo: contextlib.ExitStack
) -> tuple[Any, LabNetwork]:
    """The run's topology, built, with the case's transport set."""
    module = importlib.import_module(f"topologies.{job['topology']}")
    topology = module.TOPOLOGY(**job["parameters"])
    more = {}
    if job["transport"]["protocol"] == "mptcp":
        more = transport.endpoint_lines(ENDS, module.PATHS, topology.address)
    network = LabNetwork(topology, folder, more)
    network.build(undo)
    transport.configure(network, ENDS, job["transport"])
    return topology, network


def plan_processes(job: dict[str, Any], topology: Any) -> list[Process]:
    """What the run's traffic starts, tool by tool."""
    processes: list[Process] = []
    for index, entry in enumerate(job["traffic"]):
        tool = importlib.import_module(f"mpbench.workloads.{entry['tool']}")
        processes += tool.processes(index, entry, job["transport"], topology.address)
    return processes
