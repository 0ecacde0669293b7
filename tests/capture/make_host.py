"""Captures of the host's own kernel, for what the guest's cannot: IPv6; and numbers
that wrap around, which takes tries by the hundred. Root; called by make.py.

    client == router == server      two paths, 10 Mbit/s and a short queue at the router

Offloads are off, so that what is captured are segments.
"""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.guest_network import OFFLOADS, on, sh

PEER = str(Path(__file__).with_name("make_traffic.py"))
CLIENT, ROUTER, SERVER = SPACES = ("mpb-client", "mpb-router", "mpb-server")
ENDS = {"client": CLIENT, "server": SERVER}


def build() -> None:
    for node in SPACES:
        sh(f"ip netns add {node}")
        on(node, "ip link set lo up")
        on(node, "sysctl -qw net.ipv6.conf.all.accept_dad=0")
        on(node, "sysctl -qw net.ipv6.conf.default.accept_dad=0")
        on(node, "ip mptcp limits set subflow 8 add_addr_accepted 8")
    on(ROUTER, "sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1")
    for i in (1, 2):
        for end, net in (("client", 7), ("server", 8)):
            link(ENDS[end], f"{end[0]}{i}", f"{end[0]}r{i}", net, i)


def link(node: str, dev: str, far: str, net: int, i: int) -> None:
    """A path's link of one end; that end is 1, the router 2."""
    sh(f"ip link add {dev} netns {node} type veth peer name {far} netns {ROUTER}")
    for where, name, last in ((node, dev, 1), (ROUTER, far, 2)):
        on(where, f"ip link set {name} up")
        on(where, f"ip addr add 10.{net}.{i}.{last}/24 dev {name}")
        on(where, f"ip -6 addr add fd00:{net}:{i}::{last}/64 dev {name} nodad")
        on(where, f"ethtool -K {name} {OFFLOADS}")
    other = 15 - net
    on(node, f"ip route add 10.{other}.{i}.0/24 via 10.{net}.{i}.2")
    on(node, f"ip -6 route add fd00:{other}:{i}::/64 via fd00:{net}:{i}::2")
    on(
        ROUTER,
        f"tc qdisc add dev {far} root tbf rate 10mbit burst 3028 limit 18168",
    )


def take(folder: Path, address: str, traffic: list[str], join: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if join:
        on(SERVER, f"ip mptcp endpoint add {join} dev s2 signal")
    captures = []
    for end, node in ENDS.items():
        for i in (1, 2):
            log = folder / f"{end}{i}.log"
            target = folder / f"{end}-{i}.pcap"
            argv = ["tcpdump", "-i", f"{end[0]}{i}", "-s", "118", "-n", "-B", "8192"]
            with log.open("w") as file:
                captures.append(
                    subprocess.Popen(
                        ["ip", "netns", "exec", node, *argv, "-w", str(target), "tcp"],
                        stderr=file,
                    )
                )
            while "listening on" not in log.read_text():
                time.sleep(0.02)
    running = []
    for node, role in ((SERVER, "serve"), (CLIENT, "ask")):
        time.sleep(0.3)
        argv = ["ip", "netns", "exec", node, sys.executable, PEER, role, address]
        running.append(subprocess.Popen([*argv, *traffic], stdout=subprocess.PIPE))
    received = [json.loads(each.communicate()[0]) for each in running]
    time.sleep(1)
    for name, node in ENDS.items():
        (folder / f"nstat-{name}.json").write_text(on(node, "nstat -asz -j").stdout)
    for name, text in zip(("server", "client"), received, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(text))
    for each in captures:
        each.send_signal(signal.SIGINT)
        each.wait()


KINDS: dict[str, tuple[str, list[str], str | None]] = {
    "ipv6": ("fd00:8:1::1", ["mptcp", "400000"], "fd00:8:2::1"),
    "wrap": ("10.8.1.1", ["wrap", "8000000"], None),
}
"""The server's address, arguments of make_traffic.py, and the address that the server
announces."""


def make(out: Path, name: str) -> Path:
    """One kind, in a folder of its own below `out`."""
    address, traffic, join = KINDS[name]
    try:
        build()
        take(out / name, address, traffic, join)
    finally:
        for node in SPACES:
            sh(f"ip netns del {node}", check=False)
    print("made", name, flush=True)
    return out / name
