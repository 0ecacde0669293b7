"""Interfaces of hosts that go down and come up, with what a host loses by this.

An interface that goes down loses its address and its routes, as when a phone leaves a
wireless network. The kernel's path manager is told that the address is gone, as
NetworkManager and mptcpd do. It then closes the subflows over it and announces this to
the other end (REMOVE_ADDR). When the interface comes up, it gets all of this back.
"""

from collections.abc import Collection

from mpbench.guest.network import LabNetwork
from topologies.wiring import Wiring


class HostInterface:
    """An interface of a host that opens connections.

    endpoint : True if the host's path manager has an endpoint for each address
    backups : numbers of the paths, from 1, that the host keeps as backups
    """

    def __init__(
        self,
        host: str,
        interface: str,
        wiring: Wiring,
        network: LabNetwork,
        endpoint: bool,
        backups: Collection[int] = (),
    ) -> None:
        self.host = host
        self._up = True
        address = next(
            end.address
            for wire in wiring.wires
            for end in (wire.one, wire.two)
            if (end.node, end.interface) == (host, interface)
        )
        (number,) = (
            number
            for number, port in enumerate(wiring.ports[host], start=1)
            if port.interface == interface
        )
        configuration = next(
            node.configuration for node in wiring.nodes if node.name == host
        )
        self._down_lines = [
            f"link set dev {interface} down",
            f"addr del {address} dev {interface}",
        ]
        self._up_lines = [
            f"addr add {address} dev {interface}",
            f"link set dev {interface} up",
            *network.neighbours(host, interface),
            *(
                line
                for line in configuration
                if line.startswith("route add ") and f" dev {interface} " in f"{line} "
            ),
        ]
        if endpoint:
            plain = str(address).partition("/")[0]
            self._down_lines.append(f"mptcp endpoint delete id {number}")
            self._up_lines.append(
                endpoint_line(number, plain, interface, number in backups)
            )

    def switch(self, up: bool) -> list[str]:
        """Lines for `ip -batch` that take the interface up or down, if it is not."""
        if up == self._up:
            return []
        self._up = up
        return self._up_lines if up else self._down_lines


def endpoint_line(number: int, address: str, interface: str, backup: bool) -> str:
    """The line that gives the path manager an address to open subflows from.

    number : of the address's path, from 1
    backup : whether MPTCP uses the path only when no other works
    """
    line = f"mptcp endpoint add {address} id {number} dev {interface} subflow"
    return f"{line} backup" if backup else line
