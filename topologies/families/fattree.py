"""A FatTree of switches with k ports (Al-Fares et al. 2008; Wischik et al. 2011).

     core switches     c1  c2      c3  c4           (k/2)^2
                        |   core links |
     aggregation     a1   a2   ...   a7   a8        k/2 in each of k pods
                      |  x  edge links | x |
     edge switches   e1   e2   ...   e7   e8        k/2 in each pod
                     /\\   /\\ host links /\\   /\\
     hosts         h1 h2 h3 h4  ...            h16    k/2 at each edge switch, or H

`fattree-k4` has 16 hosts, `fattree-k8` has 128. `fattree-k4-h8` has eight hosts at each
edge switch, so that its edge is oversubscribed 4:1. Two hosts of different pods have
(k/2)^2 paths, over one core switch each.
"""

from collections.abc import Mapping

from topologies.families.centre import Centre, Chain
from topologies.wiring import Port

SIZES: Mapping[str, int | None] = {"k": 4, "h": None}
EXAMPLE = "fattree-k8"
MOST_K = 16


def fault(k: int, h: int | None) -> str:
    """Reason why there is no such FatTree; empty if there is."""
    if k % 2:
        near = f"k{max(k - 1, 2)} or k{k + 1}"
        return f"a FatTree needs switches with an even number of ports; write {near}"
    if not 2 <= k <= MOST_K:
        return f"k is {k}; 2 to {MOST_K} work, such as {EXAMPLE}"
    if (h or 0) > 200:
        return f"{h} hosts at each edge switch; 1 to 200 work, such as fattree-k4-h8"
    return ""


def count(k: int, h: int | None) -> tuple[int, int]:
    """The numbers of hosts and of links."""
    hosts = k * (k // 2) * (h or k // 2)
    return hosts, hosts + 2 * k * (k // 2) ** 2


def make(name: str, k: int, h: int | None) -> Centre:
    """The FatTree. Pods, switches and hosts are numbered from 1 in the whole tree."""
    half, hosts_at = k // 2, h or k // 2
    edges = [(pod, edge) for pod in range(k) for edge in range(half)]
    hosts = [(pod, edge, at) for pod, edge in edges for at in range(hosts_at)]
    places = {f"h{number}": place for number, place in enumerate(hosts, start=1)}

    def edge(pod: int, number: int) -> str:
        return f"e{pod * half + number + 1}"

    def aggregation(pod: int, number: int) -> str:
        return f"a{pod * half + number + 1}"

    def core(group: int, number: int) -> str:
        return f"c{group * half + number + 1}"

    wires = [("host", host, edge(p, e)) for host, (p, e, _) in places.items()]
    wires += [
        ("edge", edge(p, e), aggregation(p, a)) for p, e in edges for a in range(half)
    ]
    wires += [
        ("core", aggregation(p, a), core(a, c)) for p, a in edges for c in range(half)
    ]

    def chains(here: str, _port: int, there: str) -> list[Chain]:
        (pod, one, _), (other, two, _) = places[here], places[there]
        first, last = edge(pod, one), edge(other, two)
        if first == last:
            return [(here, first, there)]
        if pod == other:
            ups = [aggregation(pod, a) for a in range(half)]
            return [(here, first, up, last, there) for up in ups]
        return [
            (
                here,
                first,
                aggregation(pod, a),
                core(a, c),
                aggregation(other, a),
                last,
                there,
            )
            for a in range(half)
            for c in range(half)
        ]

    ports = {
        host: (Port(f"{host}-eth0", f"10.{p}.{e}.{at + 2}"),)
        for host, (p, e, at) in places.items()
    }
    return Centre(name, ("host", "edge", "core"), ports, tuple(wires), chains)
