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
from topologies.wiring import End, Wire, Wiring

DESCRIPTION: Description = replace(two_path.DESCRIPTION, name="minitopo")


def wire(parameters: Mapping[str, float | None]) -> Wiring:
    """The network, from canonical parameters (`path1.capacity_mbps`)."""
    plain = two_path.wire(parameters)
    return replace(
        plain,
        nodes=tuple(
            replace(node, offloads=node.name == "client") for node in plain.nodes
        ),
        wires=tuple(Wire(_tclink(each.one), _tclink(each.two)) for each in plain.wires),
    )


def _tclink(end: End) -> End:
    return replace(end, shape=end.shape and replace(end.shape, tclink=True))
