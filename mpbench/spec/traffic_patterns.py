"""Traffic between many hosts: `from: hosts`, and a pattern in place of `to`.

The patterns TP1, TP2 and TP3 are those of Wischik et al. 2011 (NSDI, sec. 4).
`mpbench.plan.destinations` draws the pairs of hosts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults
from topologies import Description, families

HOSTS = "hosts"
"""What stands under `from` where all hosts of a data centre send."""
RANDOM = "random"
PATTERNS = ("permutation", RANDOM, "neighbours", "all")
PAPER = ("TP1", "TP2", "TP3")
REPLICAS = 12
"""Destinations of each host in TP2."""
SPARSE_SHARE = 0.3
"""The share of the hosts that send in TP3."""
NAMES = (*PATTERNS, *PAPER)


@dataclass(frozen=True)
class Pattern:
    """Which hosts send to which: see `mpbench.plan.destinations.pairs`.

    count : of `random`: destinations of each sending host
    share : of `random`: the share of the hosts that send, above 0 and up to 1
    """

    name: str
    count: int = 1
    share: float = 1.0


def pattern(name: str, topology: Description, count: int, share: float) -> Pattern:
    """The pattern of an entry.

    name : one of NAMES
    count, share : of `random`

    In TP2, hosts of a BCube send to their neighbours, and others to hosts drawn at
    random.
    """
    of_paper: Mapping[str, Pattern] = {
        "TP1": Pattern("permutation"),
        "TP2": Pattern("neighbours")
        if topology.name.startswith("bcube")
        else Pattern(RANDOM, REPLICAS),
        "TP3": Pattern(RANDOM, share=SPARSE_SHARE),
    }
    if name in of_paper:
        return of_paper[name]
    return Pattern(name, count, share) if name == RANDOM else Pattern(name)


def check(
    topology: Description, name: str, count: int | None, share: float | None
) -> Faults:
    """What is wrong with an entry between many hosts, by its keys."""
    faults = Faults()
    if not topology.mesh:
        reason = f"{topology.name} has hosts that do not reach one another; name one of"
        reason += f" {', '.join(topology.initiators[:5])}, or take a data centre, such"
        faults.add(("from",), f"{reason} as {families.EXAMPLES[-2]}")
    if name not in NAMES:
        reason = "hosts send by a pattern; " + nearest(name, NAMES)
        faults.add(("to",), f"'{name}' is none: {reason}")
        return faults
    for key, value in (("destinations", count), ("senders", share)):
        if value is not None and name != RANDOM:
            reason = f"without effect with '{name}', which gives it"
            faults.add((key,), f"{reason}; take it away, or write 'to: {RANDOM}'")
    if not topology.mesh:
        return faults
    made = pattern(name, topology, count or 1, share or 1.0)
    others = len(topology.hosts) - 1
    if made.count > others:
        at = ("destinations",) if count is not None else ("to",)
        reason = f"{made.count} destinations; {topology.name} has {others + 1} hosts"
        faults.add(at, f"{reason}, so 1 to {others} work")
    if made.name == "neighbours" and not any(neighbours(topology).values()):
        reason = f"no two hosts of {topology.name} share a switch"
        faults.add(("to",), f"{reason}; write 'to: {RANDOM}'")
    return faults


def neighbours(topology: Description) -> Mapping[str, tuple[str, ...]]:
    """The hosts of a data centre that share a switch with each host."""
    return families.centre(topology.name).neighbours
