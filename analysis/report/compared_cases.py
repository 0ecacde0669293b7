"""Cases of a campaign compared in the same networks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.campaign import comparison, listed, sample_sizes
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain
from analysis.campaign.comparison import Interval
from analysis.campaign.numbers import digits, is_number
from analysis.campaign.observations import networks
from analysis.campaign.path_shares import MULTIPATH_METRICS, multipath
from analysis.words import many
from jobs.protocol import ONE_PATH

MOST_CASES = 4
"""Up to this many cases, every two are compared; of more, each with the first."""
LEAST_NETWORKS = 3
ROUNDING = 1e-9
"""Values of two cases that are relatively closer than this are the same."""
SEED = 1
"""Of the bootstrap, so that the same results give the same page."""
LEVEL = 0.95
"""Confidence of the intervals."""


@dataclass(frozen=True)
class Difference:
    """A metric in two cases, network by network.

    column : of the metric in the table of runs
    place : value of each listed factor that splits the networks
    differences : second less first, one per network, shape (n,), the metric's unit
    first, second : medians of the two cases over these networks
    median : of the differences
    """

    metric: str
    column: str
    cases: tuple[str, str]
    place: tuple[str, ...]
    differences: np.ndarray
    first: float
    second: float
    median: Interval

    @property
    def above(self) -> int:
        """The number of networks in which the second case has more."""
        return int((self.differences > 0).sum())

    @property
    def below(self) -> int:
        return int((self.differences < 0).sum())

    @property
    def name(self) -> str:
        first, second = self.cases
        return f"{second} - {first}"


@dataclass(frozen=True)
class TooFew:
    """Two cases with too few networks in common.

    cases : the two, in words, with the values of listed factors
    common : number of networks in common, in words
    """

    cases: str
    metric: str
    common: str


@dataclass(frozen=True)
class Comparison:
    """The cases of a campaign, compared.

    found : the differences, in the order of the experiment's metrics
    split : listed factors that split the networks
    left_out : sentences on cases that are not compared
    """

    found: tuple[Difference, ...]
    split: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def compared(campaign: Campaign) -> Comparison:
    """The differences of each metric, metrics in the experiment's order.

    Repetitions of a network are averaged first; of a single network, the repetitions
    are compared. A network comes with every value of a listed factor, so each value is
    compared by itself. Two cases with fewer than LEAST_NETWORKS networks in common that
    are ok in both are left out.
    """
    runs, rng = campaign.ok_runs, np.random.default_rng(SEED)
    if runs.empty:
        return Comparison(())
    every = listed.factors(runs, campaign.factors, campaign.listed)
    crossed = listed.crossed(runs, campaign.factors, every)
    split = listed.splitting(runs, crossed)
    order = _in_order(campaign)
    found: list[Difference] = []
    left_out, few = list(_without_runs(campaign)), list[TooFew]()
    for metric in dict.fromkeys(campaign.metrics):
        for column in campaign.columns(metric):
            if not is_number(runs, column) or runs[column].isna().all():
                continue
            pairs, why_not = _pairs_of_cases(runs, order, metric, column)
            left_out += why_not
            for place, part in _parts(runs, split):
                for cases in pairs:
                    made = _difference(part, metric, column, cases, place, rng)
                    if isinstance(made, TooFew):
                        few.append(made)
                    else:
                        found.append(made)
    left_out += _too_few(few)
    return Comparison(tuple(found), tuple(split), tuple(dict.fromkeys(left_out)))


def _too_few(pairs: Sequence[TooFew]) -> Iterator[str]:
    """One sentence per number of networks in common, with the pairs and the metrics."""
    by_pair: dict[tuple[str, str], list[str]] = {}
    for one in pairs:
        by_pair.setdefault((one.common, one.cases), []).append(one.metric)
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (common, cases), metrics in by_pair.items():
        grouped.setdefault((common, tuple(metrics)), []).append(cases)
    for (common, told), named in grouped.items():
        yield (
            f"{', '.join(told)}: {', '.join(named)}: {common} in common;"
            f" {LEAST_NETWORKS} can be compared, and an interval needs"
            f" {sample_sizes.least_values(LEVEL)}"
        )


def _without_runs(campaign: Campaign) -> Iterator[str]:
    there = set(campaign.ok_runs["case"])
    for case in campaign.runs["case"].unique():
        if case not in there:
            yield f"`{case}`: no run is ok"


def _parts(
    runs: pd.DataFrame, split: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The runs of each value of the listed factors, with the values in words."""
    if not split:
        yield (), runs
        return
    for values, part in runs.groupby(list(split), sort=False):
        yield tuple(map(listed.value_text, values)), part


