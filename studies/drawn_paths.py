"""Fair shares of single paths that are drawn in a data centre, by arithmetic.

The table has the mean rate of a sending host, Mbit/s, if links of 100 Mbit/s are shared
max-min fairly, without a transport protocol: what the draws alone decide.
studies/notes/fabric.md compares it with the published values. To repeat it:

    python -m studies.drawn_paths [--draws 60]

Networks are those of Wischik et al. (NSDI 2011), sec. 4: a FatTree of 128 hosts, and a
BCube of 125 hosts with three ports.
"""

import argparse
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

LINK_MBPS = 100.0
POD, EDGE, HALF = 16, 4, 4
"""Hosts of a pod and of an edge switch, and ways up from each switch, for k = 8."""
TREE_HOSTS = 128
PORTS, LEVELS = 5, 3
CUBE_HOSTS = PORTS**LEVELS
SENDERS = 38
"""Hosts of the FatTree that send in TP3: 30 %."""
MANY = 12
"""Connections of a host in TP2."""

Path = tuple[Hashable, ...]
"""The links of a flow: anything that names them."""
Pairs = list[tuple[int, int]]


def max_min(flows: Sequence[Path], capacity: float = LINK_MBPS) -> list[float]:
    """The max-min fair rate of each flow.

    capacity : of each link, above 0; rates have its unit

    Flows rise together; those over the link that is full first keep their rate. For
    users with several paths `analysis.models.max_min` solves linear programs, which
    take too long for hundreds of flows. Raises ValueError if a flow crosses no link.
    """
    if not all(flows):
        raise ValueError("a flow crosses no link: nothing bounds its rate")
    users: dict[Hashable, list[int]] = defaultdict(list)
    for number, flow in enumerate(flows):
        for link in flow:
            users[link].append(number)
    left = dict.fromkeys(users, capacity)
    rising = {link: len(numbers) for link, numbers in users.items()}
    rates: dict[int, float] = {}
    while len(rates) < len(flows):
        link = min(
            (link for link, count in rising.items() if count),
            key=lambda link: left[link] / rising[link],
        )
        rate = left[link] / rising[link]
        for number in users[link]:
            if number not in rates:
                rates[number] = rate
                for other in flows[number]:
                    left[other] -= rate
                    rising[other] -= 1
    return [rates[number] for number in range(len(flows))]


def tree_path(source: int, target: int, draw: random.Random) -> Path:
    """A shortest path of the FatTree, drawn."""
    ends = (("host", source, "up"), ("host", target, "down"))
    if source // EDGE == target // EDGE:
        return ends
    aggregation = draw.randrange(HALF)
    edges = (
        ("edge", source // EDGE, aggregation, "up"),
        ("edge", target // EDGE, aggregation, "down"),
    )
    if source // POD == target // POD:
        return (*ends, *edges)
    core = (aggregation, draw.randrange(HALF))
    return (
        *ends,
        *edges,
        ("core", source // POD, core, "up"),
        ("core", target // POD, core, "down"),
    )


def host_links(source: int, target: int, draw: random.Random) -> Path:
    """Only the links of the hosts, as if the network between them had no limit."""
    return (source, "up"), (target, "down")


def cube_path(source: int, target: int, levels: Sequence[int]) -> Path:
    """The path of the BCube that corrects digits in the order of `levels`."""
    links: list[Hashable] = []
    here = source
    for level in levels:
        unit = PORTS**level
        digit, wanted = here // unit % PORTS, target // unit % PORTS
        if digit != wanted:
            links.append((here, level, "up"))
            here += (wanted - digit) * unit
            links.append((here, level, "down"))
    return tuple(links)


def cube_drawn(source: int, target: int, draw: random.Random) -> Path:
    return cube_path(source, target, draw.sample(range(LEVELS), LEVELS))


def cube_highest(source: int, target: int, draw: random.Random) -> Path:
    return cube_path(source, target, range(LEVELS - 1, -1, -1))


def permutation(hosts: int, draw: random.Random) -> Pairs:
    """Each host sends to one other, and each receives from one."""
    while True:
        targets = draw.sample(range(hosts), hosts)
        if all(source != target for source, target in enumerate(targets)):
            return list(enumerate(targets))


def several(hosts: int, draw: random.Random) -> Pairs:
    """Each host sends to twelve others."""
    return [
        (source, target)
        for source in range(hosts)
        for target in draw.sample(
            [each for each in range(hosts) if each != source], MANY
        )
    ]


def some(hosts: int, draw: random.Random) -> Pairs:
    """Hosts that are drawn send, each to another host."""
    return sorted(draw.sample(permutation(hosts, draw), SENDERS))


def side_by_side(hosts: int, draw: random.Random) -> Pairs:
    """The first hosts send, each to another host."""
    return permutation(hosts, draw)[:SENDERS]


PATTERNS: tuple[
    tuple[str, int, Callable[..., Pairs], Callable[..., Path]],
    ...,
] = (
    ("FatTree, TP1", TREE_HOSTS, permutation, tree_path),
    ("FatTree, TP2", TREE_HOSTS, several, tree_path),
    ("FatTree, TP2, links of hosts alone", TREE_HOSTS, several, host_links),
    ("FatTree, TP3, senders drawn", TREE_HOSTS, some, tree_path),
    ("FatTree, TP3, senders side by side", TREE_HOSTS, side_by_side, tree_path),
    ("BCube, TP1, order of digits drawn", CUBE_HOSTS, permutation, cube_drawn),
    ("BCube, TP1, from the highest level", CUBE_HOSTS, permutation, cube_highest),
)


def mean_mbps(
    hosts: int,
    pattern: Callable[..., Pairs],
    path: Callable[..., Path],
    draw: random.Random,
) -> float:
    """The mean rate of a sending host in one draw."""
    pairs = pattern(hosts, draw)
    rates = max_min([path(source, target, draw) for source, target in pairs])
    return sum(rates) / len({source for source, _ in pairs})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=60)
    draws = parser.parse_args().draws
    for name, hosts, pattern, path in PATTERNS:
        found = [
            mean_mbps(hosts, pattern, path, random.Random(seed))
            for seed in range(draws)
        ]
        print(
            f"{name:<36} {statistics.mean(found):5.1f} Mbit/s, "
            f"{min(found):.1f} to {max(found):.1f}, "
            f"standard deviation {statistics.pstdev(found):.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
