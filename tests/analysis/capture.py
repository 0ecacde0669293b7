"""Capture captured/, except curl* and ab* (capture_web.py), in a guest.

    python -m tests.analysis.capture [KIND...]

The network of tests/guest_network.py; path 1: 20 Mbit/s, 5 ms each way, path 2:
10 Mbit/s, 10 ms each way. Not part of the test suite: the suite reads what this once
wrote. Paths 1 and 2 nest their disciplines differently (tbf above netem, netem above
tbf) on purpose.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.guest_network import ENDS, SERVER, counters, on, sh, started, unwire, wire

ROUTERS = ("r1", "r2")
OUT = Path("/run/mpbench/captured")
CAPTURED = Path(__file__).parent / "captured"


def shape(loss: str, edge_limit: int | None) -> None:
    for far in ("in", "out"):
        on(
            "r1",
            f"tc qdisc add dev r1-{far} root handle 1: tbf rate 20mbit "
            "burst 3028 limit 151400",
        )
        on(
            "r1",
            f"tc qdisc add dev r1-{far} parent 1:1 netem delay 5ms "
            f"loss {loss} limit 1000",
        )
        on(
            "r2",
            f"tc qdisc add dev r2-{far} root handle 1: netem delay 10ms "
            f"100us loss {loss} rate 10gbit limit 1000",
        )
        on(
            "r2",
            f"tc qdisc add dev r2-{far} parent 1:1 tbf rate 10mbit "
            "burst 3028 limit 75700",
        )
    if edge_limit:
        on(
            "client",
            f"tc qdisc add dev c1 root tbf rate 15mbit burst 3028 limit {edge_limit}",
        )


def snapshot(folder: Path) -> None:
    qdisc: dict[str, Any] = {}
    link: dict[str, Any] = {}
    for node in (*ENDS, *ROUTERS):
        qdisc[node] = json.loads(on(node, "tc -s -j qdisc show").stdout)
        link[node] = json.loads(on(node, "ip -s -j link").stdout)
    (folder / "qdisc-end.json").write_text(json.dumps(qdisc))
    (folder / "link-end.json").write_text(json.dumps(link))
    counters(folder)


def outcome(argv: dict[str, str], codes: dict[str, int]) -> dict[str, Any]:
    """Outcome that mpbench's guest would have written."""
    return {
        "format": 1,
        "status": "ok",
        "error": None,
        "transport": {
            "congestion_control": Path("/proc/sys/net/ipv4/tcp_congestion_control")
            .read_text()
            .strip(),
            "scheduler": Path("/proc/sys/net/mptcp/scheduler").read_text().strip(),
        },
        "paths": [
            {
                "path": i,
                "forward": {"node": f"r{i}", "interface": f"r{i}-out"},
                "backward": {"node": f"r{i}", "interface": f"r{i}-in"},
            }
            for i in (1, 2)
        ],
        "processes": [
            {
                "name": f"traffic-0-{side}",
                "host": side,
                "argv": argv[side].split(),
                "exit_code": code,
            }
            for side, code in codes.items()
        ],
    }


def traffic(
    name: str,
    client: str = "-t 4",
    server: str = "",
    wrap: tuple[str, str] = ("mptcpize run ", "mptcpize run "),
    end: signal.Signals | None = None,
    join: bool = True,
    loss: str = "0%",
    edge_limit: int | None = None,
) -> None:
    folder = OUT / name
    folder.mkdir(parents=True)
    nodes = wire(2, join)
    shape(loss, edge_limit)
    argv = {
        "server": f"{wrap[1]}iperf3 -s -1 -J {server}",
        "client": f"{wrap[0]}iperf3 -c {SERVER} -J {client}",
    }
    running = {}
    for side, line in argv.items():
        if server == "none" and side == "server":
            continue
        out, err = (folder / f"traffic-0-{side}.{kind}" for kind in ("json", "err"))
        running[side] = started(side, line, out, err)
        time.sleep(0.2)
    if end:
        time.sleep(2.5)
        running["client"].send_signal(end)
    codes = {}
    for side, process in reversed(running.items()):
        try:
            codes[side] = process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.terminate()
            codes[side] = process.wait()
    snapshot(folder)
    (folder / "outcome.json").write_text(json.dumps(outcome(argv, codes), indent=1))
    unwire(nodes)
    print("captured", name, codes, flush=True)


KINDS: dict[str, dict[str, Any]] = {
    "mptcp": {},
    "mptcp-parallel": {"client": "-t 4 -P 3"},
    "mptcp-reverse": {"client": "-t 4 -R"},
    "mptcp-sized": {"client": "-n 4M"},
    "mptcp-lossy": {"loss": "1%"},
    "tcp": {"wrap": ("", "")},
    "fallback": {"wrap": ("mptcpize run ", "")},
    "no-join": {"join": False},
    "edge-drops": {"edge_limit": 9000},
    "interrupted": {"end": signal.SIGINT},
    "killed": {"end": signal.SIGKILL},
    "refused": {"server": "none"},
}


def main(names: list[str]) -> None:
    """In the guest."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sh("hostname client")
    OUT.mkdir()
    for name in names:
        try:
            traffic(name, **KINDS[name])
        except subprocess.CalledProcessError as error:
            sys.exit(f"{name}: {error} {error.stderr}")


def make(names: list[str]) -> None:
    """Have a guest do it, and keep what it wrote."""
    from mpbench.backends.base import Bounds
    from tests.virtual.lab import guest_call, lab_with

    with tempfile.TemporaryDirectory() as folder:
        lab = lab_with(Path(folder), guest_call("tests.analysis.capture", names))
        bounds = Bounds(virtual_s=600, wall_s=1800, silence_s=600)
        ended, artefacts = lab.execute({"seed": 7}, bounds)
        print(ended)
        for name in names:
            shutil.rmtree(CAPTURED / name, ignore_errors=True)
            (CAPTURED / name).mkdir()
            for file in (artefacts.parent / "captured" / name).iterdir():
                if file.stat().st_size:
                    shutil.copy(file, CAPTURED / name)


if __name__ == "__main__":
    make(sys.argv[1:] or list(KINDS))
