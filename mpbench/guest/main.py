"""Execute one run, from `job.json` to its artefacts.

This uses the standard library and Mininet only. It runs as root in a guest or, with
the native backend, on the machine itself. Its working directory is the run's folder.
"""

import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import Entry, Job, load, spoken
from jobs.changes import UP
from jobs.middleboxes import ICMP
from mpbench.guest import (
    capture,
    content,
    endpoints,
    events,
    files,
    host_changes,
    link_seeds,
    middleboxes,
    namespaces,
    plugins,
    queues,
    relays,
    sampling,
    snapshot,
    terminators,
    traffic,
    transport,
)
from mpbench.guest.changes import Changes
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.fabric_changes import FabricChanges
from mpbench.guest.lab import (
    allow_controllers,
    for_one_run,
    in_lab,
    lengthen_backlog,
    signals_blocked,
)
from mpbench.guest.network import LabNetwork, LabNode
from mpbench.guest.sampling import Trace
from tools import part
from tools.processes import OVER_MPTCP, Process
from topologies import mtus
from topologies.network import Network

FORMAT = 1


def main() -> int:
    """Execute the run in the current folder; exit status 0 if it was measured."""
    folder = Path("artefacts")
    folder.mkdir(exist_ok=True)
    # Rounded, because the host's files have an influence on the nanoseconds: see
    # traffic.align.
    began = traffic.ALIGNED_NS * (time.monotonic_ns() // traffic.ALIGNED_NS)
    outcome: dict[str, Any] = {"format": FORMAT, "status": "failed", "error": None}
    try:
        namespaces.take_name("localhost")
        job = load(json.loads(files.read("job.json")))
        began_s = began / 1e9
        with contextlib.ExitStack() as undo, contextlib.ExitStack() as last:
            if in_lab():
                # The guest will be switched off, so nothing has to be undone.
                execute(job, folder, outcome, contextlib.ExitStack(), last, began_s)
            else:
                execute(job, folder, outcome, undo, last, began_s)
            outcome["virtual_s"] = _since(began)
        outcome["status"] = "ok"
    except Exception as error:
        traceback.print_exc(file=sys.stdout)
        outcome["error"] = " ".join(f"{type(error).__name__}: {error}".split())
    outcome.setdefault("virtual_s", _since(began))
    snapshot.write(folder / "outcome.json", outcome)
    return 0 if outcome["status"] == "ok" else 1


def _since(began_ns: int) -> float:
    return (time.monotonic_ns() - began_ns) / 1e9


def execute(
    job: Job,
    folder: Path,
    outcome: dict[str, Any],
    undo: contextlib.ExitStack,
    last: contextlib.ExitStack,
    began_s: float = 0.0,
) -> None:
    """Build the network, run the traffic and save the counters.

    last : calls what is left to do when the run's end has been noted
    began_s : monotonic time from which the job's limit counts
    """
    topology, network = build_network(job, folder, undo)
    ends = [network.nodes[name] for name in job.transports]
    kernel = os.uname()
    outcome["kernel"] = {"release": kernel.release, "version": kernel.version}
    outcome["transports"] = {node.name: transport.read_back(node) for node in ends}
    outcome["users"] = users(job, topology)
    outcome["paths"] = topology.paths()
    processes = plan_processes(job, topology)
    trace = make_trace(job, topology, network, folder / "trace.csv")
    captured = capture.start(job.capture, network, folder)
    timers = None if in_lab() else traffic.LateTimers()
    of_links = make_changes(job, topology, network, folder)
    of_hosts = host_changes.make(job, network, of_links, folder)
    changes = middleboxes.make(job, network, of_hosts, folder)
    places, shapes = topology.wiring.links, job.shapes
    waiting = queues.make(job.queues, places, shapes, network, folder)
    # Where all traffic is of QUIC, the connections of the kernel are those of relays.
    spoken = [node for node in ends if not job.transports[node.name].is_quic]
    noted = events.make(spoken, job, folder / "events.csv")
    records = [record for record in (trace, waiting) if record]
    counters = Counters(ends, folder)
    zero_ns: list[int] = []
    with counters:
        outcome["processes"] = traffic.run(
            processes,
            network,
            folder,
            records,
            timers,
            changes,
            noted,
            began_s + job.time_limit_s,
            counters.write,
            zero_ns.append,
        )
    if timers:
        outcome["lost"] = timers.record()
    last.callback(captured.stop)
    if noted:
        last.callback(noted.end)
    middleboxes.write_counters(job, network, folder)
    with signals_blocked():
        qdiscs = disciplines(topology, network, snapshot.qdisc_words(job.links))
    snapshot.write(folder / "qdisc-end.json", qdiscs)
    classes = {
        name: snapshot.classes(network.nodes[name], listed)
        for name, listed in qdiscs.items()
        if name in network.nodes
    }
    if any(classes.values()):
        snapshot.write(folder / "class-end.json", classes)
    links = {
        name: snapshot.interface_statistics(node)
        for name, node in sorted(network.nodes.items())
    }
    snapshot.write(folder / "link-end.json", links)
    counters.write()
    plugins.read_numbers(job, folder, zero_ns[0])


class Counters:
    """The kernel counters of the end hosts, which every end of a run leaves.

    As a context, it writes them if what it encloses raises.
    """

    def __init__(self, ends: Sequence[LabNode], folder: Path) -> None:
        self._ends = ends
        self._folder = folder
        self._written = False

    def write(self) -> None:
        """Write `nstat-HOST.json` of each host. Only the first call counts."""
        if self._written:
            return
        self._written = True
        for node in self._ends:
            counters = {"kernel": snapshot.counters(node)}
            snapshot.write(self._folder / f"nstat-{node.name}.json", counters)

    def __enter__(self) -> "Counters":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.write()


def build_network(
    job: Job, folder: Path, undo: contextlib.ExitStack
) -> tuple[Network, LabNetwork | FabricNetwork]:
    """Build the run's topology and set the transport of every host."""
    wiring = job.wiring
    hosts = job.transports
    content.install(job)
    if job.trace_s:
        sampling.prepare()
    topology = Network(wiring=wiring)
    more = transport.endpoint_lines(
        hosts, wiring.ports, job.backups, switched_hosts(job), job.host_settings or {}
    )
    unknown = {box.link for box in job.middleboxes if box.kind == ICMP}
    unknown |= {link.name for link in job.links if link.hides_mtu}
    of_mtus = mtus.lines(job.description, wiring, job.shapes, unknown)
    for name, lines in of_mtus.items():
        more[name] = [*lines, *more.get(name, [])]
    for found in (relays.lines(job, wiring), terminators.lines(job, wiring)):
        for name, lines in found.items():
            more[name] = [*more.get(name, []), *lines]
    network: LabNetwork | FabricNetwork
    if on_fabric := job.fabric:
        choose, limit = on_fabric.choose, on_fabric.queue_limit
        network = FabricNetwork(
            job.table, choose, job.seed, folder, more, limit, on_fabric.gather_ms
        )
    else:
        network = LabNetwork(topology, folder, more)
    with signals_blocked():
        network.build(undo)
    if job.link_seeds and isinstance(network, LabNetwork):
        link_seeds.apply(job.seed, wiring.links, network)
    if in_lab():  # natively, this belongs to the machine
        lengthen_backlog()
    if for_one_run():
        allow_controllers(one.kernel_control for one in hosts.values())
    wanted = transport.tool_sysctls(job)
    for host, settings in hosts.items():
        transport.configure(network.nodes[host], settings, wanted.get(host))
    if job.host_settings:
        endpoints.apply(job, network)
    if job.middleboxes and isinstance(network, LabNetwork):
        middleboxes.build(job, network, folder)
        for place in terminators.places(job, wiring):
            transport.configure(network.nodes[place.router], job.transport)
    return topology, network


def disciplines(
    topology: Network, network: LabNetwork | FabricNetwork, words: list[str]
) -> dict[str, list[dict[str, Any]]]:
    """Report of tc, or of the fabric, about the queues of all links, by node.

    words : the command of tc
    """
    if isinstance(network, FabricNetwork):
        return network.queues()
    shaped = {
        place[0]
        for link in topology.wiring.links
        for place in (link.forward, link.backward)
    }
    return {
        name: snapshot.tool_output(network.nodes[name], words)
        for name in sorted(shaped)
    }


def users(job: Job, topology: Network) -> dict[str, Any]:
    """The paths of each host that opens connections, by host."""
    paths = {}
    for user in job.description.users:
        if user.host not in job.transports:
            continue
        ports = topology.wiring.ports[user.host]
        paths[user.host] = [
            {"links": list(links), "interface": port.interface, "address": port.address}
            for links, port in zip(user.paths, ports, strict=True)
        ]
    return paths


def make_trace(
    job: Job,
    topology: Network,
    network: LabNetwork | FabricNetwork,
    file: Path,
) -> Trace | None:
    """A trace of the windows of all hosts that send data; None if not asked for."""
    if not job.trace_s:
        return None
    paths: dict[str, dict[str, int]] = {}
    for entry in job.traffic:
        if job.transport_of(entry).is_quic:
            continue
        for here, there in entry.between:
            ports = topology.wiring.ports[here]
            numbered = {port.address: n for n, port in enumerate(ports, start=1)}
            sender = there if entry.reverse else here
            paths.setdefault(sender, {}).update(numbered)
    nodes = [network.nodes[name] for name in paths]
    return sampling.make(nodes, job.trace_s, paths, file)


def switched_hosts(job: Job) -> set[str]:
    """The hosts that have an interface which goes down or up during the run."""
    links = {one.link for one in job.changes if one.quantity == UP}
    if not links:
        return set()
    users = job.description.users
    return {u.host for u in users if any(path[0] in links for path in u.paths)}


def make_changes(
    job: Job,
    topology: Network,
    network: LabNetwork | FabricNetwork,
    folder: Path,
) -> Changes | FabricChanges | None:
    """The changes of the run's links; None if they stay as they are."""
    if not job.changes:
        return None
    if isinstance(network, FabricNetwork):
        return FabricChanges(job.changes, network, job.time_limit_s, folder)
    return Changes(
        job.changes,
        job.shapes,
        topology.wiring,
        network,
        [
            host
            for host, settings in job.transports.items()
            if settings.is_mptcp and settings.over_all
        ],
        {user.host: [path[0] for path in user.paths] for user in job.description.users},
        folder,
        job.backups,
    )


def _as_asked(job: Job, entry: Entry, process: Process) -> Process:
    """A process with the sockets that its entry or its host is to open."""
    asked = process.argv[: len(OVER_MPTCP)] == OVER_MPTCP
    settings = (job.host_settings or {}).get(process.host)
    wanted = spoken.at_end(entry, process.role, settings, asked)
    if asked == wanted:
        return process
    argv = process.argv
    return replace(
        process, argv=(*OVER_MPTCP, *argv) if wanted else argv[len(OVER_MPTCP) :]
    )


def plan_processes(job: Job, topology: Network) -> list[Process]:
    """The processes of the run's traffic, in the order of its entries.

    A process that serves several entries stands at the first of them.
    """
    processes = list(relays.processes(job, topology.wiring))
    processes += terminators.processes(job, topology.wiring)
    for index, entry in enumerate(job.traffic):
        there = {process.name for process in processes}
        made = _of_entry(job, topology, index, entry)
        if (job.host_settings or entry.sockets) and entry.served is None:
            made = [_as_asked(job, entry, process) for process in made]
        processes += [process for process in made if process.name not in there]
    return processes


def _of_entry(job: Job, topology: Network, index: int, entry: Entry) -> list[Process]:
    """The processes of an entry. Its server stands behind all of its proxies."""
    tool, settings = part(entry.tool, "processes"), job.transport_of(entry)

    def address(host: str, path: int | None) -> str:
        if path is None and host == entry.destination:
            return topology.entrance(host)
        return topology.address(host, path)

    made: list[Process] = tool.processes(index, entry, settings, address)
    own = [one for one in job.traffic if one.served == index]
    if not own:
        return made
    last = own[-1]
    end: Any = replace(entry, destination=last.destination, port=last.port)  # type: ignore[call-arg]
    servers: list[Process] = tool.processes(index, end, settings, topology.address)
    return [
        *(process for process in servers if process.role == "server"),
        *(process for process in made if process.role != "server"),
    ]
