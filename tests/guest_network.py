"""Networks of namespaces in a guest, for what the captured test data come from.

    client --- c1 [r1] s1 --- server       10.0.i.0/24 and 10.1.i.0/24 on path i,
           \\-- c2 [r2] s2 --/             the server's address is 10.9.0.1
            ...

A path can lead through a middlebox, `--- c1 [m1] [r1] s1 ---`. Imported by scripts
that run in a User Mode Linux guest; not part of the suite.
"""

import json
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

SERVER = "10.9.0.1"
ENDS = ("client", "server")
OFFLOADS = "tso off gso off gro off"
Interface = tuple[str, str]
"""The node that has it, and its name there."""


def sh(line: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line.split(), check=check, capture_output=True, text=True)


def on(node: str, line: str, **kwargs: bool) -> subprocess.CompletedProcess[str]:
    return sh(f"ip netns exec {node} {line}", **kwargs)


def started(node: str, line: str, out: Path, err: Path) -> subprocess.Popen[bytes]:
    """A process in a namespace, what it says in two files."""
    return subprocess.Popen(
        ["ip", "netns", "exec", node, *line.split()],
        stdout=out.open("w"),
        stderr=err.open("w"),
    )


def wire(paths: int, join: bool = True, boxed: Collection[int] = ()) -> list[str]:
    """Namespaces, links, addresses, routes and endpoints; returns the nodes.

    join : whether the client opens a subflow on each further path
    boxed : numbers of paths that lead through a node m<i>, whose interfaces
        m<i>-near and m<i>-far somebody has to bridge. Checksums are computed then.
    """
    routers = [f"r{i}" for i in range(1, paths + 1)]
    nodes = [*ENDS, *routers, *(f"m{i}" for i in boxed)]
    for node in nodes:
        sh(f"ip netns add {node}")
        on(node, "ip link set lo up")
        on(node, "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0")
    for i, router in enumerate(routers, start=1):
        _wire_path(i, router, i in boxed)
    on("client", "ip route add default via 10.0.1.2")
    on("server", f"ip addr add {SERVER}/32 dev lo")
    for node in ENDS:
        on(node, "ip mptcp limits set subflow 8 add_addr_accepted 8")
    for i in range(2, paths + 1):
        if join:
            on("client", f"ip mptcp endpoint add 10.0.{i}.1 dev c{i} subflow")
    return nodes


def _wire_path(i: int, router: str, boxed: bool) -> None:
    client, server = f"10.0.{i}", f"10.1.{i}"
    if boxed:
        _link(("client", f"c{i}"), (f"m{i}", f"m{i}-near"), "tx off")
        _link((f"m{i}", f"m{i}-far"), (router, f"{router}-in"), "tx off")
    else:
        _link(("client", f"c{i}"), (router, f"{router}-in"))
    _link(("server", f"s{i}"), (router, f"{router}-out"))
    for end, near, far, net in (
        ("client", f"c{i}", "in", client),
        ("server", f"s{i}", "out", server),
    ):
        on(end, f"ip addr add {net}.1/24 dev {near}")
        on(router, f"ip addr add {net}.2/24 dev {router}-{far}")
    on("client", f"ip rule add from {client}.1 table {i}")
    on("client", f"ip route add default via {client}.2 dev c{i} table {i}")
    on("server", f"ip route add {client}.0/24 via {server}.2")
    on(router, f"ip route add {SERVER}/32 via {server}.1")


def _link(one: Interface, two: Interface, more: str = "") -> None:
    (node, device), (other, peer) = one, two
    sh(f"ip link add {device} netns {node} type veth peer name {peer} netns {other}")
    for where, name in (one, two):
        on(where, f"ip link set {name} up")
        on(where, f"ethtool -K {name} {OFFLOADS} {more}")


def unwire(nodes: Iterable[str]) -> None:
    for node in nodes:
        sh(f"ip netns del {node}")


def counters(folder: Path, nodes: Iterable[str] = ENDS) -> None:
    """The kernel's counters of some nodes, as nstat-<node>.json."""
    for node in nodes:
        text = on(node, "nstat -asz -j").stdout
        (folder / f"nstat-{node}.json").write_text(text)


def some(counted: str) -> dict[str, Any]:
    """nstat's text without the counters that are 0."""
    found = json.loads(counted)["kernel"]
    return {name: value for name, value in found.items() if value}
