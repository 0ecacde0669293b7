"""A BCube (Guo et al. 2009): hosts with several ports, and switches between them only.

     level 1        s1.0        s1.1                 n switches of n ports at each level
                    |   \\      /   |
                    |     \\  /     |                 (drawn: n = 2, k = 1)
                    h1  h2   h3  h4
                     \\  /      \\  /
     level 0         s0.0      s0.1

`bcube-n5-k2` has 125 hosts with three ports each. The number of a host in base n gives
its switches: hosts that differ in digit i alone share a switch of level i. Hosts pass
packets on for others. In the fabric that costs a host nothing: a path is a chain of
links. Between two hosts there are k + 1 paths, one from each port, which share no link.
"""

from collections.abc import Mapping

from topologies.families.centre import Centre, Chain
from topologies.wiring import Port

SIZES: Mapping[str, int | None] = {"n": 4, "k": 1}
EXAMPLE = "bcube-n5-k2"
MOST_LEVEL = 5

Digits = tuple[int, ...]


def fault(n: int, k: int) -> str:
    """Reason why there is no such BCube; empty if there is."""
    if not 2 <= n <= 200:
        return f"n is {n}; switches with 2 to 200 ports work, such as {EXAMPLE}"
    if k > MOST_LEVEL:
        return f"k is {k}; 1 to {MOST_LEVEL} work, such as {EXAMPLE}"
    return ""


def count(n: int, k: int) -> tuple[int, int]:
    """The numbers of hosts and of links."""
    return n ** (k + 1), (k + 1) * n ** (k + 1)


def make(name: str, n: int, k: int) -> Centre:
    """The BCube. Digit 0 of a host is that of level 0."""
    numbers = range(n ** (k + 1))
    digits = {_host(number): _digits(number, n, k) for number in numbers}
    hosts = {place: host for host, place in digits.items()}

    def switch(level: int, place: Digits) -> str:
        rest = [digit for at, digit in enumerate(place) if at != level]
        return f"s{level}.{sum(digit * n**at for at, digit in enumerate(rest))}"

    def chain(start: Digits, levels: list[int], end: Digits) -> Chain:
        """Correct the digits of these levels, one after the other."""
        nodes, place = [hosts[start]], start
        for level in levels:
            if place[level] == end[level]:
                continue
            place = (*place[:level], end[level], *place[level + 1 :])
            nodes += [switch(level, place), hosts[place]]
        return tuple(nodes)

    def chains(here: str, port: int, there: str) -> list[Chain]:
        start, end = digits[here], digits[there]
        order = [(port - step) % (k + 1) for step in range(k + 1)]
        if start[port] != end[port]:
            return [chain(start, order, end)]
        # The digit is right already: go to a neighbour first, and correct it last.
        other = (start[port] + 1) % n
        aside = (*start[:port], other, *start[port + 1 :])
        rest = chain(aside, [*order[1:], port], end)
        return [(here, switch(port, start), *rest)]

    wires = tuple(
        (f"level{level}", host, switch(level, place))
        for host, place in digits.items()
        for level in range(k + 1)
    )
    ports = {
        _host(number): tuple(_port(number, level) for level in range(k + 1))
        for number in numbers
    }
    classes = tuple(f"level{level}" for level in range(k + 1))
    return Centre(name, classes, ports, wires, chains)


def _host(number: int) -> str:
    return f"h{number + 1}"


def _port(number: int, level: int) -> Port:
    address = f"10.{level}.{number // 250}.{number % 250 + 2}"
    return Port(f"{_host(number)}-eth{level}", address)


def _digits(number: int, n: int, k: int) -> Digits:
    return tuple(number // n**level % n for level in range(k + 1))
