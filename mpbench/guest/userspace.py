"""A path manager in user space, which follows a script: see `jobs.ends.Change`.

It runs in the process that makes the other changes of a run, and asks the kernel for
each connection that its host has. Nothing reads the kernel's events, so that no process
wakes between the steps.
"""

import socket
from collections.abc import Mapping

from jobs import Job
from jobs.artefacts import NO_CONNECTION, REFUSED
from jobs.ends import ANNOUNCE, CREATE, DESTROY, REMOVE, Change
from mpbench.guest import endpoints
from mpbench.guest.mptcp_netlink import PathManager, PathManagerError
from mpbench.guest.network import LabNetwork
from mpbench.guest.tcp_diag import Connections, Subflow


class Script:
    """The commands of one host."""

    def __init__(
        self, job: Job, host: str, manager: PathManager, network: LabNetwork
    ) -> None:
        self._job, self._host, self._manager = job, host, manager
        self._namespace = network.nodes[host].namespace
        with self._namespace.entered():
            self._connections = Connections()
            manager.act_for_userspace()

    def make(self, change: Change) -> str:
        """Ask for a change of every connection; what became of it, in words."""
        done, refused = 0, ""
        for token, subflows in self._by_token().items():
            try:
                done += self._make_for(token, subflows, change)
            except PathManagerError as error:
                refused = refused or error.reason
        words = [f"{change.command} {done}"] if done else []
        words += [f"{change.command} {REFUSED}{refused}"] if refused else []
        return "; ".join(words) or f"{change.command}: {NO_CONNECTION}"

    def _by_token(self) -> Mapping[int, list[Subflow]]:
        """The subflows of each MPTCP connection, in an order that does not depend on
        its random token."""
        found: dict[int, list[Subflow]] = {}
        listed = sorted(one for one, _ in self._connections.list() if one.token)
        for subflow in listed:
            found.setdefault(int(subflow.token, 16), []).append(subflow)
        return found

    def _make_for(self, token: int, subflows: list[Subflow], change: Change) -> int:
        """The number of commands that the kernel took for one connection."""
        manager = self._manager
        number, port = endpoints.port_of(self._job, self._host, change.link)
        with self._namespace.entered():
            interface = socket.if_nametoindex(port.interface)
        if change.command == ANNOUNCE:
            manager.announce(token, number, port.address, interface)
            return 1
        if change.command == REMOVE:
            # The address of the first subflow has the id 0 in a connection.
            ids = (one.local_id for one in subflows if one.local[0] == port.address)
            manager.remove(token, next(ids, number))
            return 1
        if change.command == CREATE:
            first = min(subflows, key=lambda one: (one.local_id, one.remote_id))
            to = (change.to or first.remote[0], first.remote[1])
            manager.create(token, number, port.address, interface, to)
            return 1
        own = [one for one in subflows if one.local[0] == port.address]
        for one in own:
            if change.command == DESTROY:
                manager.destroy(token, one.local, one.remote)
            else:
                backup = "backup" in (change.flags or ())
                manager.set_backup(token, one.local, one.remote, backup)
        return len(own)

    def close(self) -> None:
        self._connections.close()
