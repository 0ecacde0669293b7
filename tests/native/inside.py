"""A guest without time travel, as the machine of native runs.

Its command line: the folder of the repository's root is on PYTHONPATH; the
working directory gets `said.json`, a scenario a key.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jobs import load
from jobs.links import of_shapes
from mpbench.backends import native, requirements
from mpbench.backends.base import Bounds
from mpbench.errors import UserError
from topologies import resolve

FOLDER = Path("/tmp/native")
# The guest's root may not look into the host's /root, which is not this user's.
os.environ["XDG_CACHE_HOME"] = str(FOLDER / "cache")
BOUNDS = Bounds(virtual_s=40.0, wall_s=60.0, silence_s=20.0)
NODES = ("client", "hub", "server", "r1", "r2")
PATH = {
    **{"capacity_mbps": 10, "delay_ms": 10, "queueing_delay_ms": 50},
    **{"queue_packets": None, "loss_percent": 0.0, "jitter_ms": 0.0},
}


def job(duration_s: float = 3.0, control: str = "cubic") -> dict[str, Any]:
    parameters = {
        f"path{path}.{name}": value for path in (1, 2) for name, value in PATH.items()
    }
    traffic = {
        **{"tool": "iperf3", "from": "client", "to": "server", "port": 5201},
        **{"duration_s": duration_s, "bytes": None, "interval_s": 1.0},
        **{"read": "coalesced", "read_bytes": 16384},
        **{"start_s": 0.0, "reverse": False, "parallel": 1},
    }
    transport = {"protocol": "mptcp", "congestion_control": control}
    resolved = of_shapes(resolve("two_path", parameters))
    return {
        **{"format": 2, "seed": 1, "topology": "two_path", "parameters": parameters},
        "links": [link.to_json() for link in resolved],
        "transport": {**transport, "scheduler": "default", "path": None}
        | {"path_manager": "fullmesh", "sysctls": {}},
        **{"traffic": [traffic], "time_limit_s": 40.0},
    }


LOOKED_AT = {
    "capture": {"interfaces": ["client-eth1", "r2-hub"], "full": False},
    "trace_s": 0.2,
}


class Run:
    """An execution in a thread of its own, to be disturbed meanwhile."""

    def __init__(self, name: str, what: dict[str, Any], bounds: Bounds = BOUNDS):
        self.folder = FOLDER / name
        (self.folder / "artefacts").mkdir(parents=True)
        (self.folder / "job.json").write_text(json.dumps(what))
        self.cancel = threading.Event()
        self.reports: list[float] = []
        self.ended: dict[str, Any] = {}
        self._arguments = (what, bounds)
        self._thread = threading.Thread(target=self._execute)
        self._thread.start()

    def _execute(self) -> None:
        what, bounds = self._arguments
        try:
            exit = BACKEND.execute(
                load(what), self.folder, None, bounds, self.reports.append, self.cancel
            )
            self.ended = asdict(exit)
        except UserError as error:
            self.ended = {"error": str(error)}

    def await_traffic(self) -> None:
        wait_for(lambda: any(self.folder.glob("artefacts/traffic-*-client.json")))
        time.sleep(1.0)

    def join(self) -> dict[str, Any]:
        began = time.monotonic()
        self._thread.join(60)
        return {**self.ended, "joined_s": time.monotonic() - began}

    def artefacts(self) -> dict[str, str]:
        files = sorted((self.folder / "artefacts").iterdir())
        return {path.name: path.read_text(errors="replace") for path in files}


def wait_for(condition: Any, deadline_s: float = 10.0) -> bool:
    end = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def call(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else f"error: {done.stderr}"


def furnish() -> str:
    """Things of the machine's owner, under the names that a run uses too."""
    call("ip", "link", "add", "dummy7", "type", "dummy")
    call("ip", "link", "add", "client-eth1", "type", "veth", "peer", "r1-client")
    for name in ("client", "r1", "mine"):
        call("ip", "netns", "add", name)
    call("ip", "-n", "client", "link", "add", "client-eth2", "type", "dummy")
    return call("ip", "link", "add", "bridge7", "type", "bridge")


def state() -> dict[str, Any]:
    """Interfaces, qdiscs, namespaces, mounts, and processes of the machine."""
    everyone = (path for path in Path("/proc").iterdir() if path.name.isdigit())
    return {
        "links": sorted(
            line.split(":")[1].strip()
            for line in call("ip", "-o", "link").splitlines()
            if "canary" not in line
        ),
        "in client": sorted(
            line.split(":")[1].strip()
            for line in call("ip", "-n", "client", "-o", "link").splitlines()
        ),
        "qdiscs": call("tc", "qdisc"),
        "routes": call("ip", "route", "show", "table", "all"),
        "namespaces": sorted(path.name for path in Path("/run/netns").iterdir()),
        "run": sorted(path.name for path in Path("/run").iterdir()),
        "mounts": Path("/proc/self/mounts").read_text(),
        "processes": sorted(
            command
            for path in everyone
            if (command := command_line(path)) and "inside" not in command
        ),
    }


