"""Captures of the host's own kernel, for what the guest's cannot: IPv6; and numbers
that wrap around, which takes tries by the hundred. Root; called by make.py.

    client == two veth pairs, 10 Mbit/s with a queue == server
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.guest_network import on, sh

PEER = str(Path(__file__).with_name("make_traffic.py"))
SPACES = ("mpb-client", "mpb-server")


def build(slow):
    for node in SPACES:
        sh(f"ip netns add {node}")
        on(node, "ip link set lo up")
        on(node, "sysctl -qw net.ipv6.conf.all.accept_dad=0")
        on(node, "sysctl -qw net.ipv6.conf.default.accept_dad=0")
        on(node, "ip mptcp limits set subflow 8 add_addr_accepted 8")
    for i in (1, 2):
        sh(
            f"ip link add c{i} netns {SPACES[0]} type veth "
            f"peer name s{i} netns {SPACES[1]}"
        )
        for node, dev, last in ((SPACES[0], f"c{i}", 1), (SPACES[1], f"s{i}", 2)):
            on(node, f"ip link set {dev} up")
            on(node, f"ip -6 addr add fd00:{i}::{last}/64 dev {dev} nodad")
            on(node, f"ip addr add 10.7.{i}.{last}/24 dev {dev}")
            if slow:
                on(node, f"ethtool -K {dev} tso off gso off gro off")
                on(
                    node,
                    f"tc qdisc add dev {dev} root tbf rate 10mbit burst 3028 "
                    "limit 18168",
                )


def take(folder, address, traffic, join):
    folder.mkdir(parents=True, exist_ok=True)
    if join:
        on(SPACES[1], f"ip mptcp endpoint add {join} dev s2 signal")
    captures = []
    for end, node in zip("cs", SPACES, strict=True):
        for i in (1, 2):
            log = folder / f"{end}{i}.log"
            target = folder / f"{'client' if end == 'c' else 'server'}-{i}.pcap"
            argv = ["tcpdump", "-i", f"{end}{i}", "-s", "118", "-n", "-B", "8192"]
            with log.open("w") as file:
                captures.append(
                    subprocess.Popen(
                        ["ip", "netns", "exec", node, *argv, "-w", str(target), "tcp"],
                        stderr=file,
                    )
                )
            while "listening on" not in log.read_text():
                time.sleep(0.02)
    running = [
        subprocess.Popen(
            [
                "ip",
                "netns",
                "exec",
                node,
                sys.executable,
                PEER,
                role,
                address,
                *traffic,
            ],
            stdout=subprocess.PIPE,
        )
        for node, role in zip(SPACES[::-1], ("serve", "ask"), strict=True)
        if not time.sleep(0.3)
    ]
    received = [json.loads(each.communicate()[0]) for each in running]
    time.sleep(1)
    for name, node in zip(("client", "server"), SPACES, strict=True):
        (folder / f"nstat-{name}.json").write_text(on(node, "nstat -asz -j").stdout)
    for name, text in zip(("server", "client"), received, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(text))
    for each in captures:
        each.send_signal(signal.SIGINT)
        each.wait()


def subflow_ports(tables, connection):
    mine = tables.subflows[tables.subflows["connection"] == connection]
    return sorted({int(p) for p in (*mine["a_port"], *mine["b_port"])} - {5300})


def keep_one(folder):
    """Of many connections, the shortest capture of one whose data numbers wrap."""
    from analysis.capture.analyse import analyse

    tables = analyse(sorted(folder.glob("client-*.pcap")))
    wrapped = tables.data[tables.data["wraps"] > 0]
    if not len(wrapped):
        return False
    connection = int(wrapped[0]["connection"])
    number = sorted(tables.connections["connection"]).index(connection)
    for end in ("client", "server"):
        file = folder / f"{end}.json"
        said = json.loads(file.read_text())
        file.write_text(json.dumps({k: [v[number]] for k, v in said.items()}))
    ports = subflow_ports(tables, connection)
    wanted = " or ".join(f"port {port}" for port in ports)
    for path in folder.glob("*.pcap"):
        part = path.with_suffix(".part")
        sh(f"tcpdump -r {path} -w {part} {wanted}")
        part.rename(path)
    return True


KINDS = {
    "ipv6": (True, "fd00:1::2", ["mptcp", "400000"], "fd00:2::2"),
    "wrap": (False, "10.7.1.2", ["mptcp", *["16000000"] * 60], "10.7.2.2"),
}
"""Whether the links are slow, the server's address, arguments of make_traffic.py, and
the address that the server announces."""


def make(out, name):
    """One kind, in a folder of its own below `out`."""
    slow, address, traffic, join = KINDS[name]
    for attempt in range(20):
        build(slow)
        try:
            take(out / name, address, traffic, join)
        finally:
            for node in SPACES:
                sh(f"ip netns del {node}")
        if name != "wrap" or keep_one(out / name):
            print("made", name, "after", attempt + 1, flush=True)
            break
    return out / name
