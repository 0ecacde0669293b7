"""Which path each connection of an entry takes where its case has `path: shortest`.

A path's length is its number of links. Where several ports of a host begin a shortest
path, one is drawn, as Wischik et al. 2011 (NSDI, sec. 4) say of single-path TCPs. With
`path: highest` it is the one from the last port, of the highest level in a BCube, as in
the public simulator of the authors, and in the routing of Guo et al. 2009 (BCube).
"""

import random

from jobs.entries import DrawnFlows
from topologies import families


def drawn(topology: str, entry: DrawnFlows, seed: int) -> tuple[int, ...]:
    """The path of each user of a traffic entry, from 1.

    topology : name of a data centre
    entry : between many hosts each pair is a user
    seed : of the run, from which the choice among paths of the same length follows
    """
    found = []
    for number, (here, there) in enumerate(_between(entry)):
        draw = random.Random(f"{seed}/shortest/{entry.stream}/{number}")
        shortest = numbers(topology, here, there)
        found.append(shortest[int(draw.random() * len(shortest))])
    return tuple(found)


def highest(topology: str, entry: DrawnFlows) -> tuple[int, ...]:
    """The same, where each user takes the last of its shortest paths."""
    ports = (numbers(topology, here, there) for here, there in _between(entry))
    return tuple(map(max, ports))


def _between(entry: DrawnFlows) -> list[tuple[str, str]]:
    """The two hosts of each user of an entry."""
    between = list(entry.between)
    return between * entry.users if len(between) == 1 else between


def numbers(topology: str, here: str, there: str) -> list[int]:
    """The paths between two hosts that no other path is shorter than, from 1."""
    centre = families.centre(topology)
    lengths = {
        port: min(map(len, centre.chains(here, port - 1, there)))
        for port in range(1, len(centre.ports[here]) + 1)
    }
    least = min(lengths.values())
    return [port for port, length in lengths.items() if length == least]
