"""Build a network of hosts that the fabric of the guest's kernel connects.

Only the hosts are network namespaces. Links and paths are orders to
kernel/overlay/net/lab/, which are kept in the run's artefacts.
"""

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mpbench.guest.network import LabNode, NetworkError, run_batch
from topologies import fabric
from topologies.fabric import Table
from topologies.shaping import FRAME_BYTES

KERNEL = Path("/proc/lab_fabric")
MOST_BYTES = 1 << 19
"""Of one write; the kernel takes twice as many."""
KIND = "fabric"
WAITED_S = 1024e-9
"""The kernel counts the time that bytes waited in units of 1,024 ns."""


class FabricNetwork:
    """The hosts of a network on the fabric; the counterpart of LabNetwork.

    table : the network
    choose : how a new flow picks one of several paths, one of `fabric.CHOICES`
    seed : of the losses, jitter and choices
    log : the folder that keeps the orders
    more : further lines for `ip -batch`, by host
    limit : what a full queue is full of, one of `fabric.LIMITS`
    gather_ms : how long receivers gather a segment's frames; None for single frames
    now_mbps : by number, the capacity of each way that has changed
    """

    def __init__(
        self,
        table: Table,
        choose: str,
        seed: int,
        log: Path,
        more: Mapping[str, Sequence[str]],
        limit: str = fabric.LIMITS[0],
        gather_ms: float | None = None,
    ) -> None:
        self.table = table
        self.limit = limit
        self.now_mbps: Mapping[int, float] = {}
        self._rates: Mapping[int, str] = {}
        self.log = log
        self.more = more
        self.nodes: dict[str, LabNode] = {}
        self.links: list[Any] = []
        self._first = [
            f"seed {seed}",
            *fabric.offload_orders(gather_ms),
            f"choose {choose}",
        ]

    def build(self, undo: contextlib.ExitStack) -> None:
        """Build the network. `undo` gets the calls that take it down again.

        Raises NetworkError if the kernel refuses an order.
        """
        links = [
            *self._first,
            *fabric.link_orders(self.table.ways, self.limit),
            *fabric.direct_orders(self.table),
        ]
        _order(links)
        undo.callback(_order, ["end"])
        kept = list(links)
        for name, ports in self.table.ports.items():
            node = self.nodes[name] = LabNode(name)
            undo.callback(node.terminate)
            orders = [f"port {port.interface} {port.address}" for port in ports]
            with node.namespace.entered():
                _order(orders)
            node.interfaces = [port.interface for port in ports]
            kept += orders
        paths = list(fabric.path_orders(self.table.paths))
        _order(paths)
        (self.log / "network.fabric").write_text("\n".join([*kept, *paths, ""]))
        for name, node in self.nodes.items():
            lines = [
                "link set dev lo up",
                *fabric.host_lines(self.table.ports[name]),
                *self.more.get(name, []),
            ]
            run_batch(node, ["ip"], lines, self.log / f"{name}.ip")

    def queues(self) -> dict[str, list[dict[str, Any]]]:
        """Settings and counters of all ways, by node, in the form of `tc -s -j`."""
        found: dict[str, list[dict[str, Any]]] = {}
        for way, row in zip(self.table.ways, self._rows(), strict=True):
            node, interface = way.place
            mbps = self.now_mbps.get(row["link"])
            bps = row["bps"] if mbps is None else round(mbps * 1e6)
            found.setdefault(node, []).append(_as_tc(interface, {**row, "bps": bps}))
        return found

    def byte_seconds(self) -> list[float]:
        """Time that bytes have waited so far at each way: the sum over packets."""
        return [_byte_seconds(row) for row in self._rows()]

    def vary(self, orders: Mapping[int, str]) -> None:
        """Give ways a capacity over time. orders : by the number of the way"""
        self._rates = orders
        _order(orders.values())
        (self.log / "changes.fabric").write_text("\n".join([*orders.values(), ""]))

    def varies_as_ordered(self) -> bool:
        """Whether the kernel has as many steps as it was given."""
        asked = {way: order.count(":") for way, order in self._rates.items()}
        return all(row["steps"] == asked.get(row["link"], 0) for row in self._rows())

    def _rows(self) -> Iterator[dict[str, int]]:
        """The kernel's rows about the ways, without a link for acknowledgements."""
        return itertools.islice(_rows(), len(self.table.ways))


def capture(way: int, name: str, what: str, file: Path) -> None:
    """Begin to capture what leaves the queue of a way, until /proc/lab_capture ends it.

    what : `full` or `headers`
    """
    _order([f"capture {way} {name} {what} {file}"])


def _order(lines: Iterable[str]) -> None:
    """Give the kernel orders, in writes that it takes."""
    for text in _writes(lines):
        try:
            _write(text.encode())
        except OSError as error:
            first = text.partition("\n")[0]
            raise NetworkError(
                f"the fabric refuses an order of those from '{first}' on: "
                f"{error.strerror}; the console says which"
            ) from error


def _write(orders: bytes) -> None:
    """Write all at once, so that no line is cut in two."""
    descriptor = os.open(KERNEL, os.O_WRONLY)
    try:
        os.write(descriptor, orders)
    finally:
        os.close(descriptor)


def _writes(lines: Iterable[str]) -> Iterator[str]:
    gathered: list[str] = []
    size = 0
    for line in lines:
        if size + len(line) > MOST_BYTES and gathered:
            yield "\n".join(gathered)
            gathered, size = [], 0
        gathered.append(line)
        size += len(line) + 1
    if gathered:
        yield "\n".join(gathered)


def _rows() -> Iterator[dict[str, int]]:
    """The kernel's lines about its links, in the order of their numbers."""
    head, *lines = KERNEL.read_text().splitlines()
    for line in lines:
        yield dict(zip(head.split(), map(int, line.split()), strict=True))


def _as_tc(interface: str, row: Mapping[str, int]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "delay": {"delay": row["delay_ns"] / 1e9, "jitter": row["jitter_ns"] / 1e9},
        "loss-random": {"loss": round(row["loss_2^-32"] / 2**32, 9)},
    }
    if row["bps"]:
        options |= {"rate": row["bps"] / 8, "limit": row["limit_bytes"]}
    if row["limit_packets"]:
        options["limit_packets"] = row["limit_packets"]
    if row["burst"]:
        options["burst"] = row["burst"]
    if row["delay_first"]:
        options["delay_first"] = True
    if row["bare_first"]:
        options["acks_first"] = True
    if row["red_max_2^-16"]:
        options["red"] = {
            "min": row["red_min_2^-16"] * FRAME_BYTES / 2**16,
            "max": row["red_max_2^-16"] * FRAME_BYTES / 2**16,
        }
    return {
        "kind": KIND,
        "dev": interface,
        "handle": "1:",
        "root": True,
        "options": options,
        "bytes": row["bytes"],
        "packets": row["packets"],
        "drops": row["lost"] + row["red"] + row["full"],
        "lost": row["lost"],
        "early": row["red"],
        "full": row["full"],
        "most_bytes": row["most_bytes"],
        "byte_seconds": _byte_seconds(row),
    }


def _byte_seconds(row: Mapping[str, int]) -> float:
    return round(row["waited_2^10ns"] * WAITED_S, 6)
