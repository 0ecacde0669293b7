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
"""Value of `from` where all hosts of a data centre send."""
RANDOM = "random"
PERMUTATION = "permutation"
PATTERNS = (PERMUTATION, RANDOM, "neighbours", "all")
REST = "rest"
"""The senders that another entry of the same pattern does not have."""
PAPER = ("TP1", "TP2", "TP3")
REPLICAS = 12
"""Destinations of each host in TP2."""
SPARSE_SHARE = 0.3
"""The share of the hosts that send in TP3."""
NAMES = (*PATTERNS, *PAPER)
DRAWN = [PERMUTATION, RANDOM]
"""Patterns of which a part of the hosts can be the senders."""


@dataclass(frozen=True)
class Pattern:
    """Which hosts send to which: see `mpbench.plan.destinations.pairs`.

    count : of `random`: destinations of each sending host
    share : of `permutation` and `random`: the share of the hosts that send, above 0
        and up to 1
    """

    name: str
    count: int = 1
    share: float = 1.0


def pattern(name: str, topology: Description, count: int, share: float) -> Pattern:
    """The pattern of an entry.

    name : one of NAMES
    count : of `random`
    share : of `permutation` and `random`

    In TP2, hosts of a BCube send to their neighbours, and others to hosts drawn at
    random.
    """
    of_paper: Mapping[str, Pattern] = {
        "TP1": Pattern(PERMUTATION),
        "TP2": Pattern("neighbours")
        if topology.name.startswith("bcube")
        else Pattern(RANDOM, REPLICAS),
        "TP3": Pattern(RANDOM, share=SPARSE_SHARE),
    }
    if name in of_paper:
        return of_paper[name]
    if name == PERMUTATION:
        return Pattern(name, share=share)
    return Pattern(name, count, share) if name == RANDOM else Pattern(name)


def check(
    topology: Description, name: str, count: int | None, senders: float | str | None
) -> Faults:
    """Check an entry between many hosts by its keys."""
    faults = Faults()
    if not topology.mesh:
        reason = f"{topology.name} has hosts that do not reach one another; name one of"
        reason += f" {', '.join(topology.initiators[:5])}, write 'from: users, to:"
        reason += " servers' for each user's own server, or take a data centre, such"
        faults.add(("from",), f"{reason} as {families.EXAMPLES[-2]}")
        return faults
    if name not in NAMES:
        reason = "hosts send by a pattern; " + nearest(name, NAMES)
        faults.add(("to",), f"'{name}' is none: {reason}")
        return faults
    given = (("destinations", count, [RANDOM]), ("senders", senders, DRAWN))
    for key, value, patterns in given:
        if value is not None and name not in patterns:
            reason = f"without effect with '{name}', which gives it"
            works = " or ".join(f"'to: {pattern}'" for pattern in patterns)
            faults.add((key,), f"{reason}; take it away, or write {works}")
    made = pattern(name, topology, count or 1, 1.0)
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
