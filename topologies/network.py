"""A wiring as a Mininet topology; the one file here that needs Mininet."""

from mininet.topo import Topo

from topologies.wiring import End, Wiring


class Network(Topo):
    """wiring : what to build, `Network(wiring=...)`."""

    def build(self, wiring: Wiring) -> None:
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
        """The address of a host; of its interface on a path, if one is named."""
        return self.wiring.address(host, path)

    def paths(self) -> list[dict[str, object]]:
        """Where each link is shaped, in the direction of what users send
        (`forward`) and in the other (`backward`)."""
        return [
            {
                "link": each.link,
                "forward": dict(zip(("node", "interface"), each.forward, strict=True)),
                "backward": dict(
                    zip(("node", "interface"), each.backward, strict=True)
                ),
            }
            for each in self.wiring.links
        ]


def _parameters(end: End) -> dict[str, object]:
    found: dict[str, object] = {}
    if end.address is not None:
        found["ip"] = end.address
    if end.shape is not None:
        found["shape"] = end.shape
    return found
