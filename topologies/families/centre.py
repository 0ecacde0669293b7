"""A data centre: hosts, switches, the wires between them, and paths over the wires."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from topologies.description import Description, User
from topologies.fabric import DOWN, UP, Table, Way
from topologies.parameters import Parameter, link_parameters
from topologies.shaping import Shape
from topologies.wiring import LinkPlace, Node, Port, Wiring

SWITCHES = "fabric"
"""Name of the node of all links in files of a run."""
CAPACITY_MBPS = 100.0
DELAY_MS = 0.02
QUEUE_PACKETS = 100
BUFFER_BYTES = 1 << 20
"""Of a connection in each direction. With the default of other topologies, a run of
1,536 connections would need more memory than a guest has."""
SYSCTLS: Mapping[str, str] = {
    "net.ipv4.tcp_rmem": f"4096 131072 {BUFFER_BYTES}",
    "net.ipv4.tcp_wmem": f"4096 16384 {BUFFER_BYTES}",
}

Chain = tuple[str, ...]


@dataclass(frozen=True)
class Centre:
    """A data centre.

    classes : of wires; a class is a link to experiment files, with one set of
        parameters for all its wires
    ports : of each host, with their addresses
    wires : class, end nearer to hosts, and other end
    chains : the paths from a port of a host, numbered from 0, to another host: nodes
        from the one to the other
    """

    name: str
    classes: tuple[str, ...]
    ports: Mapping[str, tuple[Port, ...]]
    wires: tuple[tuple[str, str, str], ...]
    chains: Callable[[str, int, str], Sequence[Chain]]

    @property
    def description(self) -> Description:
        users = [
            User(host, "", tuple(map(self._path, range(len(ports)))))
            for host, ports in self.ports.items()
        ]
        parameters = [p for name in self.classes for p in _parameters(name)]
        return Description(
            self.name,
            tuple(parameters),
            tuple(users),
            mesh=True,
            sysctls=tuple(SYSCTLS.items()),
        )

    @property
    def host_classes(self) -> tuple[str, ...]:
        """The classes of wires that end at hosts."""
        there = {name for name, near, _ in self.wires if near in self.ports}
        return tuple(name for name in self.classes if name in there)

    def _path(self, port: int) -> Chain:
        """The classes that a path from a port can take, first that of the port.

        A host of several ports has a class for each of them.
        """
        first = self.classes[port]
        return (first, *(name for name in self.classes if name != first))

    def wiring(self) -> Wiring:
        """Hosts and their ports, and every wire as a place of its class."""
        return Wiring(
            nodes=tuple(Node(host) for host in self.ports),
            wires=(),
            links=tuple(
                LinkPlace(
                    name,
                    (SWITCHES, f"{near}-{far}-{UP}"),
                    (SWITCHES, f"{near}-{far}-{DOWN}"),
                )
                for name, near, far in self.wires
            ),
            ports=self.ports,
        )

    def table(
        self,
        shapes: Mapping[str, Shape],
        pairs: Sequence[tuple[str, str]],
        seed: int,
    ) -> Table:
        """The table of the fabric.

        shapes : by class
        pairs : (from, to) of the hosts between which traffic flows. The receiver has
            paths from each of its ports too: MPTCP lets both ends open subflows
        seed : of the order in which flows take the paths of a pair of addresses
        """
        ways: list[Way] = []
        for place in self.wiring().links:
            shape = shapes[place.link]
            up = replace(shape, down=None)
            near = self.wires[len(ways) // 2][1]
            for at, one in ((place.forward, up), (place.backward, shape.down or up)):
                own = near in self.ports and at is place.forward
                ways.append(Way(place.link, at[1], at, one, from_host=own))
        paths = dict(self._paths(pairs, seed))
        back = [(there, here) for here, there in pairs]
        for addresses, ahead in self._paths(back, seed):
            paths.setdefault(addresses, ahead)
        return Table(tuple(ways), self.ports, paths)

    def _paths(
        self, pairs: Sequence[tuple[str, str]], seed: int
    ) -> Iterator[tuple[tuple[str, str], tuple[tuple[int, ...], ...]]]:
        for here, there in dict.fromkeys(pairs):
            server = self.ports[there][0].address
            for number, port in enumerate(self.ports[here]):
                chains = list(self.chains(here, number, there))
                draw = random.Random(f"{seed}/paths/{here}/{number}/{there}")
                chains.sort(key=lambda _: draw.random())
                ahead = tuple(self._steps(chain) for chain in chains)
                back = tuple(self._steps(chain[::-1]) for chain in chains)
                yield (port.address, server), ahead
                yield (server, port.address), back

    def _steps(self, chain: Chain) -> tuple[int, ...]:
        return tuple(self._numbers[pair] for pair in pairwise(chain))

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """The hosts that share a switch with each host, switch by switch."""
        switches: dict[str, list[str]] = {}
        for _, near, far in self.wires:
            if near in self.ports:
                switches.setdefault(far, []).append(near)
        found: dict[str, tuple[str, ...]] = {}
        for host in self.ports:
            there = (hosts for hosts in switches.values() if host in hosts)
            others = (other for hosts in there for other in hosts if other != host)
            found[host] = tuple(dict.fromkeys(others))
        return found

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], int]:
        """The way from a node to the next one."""
        found: dict[tuple[str, str], int] = {}
        for number, (_, near, far) in enumerate(self.wires):
            found[near, far] = 2 * number
            found[far, near] = 2 * number + 1
        return found


def _parameters(link: str) -> Iterator[Parameter]:
    """The parameters of a class of links. The queue is a number of packets."""
    for parameter in link_parameters(
        link, capacity_mbps=CAPACITY_MBPS, delay_ms=DELAY_MS, shared=False
    ):
        _, _, quantity = parameter.name.rpartition(".")
        if quantity == "queue":
            doc = "size of the queue of each link"
            yield replace(parameter, default=QUEUE_PACKETS, replaces=None, doc=doc)
        elif quantity != "queueing_delay":
            yield parameter
