"""Change endpoints and addresses of hosts at their times while traffic runs."""

import socket
import time
from collections.abc import Sequence
from pathlib import Path

from jobs import Job
from jobs.artefacts import HOST_CHANGES
from jobs.ends import Change, Limits
from mpbench.guest import endpoints, transport
from mpbench.guest.changes import DEADLINE_S, NS, Batch, ChangeError, Changes
from mpbench.guest.fabric_changes import FabricChanges
from mpbench.guest.mptcp_netlink import PathManager
from mpbench.guest.network import LabNetwork
from mpbench.guest.userspace import Script
from topologies.wiring import Port

RECORD = "host-changes.csv"
POLL_S = 0.0001
LIMITS = "limits"
"""The word in place of a link in the record."""
SETTABLE = {"backup"}
"""Flags that the kernel changes of subflows that are there (MP_PRIO). A change of any
other flag takes the endpoint away and adds another one."""


class HostChanges:
    """The changes of all hosts, and those of links, if there are any.

    links : the changes of links; None for none
    """

    def __init__(
        self,
        job: Job,
        network: LabNetwork,
        links: Changes | FabricChanges | None,
        folder: Path,
    ) -> None:
        self._job, self._network, self._links = job, network, links
        self._file = folder / RECORD
        self._rows: list[str] = []
        self._zero_ns = 0
        settings = job.host_settings or {}
        self._steps = sorted(
            (round(change.at_s * NS), host, number)
            for host, own in settings.items()
            for number, change in enumerate(own.changes)
        )
        hosts = dict.fromkeys(host for _, host, _ in self._steps)
        hosts |= dict.fromkeys(h for h, own in settings.items() if own.in_userspace)
        self._managers = {host: PathManager(network.nodes[host]) for host in hosts}
        self._batches = {
            host: Batch(network, host, "ip", folder / f"host-changes-{host}.ip")
            for host in hosts
        }
        self._scripts = {
            host: Script(job, host, manager, network)
            for host, manager in self._managers.items()
            if settings[host].in_userspace
        }
        self._limits = {host: transport.limits(settings[host]) for host in hosts}
        self._known: dict[tuple[str, int], frozenset[str]] = {}
        self._coming: dict[tuple[str, int], float | None] = {}
        for host in hosts:
            given = settings[host].endpoints
            if given is None and not settings[host].addresses:
                for number in range(2, len(job.wiring.ports[host]) + 1):
                    self._known[host, number] = frozenset({"subflow"})
            for one in given or ():
                number, _ = endpoints.port_of(job, host, one.link)
                self._known[host, number] = frozenset(one.flags)

    def begin(self, zero_s: float) -> None:
        self._zero_ns = round(zero_s * NS)
        if self._links:
            self._links.begin(zero_s)

    def due_s(self) -> float:
        own = float("inf")
        if self._steps:
            own = (self._zero_ns + self._steps[0][0]) / NS
        return min(own, self._links.due_s()) if self._links else own

    def take(self) -> None:
        """Make all changes that are due."""
        if self._links:
            self._links.take()
        while self._steps:
            now_ns = time.monotonic_ns() - self._zero_ns
            due_ns, host, number = self._steps[0]
            if now_ns < due_ns:
                return
            self._steps.pop(0)
            change = (self._job.host_settings or {})[host].changes[number]
            state = self._apply(host, change)
            times = f"{now_ns / NS:.9f},{due_ns / NS:.9f}"
            where = change.link or LIMITS
            self._rows.append(f"{times},{host},{where},{state}")

    def _apply(self, host: str, change: Change) -> str:
        if change.command is not None:
            return self._scripts[host].make(change)
        if change.limits is not None:
            return self._limit(host, change.limits)
        number, port = endpoints.port_of(self._job, host, change.link)
        if change.flags is None:
            present = bool(change.present)
            self._batches[host].send(self._address_lines(host, port, present))
            self._coming[host, number] = change.at_s if present else None
            return "present" if present else "absent"
        manager, flags = self._managers[host], frozenset(change.flags)
        before = self._known.pop((host, number), None)
        if before and flags and before ^ flags <= SETTABLE:
            manager.set_flags(number, port.address, change.flags)
        else:
            if before is not None:
                manager.delete(number, port.address)
            if flags:
                if self._coming.pop((host, number), None) == change.at_s:
                    self._await(host, port.address)
                endpoints.add_flags(
                    self._network, host, manager, number, port, change.flags
                )
        if flags:
            self._known[host, number] = flags
        return " ".join(change.flags) or "none"

    def _await(self, host: str, address: str) -> None:
        """Wait until a host has an address that it gets in the same step as an
        endpoint; ip takes a moment, and the kernel asks for a subflow at once.

        Raises ChangeError if it does not come.
        """
        deadline_s = time.monotonic() + DEADLINE_S
        while not _has(self._network, host, address):
            if time.monotonic() > deadline_s:
                raise ChangeError(f"{host}: {address} did not come back")
            time.sleep(POLL_S)

    def _limit(self, host: str, limits: Limits) -> str:
        """Set limits; one that is not said stays as it is."""
        subflows, accepted = self._limits[host]
        if limits.subflows is not None:
            subflows = limits.subflows
        if limits.add_addr_accepted is not None:
            accepted = limits.add_addr_accepted
        self._limits[host] = subflows, accepted
        self._managers[host].limit(subflows, accepted)
        return f"subflows {subflows} add_addr_accepted {accepted}"

    def _address_lines(self, host: str, port: Port, present: bool) -> Sequence[str]:
        """Lines for ip; with an address, a host loses the routes by its interface."""
        wiring = self._job.wiring
        ends = [end for wire in wiring.wires for end in (wire.one, wire.two)]
        places = {(end.node, end.interface): str(end.address) for end in ends}
        whole = places[host, port.interface]
        if whole.partition("/")[0] != port.address:
            whole = f"{port.address}/32"
        if not present:
            return [f"addr del {whole} dev {port.interface}"]
        lines = next(n.configuration for n in wiring.nodes if n.name == host)
        return [
            f"addr add {whole} dev {port.interface}",
            *(
                line.replace("route add ", "route replace ", 1)
                for line in lines
                if line.startswith("route add ")
                and f" dev {port.interface} " in f"{line} "
            ),
        ]

    def end(self) -> None:
        """Complete the record. Raises ChangeError if a change failed."""
        rows = [",".join(HOST_CHANGES), *self._rows]
        self._file.write_text("".join(f"{row}\n" for row in rows))
        for batch in self._batches.values():
            batch.close()
        for script in self._scripts.values():
            script.close()
        for manager in self._managers.values():
            manager.close()
        if self._links:
            self._links.end()


def _has(network: LabNetwork, host: str, address: str) -> bool:
    """Whether a host has an address, which a program can bind then."""
    with (
        network.nodes[host].namespace.entered(),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe,
    ):
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True


def make(
    job: Job,
    network: object,
    links: Changes | FabricChanges | None,
    folder: Path,
) -> HostChanges | Changes | FabricChanges | None:
    """All changes of a run; None if it stays as it is."""
    settings = (job.host_settings or {}).values()
    if not any(own.changes or own.in_userspace for own in settings):
        return links
    assert isinstance(network, LabNetwork)
    return HostChanges(job, network, links, folder)
