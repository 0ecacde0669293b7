"""A network as plain values: nodes, wires between them, and what each is for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from topologies.shaping import Shape


@dataclass(frozen=True)
class Node:
    """configuration : lines for `ip -batch`, once its interfaces are up
    offloads : whether its interfaces leave segments uncut (TSO, GSO) and put them
        together (GRO), as the kernel has them unasked
    """

    name: str
    router: bool = False
    configuration: tuple[str, ...] = ()
    offloads: bool = False


@dataclass(frozen=True)
class End:
    """One end of a wire.

    address : with its prefix length, `10.0.1.2/24`; None for none
    shape : what happens to the packets that leave here; None for nothing
    """

    node: str
    interface: str
    address: str | None = None
    shape: Shape | None = None


@dataclass(frozen=True)
class Wire:
    """An ideal link; what is not ideal are the shapes of its ends."""

    one: End
    two: End


@dataclass(frozen=True)
class LinkPlace:
    """Where a link is shaped: (node, interface), in the direction of what users
    send (`forward`) and in the other (`backward`)."""

    link: str
    forward: tuple[str, str]
    backward: tuple[str, str]


@dataclass(frozen=True)
class Port:
    """Where a host is reached: an interface and its address."""

    interface: str
    address: str


@dataclass(frozen=True)
class Wiring:
    """All of a network.

    ports : by host, one a path for users, those that traffic is sent to first
        for servers
    """

    nodes: tuple[Node, ...]
    wires: tuple[Wire, ...]
    links: tuple[LinkPlace, ...]
    ports: Mapping[str, tuple[Port, ...]] = field(default_factory=dict)

    def address(self, host: str, path: int | None = None) -> str:
        """The address of a host; of its interface on a path, if one is named."""
        return self.ports[host][(path or 1) - 1].address
