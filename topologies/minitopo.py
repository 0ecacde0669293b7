"""`two_path` with the links of Minitopo, which uses Mininet's TCLink.

                      r1 ---------------+
                    /    path 1          \\
    client --------+                      hub -------- server
                    \\    path 2          /
                      r2 ---------------+

The thesis measured over this network. It differs from `two_path` in two ways:

- A link is a token bucket (htb) that takes its packets from a delay line (netem), and
  the limit of the delay line is the queue. So the queue holds both the packets that
  wait and those on the way, and a queue smaller than the bandwidth-delay product
  limits the rate. Random loss also happens in the delay line.
- Minitopo switches segmentation offload (TSO) off on the server and on the routers,
  but not on the client. The client sends segments of several packets, and the queue
  and the random loss treat each segment as one packet.
"""

from collections.abc import Mapping
from dataclasses import replace

from topologies import two_path
from topologies.description import Description
from topologies.shaping import Shape, link_shape
from topologies.wiring import Wiring

DESCRIPTION: Description = replace(two_path.DESCRIPTION, name="minitopo")


def resolve(parameters: Mapping[str, float | None]) -> dict[str, Shape]:
    """The shapes of both paths, as Mininet's TCLink makes them."""
    return {
        link: replace(link_shape(parameters, link), tclink=True)
        for link in DESCRIPTION.links
    }


def wire(shapes: Mapping[str, Shape]) -> Wiring:
    """The network, from the shapes of `path1` and `path2`."""
    plain = two_path.wire(shapes)
    nodes = (replace(node, offloads=node.name == "client") for node in plain.nodes)
    return replace(plain, nodes=tuple(nodes))