def _in_order(campaign: Campaign) -> list[str]:
    """The cases with runs that are ok; a question's baseline is the first."""
    cases = [str(case) for case in campaign.ok_runs["case"].unique()]
    asked = campaign.question
    if asked is None or asked.baseline not in cases:
        return cases
    return [asked.baseline, *(case for case in cases if case != asked.baseline)]


def _pairs_of_cases(
    runs: pd.DataFrame, order: Sequence[str], metric: str, column: str
) -> tuple[list[tuple[str, str]], list[str]]:
    """The cases to compare, and why others are not.

    order : all cases, of which the first one is the reference
    """
    what = plain(column)
    known = runs[runs[column].notna()]
    why_not = []
    every = list(order)
    if metric in MULTIPATH_METRICS:
        known = multipath(known)
        for protocol in ONE_PATH:
            of_it = set(runs[runs["protocol"] == protocol]["case"].map(str))
            if single := [case for case in every if case in of_it]:
                why_not.append(
                    f"{what}: {_named(single)}: {protocol.upper()} has one path"
                )
                every = [case for case in every if case not in of_it]
    with_metric = set(known["case"])
    if absent := [case for case in every if case not in with_metric]:
        why_not.append(f"{what}: {_named(absent)}: no run that is ok has it")
    cases = [case for case in every if case in with_metric]
    if len(cases) <= MOST_CASES:
        return list(combinations(cases, 2)), why_not
    why_not.append(
        f"{what}: of more than {MOST_CASES} cases, each is compared with `{cases[0]}`"
        " alone"
    )
    return [(cases[0], other) for other in cases[1:]], why_not


def _named(cases: Sequence[str]) -> str:
    return ", ".join(f"`{case}`" for case in cases)


def _difference(
    runs: pd.DataFrame,
    metric: str,
    column: str,
    cases: tuple[str, str],
    place: tuple[str, ...],
    rng: np.random.Generator,
) -> "Difference | TooFew":
    """The difference of two cases, or why they are not compared."""
    first, second = cases
    pairs = comparison.pairs(runs, runs, ["point"], {first: second}, column)
    if len(pairs) < LEAST_NETWORKS:
        alone = runs["point"].nunique() == 1
        what = many(len(pairs), "repetition" if alone else "network")
        where = f", {', '.join(place)}" if place else ""
        return TooFew(f"`{second}` - `{first}`{where}", plain(column), what)
    by_network = networks(pairs, ["case"])
    differences = by_network["difference"].to_numpy(float)
    # A mean over repetitions may differ in its last digit where nothing differs.
    same = np.isclose(by_network["second"], by_network["first"], rtol=ROUNDING, atol=0)
    differences = np.where(same, 0.0, differences)
    return Difference(
        metric=metric,
        column=column,
        cases=cases,
        place=place,
        differences=differences,
        first=float(by_network["first"].median()),
        second=float(by_network["second"].median()),
        median=comparison.interval(differences, np.median, rng, LEVEL),
    )


def signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{digits(value)}"


def interval_text(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return f"needs {sample_sizes.least_values(LEVEL)}"
    return f"{signed(interval.low)} to {signed(interval.high)}"
