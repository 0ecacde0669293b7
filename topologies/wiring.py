"""A network as plain values: its nodes, the wires between them, and their roles."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topologies import capturing
from topologies.shaping import Shape


@dataclass(frozen=True)
class Node:
    """A host or router.

    configuration : lines for `ip -batch`, applied when its interfaces are up
    offloads : True if segmentation and receive offload (TSO, GSO, GRO) stay on for
        its interfaces, as by default in the kernel; False if they are switched off
    """

    name: str
    router: bool = False
    configuration: tuple[str, ...] = ()
    offloads: bool = False


@dataclass(frozen=True)
class End:
    """One end of a wire.

    address : with its prefix length, such as `10.0.1.2/24`; None for no address
    shape : what happens to packets that leave through this interface; None if they
        are not shaped
    """

    node: str
    interface: str
    address: str | None = None
    shape: Shape | None = None


@dataclass(frozen=True)
class Wire:
    """An ideal connection between two interfaces. Only its ends shape packets."""

    one: End
    two: End


@dataclass(frozen=True)
class LinkPlace:
    """The interfaces that shape a link, each as (node, interface).

    forward : shapes what users send
    backward : shapes what comes back to users
    """

    link: str
    forward: tuple[str, str]
    backward: tuple[str, str]


@dataclass(frozen=True)
class Port:
    """An interface through which a host is reached, and its address."""

    interface: str
    address: str


@dataclass(frozen=True)
class Wiring:
    """A whole network.

    ports : the ports of each end host by its name. A user's host has one per path. A
        server's first port is the one to which traffic is sent.
    entrances : the port to which traffic is sent of each user's host that is another
        user's server as well
    """

    nodes: tuple[Node, ...]
    wires: tuple[Wire, ...]
    links: tuple[LinkPlace, ...]
    ports: Mapping[str, tuple[Port, ...]] = field(default_factory=dict)
    entrances: Mapping[str, Port] = field(default_factory=dict)

    @property
    def captures(self) -> dict[str, tuple[str, str]]:
        """The (node, interface) of each place to capture at, by its name."""
        return capturing.places(
            (end.node, end.interface)
            for wire in self.wires
            for end in (wire.one, wire.two)
        )

    def address(self, host: str, path: int | None = None) -> str:
        """The address of a host, or of its interface on a path, numbered from 1."""
        return self.ports[host][(path or 1) - 1].address

    def entrance(self, host: str) -> str:
        """The address of a host to which traffic is sent."""
        port = self.entrances.get(host) or self.ports[host][0]
        return port.address
