#!/usr/bin/python3
"""How the captures below captured/ were made, in a User Mode Linux guest.

    client --- c1 [r1] s1 --- server       path i: 10 Mbit/s, 5 x i ms each way,
           \\-- c2 [r2] s2 --/             a queue of 30 packets
            ...

`python3 tests/capture/make.py DIR` boots the guest that runs this file, and
has tshark look at what comes out. Not part of the test suite: the suite reads what
this once wrote. The captures hold headers only (94 bytes of each packet).
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SERVER = "10.9.0.1"
OUT = Path("/run/mpbench/captured")
PEER = str(Path(__file__).with_name("make_traffic.py"))
SNAP = "94"


def sh(line, check=True):
    return subprocess.run(line.split(), check=check, capture_output=True, text=True)


def on(node, line, **kwargs):
    return sh(f"ip netns exec {node} {line}", **kwargs)


def build(paths, netem, setup):
    routers = [f"r{i}" for i in range(1, paths + 1)]
    for node in ("client", "server", *routers):
        sh(f"ip netns add {node}")
        on(node, "ip link set lo up")
        on(node, "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0")
    for i, router in enumerate(routers, start=1):
        client, server = f"10.0.{i}", f"10.1.{i}"
        for end, near, far, net in (
            ("client", f"c{i}", "in", client),
            ("server", f"s{i}", "out", server),
        ):
            sh(
                f"ip link add {near} netns {end} type veth "
                f"peer name {router}-{far} netns {router}"
            )
            on(end, f"ip addr add {net}.1/24 dev {near}")
            on(router, f"ip addr add {net}.2/24 dev {router}-{far}")
            for node, dev in ((end, near), (router, f"{router}-{far}")):
                on(node, f"ip link set {dev} up")
                on(node, f"ethtool -K {dev} tso off gso off gro off")
            shape(router, f"{router}-{far}", i, netem)
        on("client", f"ip rule add from {client}.1 table {i}")
        on("client", f"ip route add default via {client}.2 dev c{i} table {i}")
        on("server", f"ip route add {client}.0/24 via {server}.2")
        on(router, f"ip route add {SERVER}/32 via {server}.1")
    on("client", "ip route add default via 10.0.1.2")
    on("server", f"ip addr add {SERVER}/32 dev lo")
    for node in ("client", "server"):
        on(node, "ip mptcp limits set subflow 8 add_addr_accepted 8")
    for i in range(2, paths + 1):
        on("client", f"ip mptcp endpoint add 10.0.{i}.1 dev c{i} subflow")
    for node, line in setup:
        on(node, line)
    return routers


def shape(router, dev, path, netem):
    on(
        router,
        f"tc qdisc add dev {dev} root handle 1: netem delay {5 * path}ms {netem} "
        "limit 1000",
    )
    on(
        router,
        f"tc qdisc add dev {dev} parent 1:1 tbf rate 10mbit burst 3028 limit 45420",
    )


def wait_for(path, text):
    for _ in range(1000):
        if text in path.read_text():
            return
        time.sleep(0.01)
    raise RuntimeError(f"{path}: no {text!r}")


def start_captures(folder, paths):
    started = []
    for end in ("client", "server"):
        for i in range(1, paths + 1):
            dev = f"{end[0]}{i}"
            log = folder / f"{dev}.log"
            argv = ["tcpdump", "-i", dev, "-s", SNAP, "-B", "8192", "-n"]
            argv += ["-w", str(folder / f"{end}-{i}.pcap"), "tcp"]
            with log.open("w") as file:
                started.append(
                    subprocess.Popen(["ip", "netns", "exec", end, *argv], stderr=file)
                )
            wait_for(log, "listening on")
    return started


def make(name, traffic, paths=2, netem="", setup=(), during=(), wrap=True):
    """One kind. traffic : arguments of make_traffic.py, or "iperf3 ..." for that."""
    folder = OUT / name
    folder.mkdir(parents=True)
    routers = build(paths, netem, setup)
    captures = start_captures(folder, paths)
    if traffic.startswith("iperf3"):
        run = "mptcpize run " if wrap else ""
        server, client = f"{run}iperf3 -s -1 -J", f"{run}{traffic} -c {SERVER} -J"
    else:
        server = f"{sys.executable} {PEER} serve {SERVER} {traffic}"
        client = f"{sys.executable} {PEER} ask {SERVER} {traffic}"
    running = {}
    for side, line in (("server", server), ("client", client)):
        running[side] = subprocess.Popen(
            ["ip", "netns", "exec", side, *line.split()],
            stdout=(folder / f"{side}.json").open("w"),
            stderr=(folder / f"{side}.err").open("w"),
        )
        time.sleep(0.3)
    for after_s, node, line in during:
        time.sleep(after_s)
        on(node, line)
    (folder / "ss.txt").write_text(on("client", "ss -tiOHn").stdout)
    codes = {side: running[side].wait(timeout=60) for side in ("client", "server")}
    time.sleep(5)
    for node in ("client", "server"):
        text = on(node, "nstat -asz -j").stdout
        (folder / f"nstat-{node}.json").write_text(text)
    for capture in captures:
        capture.send_signal(signal.SIGINT)
        capture.wait()
    for node in ("client", "server", *routers):
        sh(f"ip netns del {node}")
    print("made", name, codes, flush=True)


KINDS = {
    "two": {"traffic": "iperf3 -n 700K"},
    "three": {"traffic": "iperf3 -n 700K", "paths": 3},
    "eight": {"traffic": "iperf3 -n 900K", "paths": 8},
    "loss": {"traffic": "iperf3 -n 900K", "netem": "loss 3%"},
    "reorder": {"traffic": "iperf3 -n 700K", "netem": "reorder 90% gap 5"},
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
        "setup": [
            ("client", "sysctl -qw net.mptcp.checksum_enabled=1"),
            ("server", "sysctl -qw net.mptcp.checksum_enabled=1"),
        ],
    },
    "closed": {"traffic": "abort 150000"},
}


def main():
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sh("hostname client")
    OUT.mkdir()
    for name, kind in KINDS.items():
        make(name, **kind)
    (OUT / "done").write_text(json.dumps(sorted(KINDS)))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        print(error, error.stderr, flush=True)
    except Exception as error:
        print(type(error), error, flush=True)
