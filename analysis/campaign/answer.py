"""The answer to a campaign's question, case by case and metric by metric."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from analysis.campaign import comparison, listed, question, turning
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import unit_of
from analysis.campaign.comparison import Interval
from analysis.campaign.directions import LESS, Direction
from analysis.campaign.numbers import is_number
from analysis.campaign.question import Question
from analysis.campaign.sample_sizes import least_values

Outcome = Literal["better", "worse", "same", "undecided"]
BETTER: Outcome = "better"
WORSE: Outcome = "worse"
SAME: Outcome = "same"
UNDECIDED: Outcome = "undecided"

LEVEL = 0.95
"""Confidence of the intervals."""
ROUNDING = 1e-9
"""Values that are relatively closer than this are the same."""
SEED = 1
"""Of all resamples, so that the same results give the same page."""
MOST_MORE = 1000
"""The largest number of further networks that is worth naming."""


@dataclass(frozen=True)
class Contrast:
    """A case and the baseline in one metric, network by network.

    column : of the metric in the table of runs
    unit : of the gains: `%` of the baseline, or the metric's own where the baseline
        has values of 0 or below
    gains : differences, above 0 where the case is better, one per network, shape (n,)
    networks : names of these networks, the same in all contrasts of a campaign
    gain : their median with its interval
    sole : whether there is one network; then n counts its repetitions
    outcome : same if the whole interval lies within the margin; better or worse if it
        lies above or below 0; else undecided
    more : the further networks that would probably decide, if it is undecided; None if
        no reasonable number would
    turn : the factor that decides; None if none was found
    searched : whether there are networks enough to look for such a factor
    """

    metric: str
    good: Direction
    column: str
    case: str
    baseline: str
    unit: str
    gains: np.ndarray
    networks: tuple[object, ...]
    gain: Interval
    sole: bool
    outcome: Outcome
    more: int | None
    turn: turning.Split | None
    searched: bool

    @property
    def ahead(self) -> int:
        """The number of networks in which the case is better."""
        return int((self.gains > 0).sum())

    @property
    def behind(self) -> int:
        return int((self.gains < 0).sum())


@dataclass(frozen=True)
class Answer:
    """The contrasts of a campaign, metrics in the question's order.

    left_out : sentences on what cannot be compared
    averaged : listed factors over whose values the gains of a network are averaged,
        and how many values
    """

    question: Question
    contrasts: tuple[Contrast, ...]
    left_out: tuple[str, ...]
    averaged: Mapping[str, int] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have contrasts, each once."""
        return tuple(dict.fromkeys(each.column for each in self.contrasts))

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases that are compared with the baseline."""
        return tuple(dict.fromkeys(each.case for each in self.contrasts))


@dataclass(frozen=True)
class _Pair:
    """Two cases in one column, before they are judged.

    cells, sole : as `_cells` returns them
    """

    metric: str
    good: Direction
    column: str
    cases: tuple[str, str]
    cells: pd.DataFrame
    sole: bool
    unit: str


def answer(
    campaign: Campaign, asked: Question | None = None, search: bool = True
) -> Answer | None:
    """The answer to a question; None if there is none, or no run is ok.

    asked : the question; None for the campaign's, or else the usual one
    search : whether to look for factors that decide
    """
    runs = campaign.ok_runs
    asked = (
        asked
        or campaign.question
        or question.usual(
            list(map(str, campaign.runs["case"].unique())),
            campaign.metrics,
            campaign.directions,
        )
    )
    if asked is None or runs.empty:
        return None
    split = listed.crossed(
        runs,
        campaign.factors,
        listed.factors(runs, campaign.factors, campaign.listed),
    )
    pairs: list[_Pair] = []
    left_out: list[str] = []
    for made in _pairs(campaign, asked, split):
        if isinstance(made, str):
            left_out.append(made)
        else:
            pairs.append(made)
    rng = np.random.default_rng(SEED)
    spread = [name for name in campaign.factors if name not in split]
    tree = None
    if search:
        tree = turning.Search(spread, split, comparisons=max(1, len(pairs)))
    contrasts = tuple(_contrast(pair, asked, tree, rng) for pair in pairs)
    averaged = {name: int(runs[name].nunique()) for name in split}
    return Answer(asked, contrasts, tuple(dict.fromkeys(left_out)), averaged)


def _pairs(
    campaign: Campaign, asked: Question, split: Sequence[str]
) -> Iterator[_Pair | str]:
    """Every other case beside the baseline in every metric, or why it has no pair."""
    runs = campaign.ok_runs
    known_cases = list(map(str, campaign.runs["case"].unique()))
    others = [(c, base) for c in known_cases if (base := asked.baseline_of(c))]
    for wanted, good in asked.better.items():
        metric = wanted
        found = question.columns(metric, runs, campaign.entries)
        known = [name for name in found if is_number(runs, name)]
        for entry in () if known else campaign.background:
            # A call may be the only one that has delays, and stay in the background.
            own = question.columns(f"{entry}.{wanted}", runs, ())
            if not known and (known := [n for n in own if is_number(runs, n)]):
                metric = f"{entry}.{wanted}"
        words = question.metric_words(metric)
        if not known:
            yield f"{words}: no run that is ok has it"
        for column in known:
            for case, base in others:
                cases = (base, case)
                pairs = comparison.pairs(runs, runs, ["point"], {base: case}, column)
                if pairs.empty:
                    yield (
                        f"{words}: `{case}` and `{base}` have no network in"
                        " common in which both are ok and have it"
                    )
                    continue
                cells, sole, relative = _cells(
                    pairs, runs, campaign.factors, split, good
                )
                unit = "%" if relative else unit_of(column)
                yield _Pair(metric, good, column, cases, cells, sole, unit)


def _cells(
    pairs: pd.DataFrame,
    runs: pd.DataFrame,
    factors: Sequence[str],
    split: Sequence[str],
    good: Direction,
) -> tuple[pd.DataFrame, bool, bool]:
    """One row per design point: its factors, its network and the gain.

    Of a single point, one row per repetition. A network has one row per value of the
    crossed factors `split`. Returns also whether there is one network alone, and
    whether gains are in percent of the baseline.
    """
    observed = comparison.observations(pairs)
    first = observed["first"].to_numpy(float)
    second = observed["second"].to_numpy(float)
    same = np.isclose(second, first, rtol=ROUNDING, atol=0)
    relative = bool((same | (first > 0)).all() and (first >= 0).all())
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = (second / first - 1) * 100 if relative else second - first
    gains = np.where(same, 0.0, gains)
    if good == LESS:
        gains = -gains + 0.0
    points = runs.drop_duplicates("point").set_index("point")
    known = [name for name in factors if name in points.columns]
    cells = points.loc[observed["point"], known].reset_index(drop=True)
    # A network is named by its first point, so that all contrasts name it alike.
    of_network = points[[name for name in known if name not in split]].astype(str)
    places = list(zip(of_network.index, of_network.to_numpy().tolist(), strict=True))
    firsts = {tuple(place): point for point, place in reversed(places)}
    names = {point: firsts[tuple(place)] for point, place in places}
    network = observed["point"].map(names)
    sole = len(firsts) == 1
    if observed["point"].nunique() < 2:
        network = observed.get("repetition", network)
    made = cells.assign(network=network.to_numpy(), gain=gains)
    return made, sole, relative


def _contrast(
    pair: _Pair,
    asked: Question,
    tree: turning.Search | None,
    rng: np.random.Generator,
) -> Contrast:
    gains = turning.of_networks(pair.cells)
    gain = comparison.interval(gains, np.median, rng, LEVEL)
    margin = asked.equal_within_percent if pair.unit == "%" else 0.0
    outcome = judged(gain, margin)
    return Contrast(
        metric=pair.metric,
        good=pair.good,
        column=pair.column,
        case=pair.cases[1],
        baseline=pair.cases[0],
        unit=pair.unit,
        gains=gains,
        networks=tuple(dict.fromkeys(pair.cells["network"])),
        gain=gain,
        sole=pair.sole,
        outcome=outcome,
        more=further(gain, margin, len(gains)) if outcome == UNDECIDED else None,
        turn=tree.find(pair.cells, np.random.default_rng(SEED)) if tree else None,
        searched=tree is not None and tree.possible(pair.cells),
    )


def judged(gain: Interval, margin: float) -> Outcome:
    """The outcome of a median with its interval, in the unit of `margin`."""
    if gain.low is None or gain.high is None:
        return UNDECIDED
    if -margin <= gain.low and gain.high <= margin:
        return SAME
    if gain.low > 0:
        return BETTER
    return WORSE if gain.high < 0 else UNDECIDED


def further(gain: Interval, margin: float, count: int) -> int | None:
    """The further networks with which the interval would probably decide, if the
    median stays and the interval shrinks with the square root of their number.

    It decides when it leaves 0 outside, or when it lies within the margin.
    """
    if gain.low is None or gain.high is None:
        return max(1, least_values(LEVEL) - count)
    middle, down, up = (
        gain.estimate,
        gain.estimate - gain.low,
        gain.high - gain.estimate,
    )
    shrinks = []
    if middle != 0:
        shrinks.append((down if middle > 0 else up) / abs(middle))
    if abs(middle) < margin:
        shrinks.append(max(up / (margin - middle), down / (margin + middle)))
    if not shrinks:
        return None
    needed = math.ceil(count * min(shrinks) ** 2)
    return max(1, needed - count) if needed - count <= MOST_MORE else None
