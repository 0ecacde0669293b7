"""The case that leads all others in a metric, and those as good as it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.campaign import comparison
from analysis.campaign.answer import BETTER, LEVEL, SEED, Answer, Contrast, judged
from analysis.campaign.comparison import Interval

PER_COLUMN = ("unit", "baseline")
"""The parts of contrasts that a leader needs to be the same in all of them."""


@dataclass(frozen=True)
class Leader:
    """The case with the best median difference from the baseline.

    column : of the metric in the table of runs
    ahead : the lead over each other case, in percent of the baseline or the metric's
        unit; above 0 is better
    behind : the cases that it is better than, by the whole interval
    networks : the number of networks in which all cases have the metric
    """

    column: str
    case: str
    ahead: Mapping[str, Interval]
    behind: tuple[str, ...]
    networks: int

    @property
    def level(self) -> tuple[str, ...]:
        """The cases that cannot be told apart from it."""
        return tuple(case for case in self.ahead if case not in self.behind)


def leaders(answer: Answer) -> dict[str, Leader]:
    """The leader of each column that has contrasts of several cases.

    Only networks in which all cases have the metric count.
    """
    found = {}
    for column in answer.columns:
        contrasts = [each for each in answer.contrasts if each.column == column]
        if len(contrasts) > 1 and (one := _leader(contrasts)):
            found[column] = one
    return found


def best_in_all(found: Mapping[str, Leader]) -> tuple[str, ...] | None:
    """The cases that lead in every column, or cannot be told apart from who does.

    None where that says little: for one column, or where in one of them most cases
    cannot be told apart from the best.
    """
    if len(found) < 2 or any(
        not leader.behind or len(leader.level) > len(leader.behind)
        for leader in found.values()
    ):
        return None
    first = [(leader.case, *leader.level) for leader in found.values()]
    return tuple(case for case in first[0] if all(case in each for each in first))


def _leader(contrasts: Sequence[Contrast]) -> Leader | None:
    common = set.intersection(*(set(each.networks) for each in contrasts))
    several = any(len({getattr(c, n) for c in contrasts}) > 1 for n in PER_COLUMN)
    if not common or several:
        return None
    gains = {each.case: _of(each, common) for each in contrasts}
    gains[contrasts[0].baseline] = np.zeros(len(common))
    best = max(gains, key=lambda case: float(np.median(gains[case])))
    rng = np.random.default_rng(SEED)
    ahead = {
        case: comparison.interval(gains[best] - values, np.median, rng, LEVEL)
        for case, values in gains.items()
        if case != best
    }
    behind = tuple(c for c, lead in ahead.items() if judged(lead, 0.0) == BETTER)
    return Leader(contrasts[0].column, best, ahead, behind, len(common))


def _of(contrast: Contrast, common: set[object]) -> np.ndarray:
    """The gains in these networks, in one order."""
    by_network = dict(zip(contrast.networks, contrast.gains, strict=True))
    return np.array([by_network[name] for name in sorted(common, key=str)])
