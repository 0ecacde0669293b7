#!/usr/bin/python3
"""How the files below captured/ were made, in a User Mode Linux guest.

    client --- c1 [r1] s1 --- server       path 1: 20 Mbit/s, 5 ms each way
           \\-- c2 [r2] s2 --/             path 2: 10 Mbit/s, 10 ms each way

Run it by mpbench's guest kernel, whose folder holds `boot/argv` with the path of this
file and `boot/limit` with 300; the captures appear in that folder.

Not part of the test suite: the suite reads what this once wrote. Paths 1 and 2 nest
their disciplines differently (tbf above netem, netem above tbf) on purpose.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

SERVER = "10.9.0.1"
ROUTERS = ("r1", "r2")
OUT = Path("/run/mpbench/captured")


def sh(line, check=True):
    return subprocess.run(line.split(), check=check, capture_output=True, text=True)


def on(node, line, **kwargs):
    return sh(f"ip netns exec {node} {line}", **kwargs)


def build(join=True, loss="0%", edge_limit=None):
    for node in ("client", "server", *ROUTERS):
        sh(f"ip netns add {node}")
        on(node, "ip link set lo up")
        on(node, "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0")
    for i, router in enumerate(ROUTERS, start=1):
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
        on("client", f"ip rule add from {client}.1 table {i}")
        on("client", f"ip route add default via {client}.2 dev c{i} table {i}")
        on("server", f"ip route add {client}.0/24 via {server}.2")
        on(router, f"ip route add {SERVER}/32 via {server}.1")
    on("client", "ip route add default via 10.0.1.2")
    on("server", f"ip addr add {SERVER}/32 dev lo")
    for node in ("client", "server"):
        on(node, "ip mptcp limits set subflow 8 add_addr_accepted 8")
    if join:
        on("client", "ip mptcp endpoint add 10.0.2.1 dev c2 subflow")
    shape(loss, edge_limit)


def shape(loss, edge_limit):
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


def snapshot(folder):
    qdisc, link = {}, {}
    for node in ("client", "server", *ROUTERS):
        qdisc[node] = json.loads(on(node, "tc -s -j qdisc show").stdout)
        link[node] = json.loads(on(node, "ip -s -j link").stdout)
    (folder / "qdisc-end.json").write_text(json.dumps(qdisc))
    (folder / "link-end.json").write_text(json.dumps(link))
    for node in ("client", "server"):
        text = on(node, "nstat -asz -j").stdout
        (folder / f"nstat-{node}.json").write_text(text)


def outcome(argv, codes):
    """What mpbench's guest would have said of it."""
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
    name,
    client="-t 4",
    server="",
    wrap=("mptcpize run ", "mptcpize run "),
    end=None,
    **network,
):
    folder = OUT / name / "artefacts"
    folder.mkdir(parents=True)
    build(**network)
    argv = {
        "server": f"{wrap[1]}iperf3 -s -1 -J {server}",
        "client": f"{wrap[0]}iperf3 -c {SERVER} -J {client}",
    }
    running = {}
    for side, line in argv.items():
        if server == "none" and side == "server":
            continue
        running[side] = subprocess.Popen(
            ["ip", "netns", "exec", side, *line.split()],
            stdout=(folder / f"traffic-0-{side}.json").open("w"),
            stderr=(folder / f"traffic-0-{side}.err").open("w"),
        )
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
    for node in ("client", "server", *ROUTERS):
        sh(f"ip netns del {node}")
    print("captured", name, codes, flush=True)


def main():
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sh("hostname client")
    OUT.mkdir()
    traffic("mptcp")
    traffic("mptcp-parallel", client="-t 4 -P 3")
    traffic("mptcp-reverse", client="-t 4 -R")
    traffic("mptcp-sized", client="-n 4M")
    traffic("mptcp-lossy", loss="1%")
    traffic("tcp", wrap=("", ""))
    traffic("fallback", wrap=("mptcpize run ", ""))
    traffic("no-join", join=False)
    traffic("edge-drops", edge_limit=9000)
    traffic("interrupted", end=signal.SIGINT)
    traffic("killed", end=signal.SIGKILL)
    traffic("refused", server="none")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        print(error, error.stderr, flush=True)
    except Exception as error:
        print(type(error), error, flush=True)