def command_line(path: Path) -> str:
    try:
        return (path / "cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def members() -> dict[int, str]:
    """Processes of other process namespaces than this one, by process id."""
    own = str(Path("/proc/self/ns/pid").readlink())
    found = {}
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and str((path / "ns/pid").readlink()) != own:
                found[int(path.name)] = command_line(path)
        except OSError:
            continue
    return found


def plant_canaries(name: str) -> list[str]:
    """A veth into each node of the run: it goes when the namespace does."""
    process = min(members())
    planted = []
    for index, node in enumerate(NODES):
        here, there = f"canary-{name[:3]}{index}", f"canary-{name[:3]}{index}x"
        call("ip", "link", "add", here, "type", "veth", "peer", there)
        enter = ("nsenter", "-t", str(process), "-m", "-r")
        said = call(*enter, "ip", "link", "set", there, "netns", node)
        planted.append(said)
    return planted


EXPERIMENT = """
name: native
topology: two_path
seed: 1
parameters: {path1.capacity: 10 Mbit/s, path2.capacity: 5 Mbit/s}
cases:
  mptcp: {protocol: mptcp, congestion_control: cubic, scheduler: default}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 4 s}
metrics: [goodput]
"""


def command(case: str) -> dict[str, Any]:
    """`mpbench run --backend native`, one case of an experiment file."""
    path = FOLDER / "experiment.yaml"
    path.write_text(EXPERIMENT)
    out = FOLDER / "results"
    argv = [sys.executable, "-m", "mpbench.cli", "run", str(path), "--only", case]
    done = subprocess.run(
        [*argv, "--backend", "native", "--out", str(out)],
        capture_output=True,
        text=True,
    )
    rows = [json.loads(row.read_text()) for row in out.glob("runs/*/row.json")]
    said = done.stdout + done.stderr
    return {"status": done.returncode, "said": said, "rows": rows}


def let_go_soon() -> None:
    """Have the run's ends hold on to a cut MPTCP connection for 2 s, not 60."""
    script = "echo 2 >/proc/sys/net/mptcp/close_timeout"
    for end in ("client", "server"):
        enter = ("nsenter", "-t", str(min(members())), "-m", "-r")
        call(*enter, "ip", "netns", "exec", end, "sh", "-c", script)


def canaries(name: str) -> list[str]:
    """The nodes whose canary of a scenario still lives."""
    links = call("ip", "-o", "link")
    return [node for i, node in enumerate(NODES) if f"canary-{name[:3]}{i}@" in links]


def killed(name: str, victim: Any) -> dict[str, Any]:
    run = Run(name, job(20.0))
    run.await_traffic()
    before = members()
    planted = plant_canaries(name)
    alive = canaries(name)
    let_go_soon()
    os.kill(victim(before), signal.SIGKILL)
    ended = run.join()
    return {
        "exit": ended,
        "processes": sorted(before.values()),
        "planted": planted,
        "canaries": alive,
        "left": members(),
        "alive": (wait_for(lambda: len(canaries(name)) <= 2), canaries(name)),
        "state": state(),
    }


def engine_killed() -> dict[str, Any]:
    """The process that executes a run, killed outright."""
    folder = FOLDER / "orphan"
    (folder / "artefacts").mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(job(20.0)))
    engine = subprocess.Popen([sys.executable, "-m", "tests.native.inside", "engine"])
    wait_for(lambda: any(folder.glob("artefacts/traffic-*-client.json")), 20)
    time.sleep(0.5)
    before = members()
    engine.kill()
    engine.wait()
    gone = wait_for(lambda: not members())
    return {"processes": sorted(before.values()), "gone": gone, "state": state()}


def main() -> None:
    Path("said.json").write_text(json.dumps(scenarios(), indent=1))


def scenarios() -> dict[str, Any]:
    said: dict[str, Any] = {"bridge": furnish()}
    machine = requirements.look()
    said["needs"] = [asdict(need) for need in requirements.needs(machine)]
    said["identity"] = [BACKEND.identity(), native.create().identity()]
    said["provenance"] = BACKEND.provenance()
    said["before"] = state()
    run = Run("good", {**job(), **LOOKED_AT})
    said["good"] = {"exit": run.join(), "artefacts": run.artefacts()}
    said["good"] |= {"reports": run.reports, "left": members(), "state": state()}
    said["launcher killed"] = killed(
        "launcher-killed", lambda found: parent(min(found))
    )
    said["command"] = {case: command(case) for case in ("mptcp", "tcp1")}
    said["guest killed"] = killed("guest-killed", min)
    run = Run("cancelled", job(20.0))
    run.await_traffic()
    run.cancel.set()
    said["cancelled"] = {"exit": run.join(), "left": members(), "state": state()}
    run = Run("limit", job(20.0), Bounds(2.0, 60.0, 20.0))
    said["limit"] = {"exit": run.join(), "left": members()}
    run = Run("wall", job(20.0), Bounds(40.0, 3.0, 20.0))
    said["wall"] = {"exit": run.join(), "left": members()}
    run = Run("silent", job(20.0), Bounds(40.0, 60.0, 2.0))
    run.await_traffic()
    for member in members():
        os.kill(member, signal.SIGSTOP)
    said["silent"] = {"exit": run.join(), "left": members()}
    run = Run("quiet", job(8.0), Bounds(40.0, 60.0, 2.0))
    said["quiet"] = {"exit": run.join()}
    said["unknown"] = Run("unknown", job(control="lia2")).join()
    said["engine killed"] = engine_killed()
    for name in ("launcher killed", "guest killed"):
        gone = wait_for(lambda name=name: not canaries(name), 90)
        said[name]["namespaces gone"] = gone
    said["after"] = state()
    return said


def parent(process: int) -> int:
    text = Path(f"/proc/{process}/stat").read_text()
    return int(text.rpartition(")")[2].split()[1])


BACKEND = native.create()

if __name__ == "__main__":
    if sys.argv[1:] == ["engine"]:
        orphan = FOLDER / "orphan"
        BACKEND.execute(
            load(job(20.0)), orphan, None, BOUNDS, lambda _s: None, threading.Event()
        )
    else:
        main()
