"""A wiring as a Mininet topology. Only this file of the package needs Mininet."""

from mininet.topo import Topo

from topologies.wiring import End, Wiring


class Network(Topo):
    """The Mininet topology of a wiring: `Network(wiring=...)`."""

    def build(self, wiring: Wiring) -> None:
        """Add the hosts and links. Mininet's constructor calls this."""
        self.wiring = wiring
        for node in wiring.nodes:
            self.addHost(
                node.name,
                router=node.router,
                configuration=list(node.configuration),
                offloads=node.offloads,
            )
        for wire in wiring.wires:
            self.addLink(
                wire.one.node,
                wire.two.node,
                intfName1=wire.one.interface,
                intfName2=wire.two.interface,
                params1=_parameters(wire.one),
                params2=_parameters(wire.two),
            )

    def address(self, host: str, path: int | None = None) -> str:
        """The address of a host, or of its interface on a path, numbered from 1."""
        return self.wiring.address(host, path)

    def entrance(self, host: str) -> str:
        """The address of a host to which traffic is sent."""
        return self.wiring.entrance(host)

    def paths(self) -> list[dict[str, object]]:
        """The node and interface that shape each link, as `outcome.json` has them.

        `forward` shapes what users send, `backward` what comes back.
        """
        return [
            {
                "link": place.link,
                "forward": _node_and_interface(place.forward),
                "backward": _node_and_interface(place.backward),
            }
            for place in self.wiring.links
        ]


def _node_and_interface(place: tuple[str, str]) -> dict[str, str]:
    node, interface = place
    return {"node": node, "interface": interface}


def _parameters(end: End) -> dict[str, object]:
    """Mininet's parameters of an interface."""
    parameters: dict[str, object] = {}
    if end.address is not None:
        parameters["ip"] = end.address
    if end.shape is not None:
        parameters["shape"] = end.shape
    return parameters
