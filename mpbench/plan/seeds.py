"""Seeds of runs: one per design point and repetition, the same for all cases.

Cases of a point are compared under the same random numbers, which pairs them. Two
points have different seeds, because statistics over networks need independent noise.
"""

import hashlib
import json
from collections.abc import Mapping

BITS = 63


def run_seed(
    seed: int, repetition: int, factors: Mapping[str, float | int | str]
) -> int:
    """Seed of everything that a run draws, of 63 bits.

    seed : of the experiment
    repetition : from 0
    factors : the design point, by canonical key (`path1.capacity_mbps`) in the
        canonical unit; empty for an experiment without a design

    The values of the factors identify a point, and not its number. A point therefore
    keeps its seed, and its runs, in a design that grows, in another order of factors,
    and in another experiment that has the same point. What is not a factor does not
    enter: a configuration that changes a fixed parameter is compared under the same
    random numbers.
    """
    words = [str(seed), str(repetition)]
    if factors:
        words.append(json.dumps(dict(factors), sort_keys=True, separators=(",", ":")))
    digest = hashlib.sha256("/".join(words).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - BITS)
