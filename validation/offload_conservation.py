"""Check the law of conservation with whole segments and single frames, on ten networks.

    python -m validation.offload_conservation [--only WORD...] [--against KERNEL]

The networks have two paths of 1 to 1000 Mbit/s with loss, jitter, RED, deep and shallow
token buckets, capacities that change, and outages. MPTCP over both paths and TCP over
the first one send a given size, so that every frame has arrived, or was lost or
dropped, when the run ends. Each run is executed with single frames and with two gather
times. It passes if

- the run is ok, so its counters obey the law of conservation;
- every frame that a host sent reached a link, which sent it or counts it as lost or
  dropped, and the host at the other end counts each frame and byte that the link sent;
- the capture of each link has every frame and byte that its counter has, in order, and
  none is larger than a full frame.

`--against` takes the folder of another kernel: with single frames, both must leave the
same bytes. The exit status is 1 if anything differs.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.row import row
from jobs import dump
from jobs import load as load_job
from mpbench.backends.virtual import VirtualBackend
from mpbench.engine.bounds import bounds
from mpbench.experiment_files import loads
from mpbench.kernel import cache
from mpbench.plan import make_plan
from tests.virtual.lab import Lab, contents
from tests.virtual.test_fabric import times_ns
from tests.virtual.test_offload import LINKS, interfaces, ways
from topologies.shaping import FRAME_BYTES

SPEC = """
name: conservation
topology: two_path
fabric: {{burst: {burst}}}
parameters: {{{parameters}}}
links: {links}
changes: {changes}
capture: [path1-up, path1-down, path2-up, path2-down]
cases:
  MPTCP: {{protocol: mptcp, congestion_control: {control}, scheduler: lowrtt}}
  TCP: {{protocol: tcp, congestion_control: cubic, path: 1}}
traffic:
  - {{tool: iperf3, from: client, to: server, size: {size}}}
  - {{tool: command, from: client, to: server, client: ["true"], start: 30 s,
     duration: 1 s}}
