"""Make the captures below captured/ in a User Mode Linux guest.

The network of tests/guest_network.py; path i: 10 Mbit/s, 5 x i ms each way, a queue of
30 packets. `python -m tests.capture.make` boots the guest that runs this file, and has
tshark look at what comes out. Not part of the test suite: the suite reads what this
once wrote. The captures hold headers only (94 bytes of each packet).
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.guest_network import ENDS, SERVER, counters, on, sh, started, unwire, wire

OUT = Path("/run/mpbench/captured")
HERE = Path(__file__).parent
PEER = str(HERE / "make_traffic.py")
BOX = str(HERE / "make_box.py")
SNAP = "94"


def shape(router: str, dev: str, path: int, netem: str) -> None:
    on(
        router,
        f"tc qdisc add dev {dev} root handle 1: netem delay {5 * path}ms {netem} "
        "limit 1000",
    )
    on(
        router,
        f"tc qdisc add dev {dev} parent 1:1 tbf rate 10mbit burst 3028 limit 45420",
    )


def wait_for(path: Path, text: str) -> None:
    for _ in range(1000):
        if text in path.read_text():
            return
        time.sleep(0.01)
    raise RuntimeError(f"{path}: no {text!r}")


def start_captures(folder: Path, paths: int) -> list[subprocess.Popen[bytes]]:
    running = []
    for end in ENDS:
        for i in range(1, paths + 1):
            dev = f"{end[0]}{i}"
            log = folder / f"{dev}.log"
            argv = ["tcpdump", "-i", dev, "-s", SNAP, "-n", "--immediate-mode"]
            argv += ["-w", str(folder / f"{end}-{i}.pcap"), "tcp"]
            with log.open("w") as file:
                running.append(
                    subprocess.Popen(["ip", "netns", "exec", end, *argv], stderr=file)
                )
            wait_for(log, "listening on")
    return running


def start_boxes(folder: Path, boxes: dict[int, str]) -> list[subprocess.Popen[bytes]]:
    running = []
    for i, what in boxes.items():
        out = folder / f"m{i}.log"
        line = f"{sys.executable} {BOX} m{i}-near m{i}-far {what}"
        running.append(started(f"m{i}", line, out, folder / f"m{i}.err"))
        wait_for(out, "bridging")
    return running


def ended(process: subprocess.Popen[bytes]) -> int:
    """Its exit status; it is terminated if it goes on for a minute."""
    try:
        return process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.wait()


def make(
    name: str,
    traffic: str,
    paths: int = 2,
    netem: str = "",
    setup: Iterable[tuple[str, str]] = (),
    during: Iterable[tuple[float, str, str]] = (),
    wrap: bool = True,
    boxes: dict[int, str] | None = None,
) -> None:
    """One kind. traffic : arguments of make_traffic.py, or "iperf3 ..." for that;
    boxes : by path, what a middlebox on it does"""
    folder = OUT / name
    folder.mkdir(parents=True)
    boxes = boxes or {}
    nodes = wire(paths, boxed=tuple(boxes))
    for i in range(1, paths + 1):
        for dev in (f"r{i}-in", f"r{i}-out"):
            shape(f"r{i}", dev, i, netem)
    for node, line in setup:
        on(node, line)
    helpers = start_captures(folder, paths) + start_boxes(folder, boxes)
    if traffic.startswith("iperf3"):
        run = "mptcpize run " if wrap else ""
        server, client = f"{run}iperf3 -s -1 -J", f"{run}{traffic} -c {SERVER} -J"
    else:
        server = f"{sys.executable} {PEER} serve {SERVER} {traffic}"
        client = f"{sys.executable} {PEER} ask {SERVER} {traffic}"
    running = {}
    for side, line in (("server", server), ("client", client)):
        out, err = folder / f"{side}.json", folder / f"{side}.err"
        running[side] = started(side, line, out, err)
        time.sleep(0.3 if side == "server" else 0)
    for after_s, node, line in during:
        time.sleep(after_s)
        on(node, line)
    codes = {side: ended(running[side]) for side in ENDS}
    time.sleep(5)
    counters(folder)
    for helper in helpers:
        helper.send_signal(signal.SIGINT)
        helper.wait()
    unwire(nodes)
    print("made", name, codes, flush=True)


CHECKSUMS = [(end, "sysctl -qw net.mptcp.checksum_enabled=1") for end in ENDS]
KINDS: dict[str, dict[str, Any]] = {
    "two": {"traffic": "iperf3 -n 700K"},
    "three": {"traffic": "iperf3 -n 700K", "paths": 3},
    "eight": {"traffic": "iperf3 -n 900K", "paths": 8},
    "loss": {"traffic": "iperf3 -n 900K", "netem": "loss 3%"},
    "lossy": {"traffic": "mptcp 900000", "netem": "loss 8%"},
    "reorder": {"traffic": "iperf3 -n 700K", "netem": "reorder 90% gap 5"},
    # A timer runs out while duplicate ACKs still come.
    "late-timer": {"traffic": "iperf3 -n 700K", "netem": "reorder 90% gap 5"},
    "down": {
        "traffic": "mptcp 900000",
        "during": [(0.2, "r2", "ip link set r2-in down")],
    },
    "fallback": {"traffic": "fallback 200000"},
    "plain": {"traffic": "tcp 300000", "netem": "loss 2%"},
    "short": {"traffic": "mptcp 0 1 100 5000 20000"},
    "answered": {"traffic": "both 150000"},
    "announced": {
        "traffic": "mptcp 400000",
        "setup": [("server", "ip mptcp endpoint add 10.1.2.1 dev s2 signal")],
        "during": [
            (0.15, "client", "ip mptcp endpoint change id 1 backup"),
            (0.10, "client", "ip mptcp endpoint delete id 1"),
        ],
    },
    "checksum": {
        "traffic": "mptcp 200000",
        "setup": CHECKSUMS,
    },
    "closed": {"traffic": "abort 150000"},
    # A checksum of MPTCP that does not hold: fall back by an infinite mapping on the
    # only subflow, a reset of it where there is another.
    "failed": {
        "traffic": "slow 60000",
        "paths": 1,
        "setup": CHECKSUMS,
        "boxes": {1: "flip 20"},
    },
    "failed-one": {
        "traffic": "mptcp 400000",
        "setup": CHECKSUMS,
        "boxes": {2: "flip 20"},
    },
    "narrow": {"traffic": "both 200000", "boxes": {1: "narrow", 2: "narrow"}},
    "stripped": {"traffic": "mptcp 150000", "boxes": {1: "strip"}},
    "stripped-acks": {"traffic": "mptcp 150000", "boxes": {1: "strip-acks"}},
}


def main(names: Sequence[str] = ()) -> None:
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sh("hostname client")
    OUT.mkdir()
    for name in names or KINDS:
        try:
            make(name, **KINDS[name])
        except subprocess.CalledProcessError as error:
            sys.exit(f"{name}: {error} {error.stderr}")
    (OUT / "done").write_text(json.dumps(sorted(names or KINDS)))
