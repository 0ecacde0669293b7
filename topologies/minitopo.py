"""`two_path` with the links that Minitopo has from Mininet's TCLink.

                      r1 ---------------+
                    /    path 1          \\
    client --------+                      hub -------- server
                    \\    path 2          /
                      r2 ---------------+

What the thesis measured over. A link is a bucket (htb) in front of a delay line
(netem), and the queue is the delay line's limit: it holds the packets that are
under way as well as those that wait, so that a queue of fewer packets than the
path holds bounds the rate. Loss is drawn in there too. Minitopo switches the
segmentation offload (tso) off on the server and along the paths and forgets the
client: what the client sends comes in segments of several packets, each of which
is one packet to the queue and to the loss.
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