"""
"""The command begins when all frames have arrived: counters are read at its end."""
USUAL = {"burst": 2, "links": "{}", "changes": "{}", "control": "cubic"}
SLOW_RED = "{name: red, min: 20 ms, max: 60 ms, probability: 10 %}"
FAST_RED = "{name: red, min: 2 ms, max: 6 ms, probability: 10 %}"
STEPS = "{path1: {at: {200 ms: {capacity: 40 Mbit/s}, 600 ms: {capacity: 400 Mbit/s}}}}"
OUT = "{path1: {at: {300 ms: {capacity: 0}, 700 ms: {capacity: 200 Mbit/s}}}}"


def red(words: str) -> str:
    return f"{{path1: {{discipline: {words}}}, path2: {{discipline: {words}}}}}"


NETWORKS: dict[str, dict[str, Any]] = {
    "2 x 1": {"rates": (1, 1), "queue": 100, "size": "400 kB"},
    "10 + 2, loss": {"rates": (10, 2), "loss": (1, 2), "size": "4 MB"},
    "50 + 20, RED": {
        "rates": (50, 20),
        "links": red(SLOW_RED),
        "queue": 100,
        "size": "20 MB",
    },
    "2 x 100, jitter": {"rates": (100, 100), "jitter": 2, "size": "20 MB"},
    "100 + 30, bucket of 64": {"rates": (100, 30), "burst": 64, "size": "20 MB"},
    "2 x 200, outage": {"rates": (200, 200), "changes": OUT, "size": "60 MB"},
    "400 + 100, changes": {"rates": (400, 100), "changes": STEPS, "size": "60 MB"},
    "500 + 300, loss, jitter": {
        "rates": (500, 300),
        "loss": (0.01, 0.1),
        "jitter": 0.5,
        "control": "lia",
        "size": "60 MB",
    },
    "2 x 1000, queue 1 ms": {"rates": (1000, 1000), "queue": 1, "size": "80 MB"},
    "1000 + 300, RED, loss, no bucket": {
        "rates": (1000, 300),
        "links": red(FAST_RED),
        "loss": (0.01, 0),
        "burst": 0,
        "queue": 10,
        "control": "olia",
        "size": "80 MB",
    },
}
"""Capacities in Mbit/s, loss in per cent, queue and jitter in ms."""
HOSTS: dict[str, dict[str, Any]] = {
    "off": {},
    "100 us": {"gather_ms": 0.1},
    "1 ms": {"gather_ms": 1.0},
}


def experiment(network: Mapping[str, Any]) -> str:
    words = []
    for number, mbps in enumerate(network["rates"], 1):
        name = f"path{number}"
        words += [f"{name}.capacity: {mbps} Mbit/s", f"{name}.delay: 5 ms"]
        words.append(f"{name}.queueing_delay: {network.get('queue', 20)} ms")
        words.append(f"{name}.jitter: {network.get('jitter', 0)} ms")
        words.append(f"{name}.loss: {network.get('loss', (0, 0))[number - 1]} %")
    return SPEC.format(parameters=", ".join(words), **{**USUAL, **network})


def faults(files: dict[str, bytes]) -> Iterator[str]:
    """Sentences on counters and captures that do not agree."""
    found, ports = ways(files), interfaces(files)
    up = [found[f"path{path}-up"] for path in (1, 2)]
    down = [found[f"path{path}-down"] for path in (1, 2)]
    ends = {"client-eth1": (up[:1], down[:1]), "client-eth2": (up[1:], down[1:])}
    for name, (out, back) in {**ends, "server-eth1": (down, up)}.items():
        sent = sum(way["packets"] + way["drops"] for way in out)
        if ports[name]["tx_packets"] != sent:
            yield f"{name}: {ports[name]['tx_packets']} sent, links have {sent}"
        for key in ("packets", "bytes"):
            told, arrived = ports[name][f"rx_{key}"], sum(way[key] for way in back)
            if told != arrived:
                yield f"{name}: {told} {key} received, links sent {arrived}"
    for name in LINKS:
        frames = times_ns(files[f"capture-{name}.pcap"])
        seen = len(frames), sum(size for _, size in frames)
        if seen != (found[name]["packets"], found[name]["bytes"]):
            yield f"{name}: the capture has {seen}, the counters {found[name]}"
        if frames != sorted(frames, key=lambda frame: frame[0]):
            yield f"{name}: the capture is not in order"
        if frames and max(size for _, size in frames) > FRAME_BYTES:
            yield f"{name}: the capture has a segment"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", help="parts of the names of networks")
    parser.add_argument("--against", type=Path, help="the folder of another kernel")
    asked = parser.parse_args()
    other = cache.read(asked.against) if asked.against else None
    if asked.against and other is None:
        parser.error(f"--against {asked.against}: no kernel there")
    status = 0
    for name, network in NETWORKS.items():
        if asked.only and not any(word in name for word in asked.only):
            continue
        for run in make_plan(loads(experiment(network)), {}).runs:
            job = dump(run.job)
            for hosts, more in HOSTS.items():
                own = {**job, "fabric": {**job["fabric"], **more}}
                files, said = executed(own, VirtualBackend())
                said += faults(files) if files else ()
                if hosts == "off" and other is not None and files:
                    beside, _ = executed(own, VirtualBackend(built=other))
                    differ = {
                        k for k in files | beside if files.get(k) != beside.get(k)
                    }
                    said += [f"other bytes: {sorted(differ)}"] if differ else []
                counts = json.dumps(summary(files)) if files else ""
                print(
                    name, run.case, hosts, "; ".join(said) or "ok", counts, flush=True
                )
                status |= bool(said)
    return status


def executed(
    job: dict[str, Any], backend: VirtualBackend
) -> tuple[dict[str, bytes], list[str]]:
    """The artefacts of a run, and why it is not ok."""
    with tempfile.TemporaryDirectory(prefix="mpbench-conservation-") as scratch:
        ended, artefacts = Lab(Path(scratch), backend).execute(
            job, bounds(load_job(job)), cpu=None
        )
        if ended.status != "finished":
            return {}, [f"{ended.status}: {ended.reason}"]
        found = row(artefacts.parent)
        said = [] if found["verdict"] == "ok" else [str(found["reason"])]
        return contents(artefacts), said


def summary(files: dict[str, bytes]) -> dict[str, int]:
    """Frames sent, lost and dropped by all links, and segments that hosts received."""
    found = ways(files).values()
    return {key: sum(way.get(key, 0) for way in found) for key in COUNTS}


COUNTS = ("packets", "lost", "full", "early")

if __name__ == "__main__":
    raise SystemExit(main())
