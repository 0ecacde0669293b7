"""A Clos network of two stages: leaves with hosts, and spines (MPCC, sec. 7).

     spines          s1       s2
                     | \\    / |
                     |  core  |                every leaf is wired to every spine
     leaves          l1  l2  l3  l4
                     |   |   |   |  host
     hosts           h1  h2  h3  h4

`clos-l4-s2-h1` has four leaves with one host each, and two spines. Two hosts of
different leaves have a path over each spine.
"""

from collections.abc import Mapping

from topologies.families.centre import Centre, Chain
from topologies.wiring import Port

SIZES: Mapping[str, int | None] = {"l": 4, "s": 2, "h": 1}
EXAMPLE = "clos-l4-s2-h1"


def fault(l: int, s: int, h: int) -> str:  # noqa: E741
    """Reason why there is no such network; empty if there is."""
    if not 2 <= l <= 200 or s > 200 or h > 200:
        reason = "2 to 200 leaves, 1 to 200 spines and 1 to 200 hosts at each leaf work"
        return f"{reason}, such as {EXAMPLE}"
    return ""


def count(l: int, s: int, h: int) -> tuple[int, int]:  # noqa: E741
    """The numbers of hosts and of links."""
    return l * h, l * h + l * s


def make(name: str, l: int, s: int, h: int) -> Centre:  # noqa: E741
    """The network. Hosts are numbered from 1 over all leaves."""
    leaves = {f"h{number + 1}": f"l{number // h + 1}" for number in range(l * h)}
    spines = [f"s{number + 1}" for number in range(s)]
    wires = [("host", host, leaf) for host, leaf in leaves.items()]
    wires += [("core", f"l{n + 1}", spine) for n in range(l) for spine in spines]

    def chains(here: str, _port: int, there: str) -> list[Chain]:
        one, two = leaves[here], leaves[there]
        if one == two:
            return [(here, one, there)]
        return [(here, one, spine, two, there) for spine in spines]

    ports = {
        host: (Port(f"{host}-eth0", f"10.{number // h}.0.{number % h + 2}"),)
        for number, host in enumerate(leaves)
    }
    return Centre(name, ("host", "core"), ports, tuple(wires), chains)
