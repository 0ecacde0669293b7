"""Two disjoint paths between a client and a server (thesis Fig. 3.1).

                      r1 ---------------+
                    /    path 1          \\
    client --------+                      hub -------- server
                    \\    path 2          /
                      r2 ---------------+

The client has one interface a path, the server one address. Capacity, delay,
queue, loss and jitter of path i are those of router r<i>: its interface
towards the hub shapes what the client sends, its interface towards the client
what the server sends. All other links are ideal.
"""

from mininet.topo import Topo

from topologies.shaping import Shape, path_shape

PATHS = 2
SERVER_ADDRESS = "10.2.0.2"


class TwoPath(Topo):
    """The Mininet topology, from canonical parameters (`path1.capacity_mbps`)."""

    def build(self, **parameters: float | None) -> None:
        client_rules: list[str] = []
        client_routes: list[str] = []
        hub_routes: list[str] = []
        for path in range(1, PATHS + 1):
            via = f"via 10.0.{path}.1 dev client-eth{path}"
            metric = f"metric {path}"
            client_routes += [
                f"route add default {via} {metric}",
                f"route add default {via} table {path}",
            ]
            client_rules.append(f"rule add from 10.0.{path}.2 table {path}")
            hub_routes.append(f"route add 10.0.{path}.0/24 via 10.1.{path}.1")
        self.addHost("client", configuration=client_routes + client_rules)
        self.addHost("hub", router=True, configuration=hub_routes)
        self.addHost("server", configuration=["route add default via 10.2.0.1"])
        for path in range(1, PATHS + 1):
            self._add_path(path, path_shape(parameters, path))
        self.addLink(
            "hub",
            "server",
            intfName1="hub-eth0",
            intfName2="server-eth1",
            params1={"ip": "10.2.0.1/24"},
            params2={"ip": f"{SERVER_ADDRESS}/24"},
        )

    def _add_path(self, path: int, shape: Shape) -> None:
        router = f"r{path}"
        default = f"route add default via 10.1.{path}.2"
        self.addHost(router, router=True, configuration=[default])
        self.addLink(
            "client",
            router,
            intfName1=f"client-eth{path}",
            intfName2=f"{router}-client",
            params1={"ip": f"10.0.{path}.2/24"},
            params2={"ip": f"10.0.{path}.1/24", "shape": shape},
        )
        self.addLink(
            router,
            "hub",
            intfName1=f"{router}-hub",
            intfName2=f"hub-eth{path}",
            params1={"ip": f"10.1.{path}.1/24", "shape": shape},
            params2={"ip": f"10.1.{path}.2/24"},
        )

    def address(self, host: str, path: int | None = None) -> str:
        """The address of a host; of its interface on a path, if one is named."""
        if host == "server":
            return SERVER_ADDRESS
        return f"10.0.{path or 1}.2"

    def paths(self) -> list[dict[str, object]]:
        """Where each path is shaped, in the direction of the client's data
        (`forward`) and in the other (`backward`)."""
        return [
            {
                "path": path,
                "forward": {"node": f"r{path}", "interface": f"r{path}-hub"},
                "backward": {"node": f"r{path}", "interface": f"r{path}-client"},
            }
            for path in range(1, PATHS + 1)
        ]


TOPOLOGY = TwoPath
