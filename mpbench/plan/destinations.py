"""Traffic patterns: which host opens connections to which, by hosts, pattern and seed.

The patterns are those of Wischik et al. 2011 (NSDI, sec. 4), among hosts that all
reach one another:

permutation
    each host sends to one host, and each receives from one (TP1)
random
    each host sends to `count` other hosts, drawn for each host, never twice
    (TP2 in a FatTree, count 12)
neighbours
    each host sends to every host that shares a switch with it (TP2 in a BCube)
all
    each host sends to every other host

With a `share` below 1, only that share of the hosts sends, itself drawn (TP3: random,
share 0.3), or only the rest of the hosts.

Nothing here depends on a topology, on addresses or on the order in which Python
keeps sets.
"""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

PATTERNS = ("permutation", "random", "neighbours", "all")
LEAST_HOSTS = 2

T = TypeVar("T")


def pairs(
    hosts: Sequence[str],
    pattern: str,
    seed: int | str,
    *,
    count: int = 1,
    share: float = 1.0,
    rest: bool = False,
    neighbours: Mapping[str, Sequence[str]] | None = None,
) -> list[tuple[str, str]]:
    """The pairs (from, to) of a pattern, in the order of `hosts`.

    hosts : names, each once; at least 2
    pattern : a name of PATTERNS
    seed : of what is drawn; the same seed gives the same pairs
    count : of `random`: destinations per sending host, 1 to one less than the hosts
    share : of `permutation` and `random`: the share of the hosts that send, above 0
        and up to 1, rounded to a whole number of hosts, at least 1
    rest : whether those hosts send which do not with the same seed and share
    neighbours : of `neighbours`: the hosts that each host sends to

    No host sends to itself. Raises ValueError, in one line, for what cannot be.
    """
    if len(hosts) < LEAST_HOSTS or len(set(hosts)) != len(hosts):
        raise ValueError(f"{len(hosts)} hosts; a pattern needs 2 or more, each once")
    draw = random.Random(f"{seed}/{pattern}")
    if not 0 < share <= 1:
        raise ValueError(f"share {share:g} is not above 0 and up to 1")
    if pattern == "permutation":
        made = _permutation(hosts, draw)
        return [made[number] for number in _senders(len(hosts), draw, share, rest)]
    if pattern == "all":
        return [(one, two) for one in hosts for two in hosts if one != two]
    if pattern == "neighbours":
        near = neighbours or {}
        return [(one, two) for one in hosts for two in near.get(one, ())]
    if pattern != "random":
        raise ValueError(f"no pattern '{pattern}'; known: {', '.join(PATTERNS)}")
    if not 1 <= count < len(hosts):
        raise ValueError(
            f"{count} destinations; {len(hosts)} hosts have 1 to {len(hosts) - 1} each"
        )
    return _random(hosts, draw, count, _senders(len(hosts), draw, share, rest))


def _senders(hosts: int, draw: random.Random, share: float, rest: bool) -> list[int]:
    """The positions of the hosts that send, in order."""
    dealt = list(range(hosts))
    _shuffle(dealt, draw)
    sending = max(1, round(share * hosts))
    return sorted(dealt[sending:] if rest else dealt[:sending])


def _permutation(hosts: Sequence[str], draw: random.Random) -> list[tuple[str, str]]:
    """A uniform permutation without fixed points, by rejection: about e attempts."""
    while True:
        targets = list(hosts)
        _shuffle(targets, draw)
        if all(one != two for one, two in zip(hosts, targets, strict=True)):
            return list(zip(hosts, targets, strict=True))


def _random(
    hosts: Sequence[str], draw: random.Random, count: int, sending: Sequence[int]
) -> list[tuple[str, str]]:
    found = []
    for number in sending:
        others = [host for place, host in enumerate(hosts) if place != number]
        _shuffle(others, draw)
        found += [(hosts[number], other) for other in others[:count]]
    return found


def _shuffle(items: list[T], draw: random.Random) -> None:
    """Fisher and Yates's shuffle on `random()` alone, whose sequence Python keeps from
    version to version."""
    for last in range(len(items) - 1, 0, -1):
        other = int(draw.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
