"""Two disjoint paths between a client and a server (thesis Fig. 3.1).

                      r1 ---------------+
                    /    path 1          \\
    client --------+                      hub -------- server
                    \\    path 2          /
                      r2 ---------------+

The client has one interface per path, and the server has one address. Router r<i>
imposes the capacity, delay, queue, loss and jitter of path i: its interface towards
the hub shapes what the client sends, and its interface towards the client shapes
what the server sends. All other links are ideal.
"""

from collections.abc import Mapping

from topologies.description import Description, User
from topologies.parameters import link_parameters
from topologies.shaping import Shape
from topologies.wiring import End, LinkPlace, Node, Port, Wire, Wiring

PATHS = (1, 2)
SERVER_ADDRESS = "10.2.0.2"

DESCRIPTION = Description(
    name="two_path",
    parameters=link_parameters("path1", shared=False)
    + link_parameters("path2", shared=False),
    users=(User("client", "server", paths=(("path1",), ("path2",))),),
)


def wire(shapes: Mapping[str, Shape]) -> Wiring:
    """The network, from the shapes of `path1` and `path2`."""
    routes: list[str] = []
    rules: list[str] = []
    for path in PATHS:
        via = f"via 10.0.{path}.1 dev client-eth{path}"
        routes += [
            f"route add default {via} metric {path}",
            f"route add default {via} table {path}",
        ]
        rules.append(f"rule add from 10.0.{path}.2 table {path}")
    to_client = tuple(f"route add 10.0.{p}.0/24 via 10.1.{p}.1" for p in PATHS)
    routers = [
        Node(f"r{path}", True, (f"route add default via 10.1.{path}.2",))
        for path in PATHS
    ]
    nodes = (
        Node("client", configuration=(*routes, *rules)),
        Node("hub", True, to_client),
        Node("server", configuration=("route add default via 10.2.0.1",)),
        *routers,
    )
    to_server = Wire(
        End("hub", "hub-eth0", "10.2.0.1/24"),
        End("server", "server-eth1", f"{SERVER_ADDRESS}/24"),
    )
    wires = [wire for path in PATHS for wire in _path(shapes[f"path{path}"], path)]
    return Wiring(
        nodes=nodes,
        wires=(*wires, to_server),
        links=tuple(
            LinkPlace(f"path{p}", (f"r{p}", f"r{p}-hub"), (f"r{p}", f"r{p}-client"))
            for p in PATHS
        ),
        ports={
            "client": tuple(Port(f"client-eth{p}", f"10.0.{p}.2") for p in PATHS),
            "server": (Port("server-eth1", SERVER_ADDRESS),),
        },
    )


def _path(shape: Shape, path: int) -> tuple[Wire, Wire]:
    """The wires of a path: from the client to its router, and on to the hub."""
    router = f"r{path}"
    return (
        Wire(
            End("client", f"client-eth{path}", f"10.0.{path}.2/24"),
            End(router, f"{router}-client", f"10.0.{path}.1/24", shape),
        ),
        Wire(
            End(router, f"{router}-hub", f"10.1.{path}.1/24", shape),
            End("hub", f"hub-eth{path}", f"10.1.{path}.2/24"),
        ),
    )
