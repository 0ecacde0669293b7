"""Faulty orders to the fabric, and hosts that vanish while packets are under way.

Run in a guest; writes `artefacts/orders.json`. Standard library only.
"""

import json
import os
import socket
import time
from pathlib import Path

from mpbench.guest.namespaces import Namespace
from mpbench.guest.network import LabNode, run_batch

KERNEL = "/proc/lab_fabric"
ADDRESSES = ("10.0.0.1", "10.0.0.2")
GOOD = ("link 0 1000000 50000000 100000 0 0 0", "link 1 1000000 50000000 100000 0 0 0")
FAULTY = (
    "link",
    "link 3 1000000 0 0 0 0 0",
    "link 2 -1 0 0 0 0 0",
    "link 2 999 0 0 0 0 0",
    "link 2 1000000 0 0 0 0",
    "link 2 1000000 0 0 0 0 0 0",
    "link 2 1000000 0 0 0 4294967297 0",
    "link 2 99999999999999999999 0 0 0 0 0",
    "link x 1000000 0 0 0 0 0",
    "red 0 5 4",
    "red 9 1 2",
    "red 0 0 0",
    "burst",
    "burst 0",
    "burst 9 3028",
    "burst 0 -1",
    "burst 0 1073741825",
    "burst 0 3028 1",
    "delay_first",
    "delay_first 9",
    "delay_first 0 1",
    "bare_first",
    "bare_first 9",
    "bare_first 0 1",
    "bare_over",
    "bare_over 9",
    "bare_over 0 1",
    "rate 0 0 0",
    "rate 0 0 0 5:1000000",
    "rate 0 0 0 0:1000000 500:1000000",
    "rate 0 0 0 0:0",
    "rate 0 0 1000 0:1000000 2000:0",
    "rate 0 0 0 0:5",
    "rate 0 0 0 0:1000000 x",
    "rate 7 0 0 0:1000000",
    "port",
    "port eth9",
    "port a/b 10.0.0.9",
    "port eth%d 10.0.0.9",
    "port thisnameistoolong 10.0.0.9",
    "port eth8 10.0.0.1",
    "port eth7 10.0.0",
    "path 10.0.0.1 10.0.0.2",
    "path 10.0.0.1 10.0.0.1 0",
    "path 10.0.0.1 10.0.0.3 0",
    "path 10.0.0.1 10.0.0.2 5",
    "path 10.0.0.1 10.0.0.2 0 x",
    "path 10.0.0.1 10.0.0.2 " + " ".join(["0"] * 601),
    "choose best",
    "seed",
    "seed 5",
    "offload",
    "offload 100000",
    "offload 10000001",
    "capture 0 name half file",
    "capture 5 name full file",
    "capture 0 name full no/such/folder",
    "end now",
    "begin",
    "\x00\xff",
)


def order(text: str) -> None:
    descriptor = os.open(KERNEL, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode("latin-1"))
    finally:
        os.close(descriptor)


def refused(text: str) -> bool:
    try:
        order(text)
    except OSError:
        return True
    return False


def links() -> int:
    return len(Path(KERNEL).read_text().splitlines()) - 1


def make(round_: int) -> list[LabNode]:
    order("\n".join(["seed 1", *GOOD, ""]))
    nodes = [LabNode(f"host{round_}{number}") for number in (1, 2)]
    for node, address in zip(nodes, ADDRESSES, strict=True):
        with node.namespace.entered():
            order(f"port eth0 {address}")
        lines = [f"addr add {address}/32 dev eth0", "link set dev eth0 up"]
        lines += ["route add default dev eth0"]
        run_batch(node, ["ip"], lines, Path("artefacts") / f"{node.name}.ip")
    order(f"path {' '.join(ADDRESSES)} 0\npath {' '.join(ADDRESSES[::-1])} 1")
    return nodes


def ends(nodes: list[LabNode]) -> tuple[socket.socket, socket.socket]:
    opened = []
    for node, address in zip(nodes, ADDRESSES, strict=True):
        with node.namespace.entered():
            opened.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        opened[-1].bind((address, 5000))
        opened[-1].settimeout(1.0)
    return opened[0], opened[1]


def send(one: socket.socket, two: socket.socket) -> bool:
    one.sendto(b"here", (ADDRESSES[1], 5000))
    try:
        return two.recv(10) == b"here"
    except TimeoutError:
        return False


def main(_: object = None) -> int:
    counted = [links()]
    nodes = make(0)
    one, two = ends(nodes)
    counted.append(links())
    received = [send(one, two)]
    tried = sum(refused(text) for text in FAULTY)
    left = sorted(path.name for path in Path("/sys/class/net").iterdir())
    # A host vanishes while packets to it are under way, and the other one sends on.
    for _ in range(50):
        one.sendto(bytes(1000), (ADDRESSES[1], 5000))
    two.close()
    nodes[1].namespace.remove()
    time.sleep(0.2)
    for _ in range(50):
        one.sendto(bytes(1000), (ADDRESSES[1], 5000))
    with Namespace("other").entered():
        received.append(Path("/sys/class/net/eth0").exists())
    order("end")
    order("end")
    counted.append(links())
    one.close()
    nodes[0].namespace.remove()
    one, two = ends(make(1))
    counted.append(links())
    received.append(send(one, two))
    found = {
        "tried": len(FAULTY),
        "refused": tried,
        "received": received,
        "links": counted,
        "left": left,
    }
    Path("artefacts/orders.json").write_text(json.dumps(found))
    return 0
