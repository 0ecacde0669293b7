"""A campaign's metrics in the phases of its runs, case by case, over networks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.campaign import answer as answers
from analysis.campaign import comparison, listed
from analysis.campaign.answer import LEVEL, SEED, Answer, Contrast
from analysis.campaign.campaign import Campaign
from analysis.campaign.comparison import Interval
from analysis.campaign.directions import LESS, MORE, Direction
from analysis.campaign.numbers import is_number

INTERRUPTION = "interruption_s"
GOODPUT = "goodput_mbps"


@dataclass(frozen=True)
class PhaseValues:
    """A metric in all phases.

    column : of the whole run
    good : the direction that is good
    asked : whether the experiment asks for it; otherwise it is the goodput or the
        interruption
    medians : by phase and case, over networks, with intervals
    parts : by phase and case: the median over networks of the value over that in the
        first phase, with its interval; only where the first phase has values above 0
    contrasts : by phase, each other case beside the baseline
    whole : by case, over networks, in whole runs; empty if runs do not have it
    """

    column: str
    good: Direction
    asked: bool
    medians: Mapping[str, Mapping[str, Interval]]
    parts: Mapping[str, Mapping[str, Interval]]
    contrasts: Mapping[str, tuple[Contrast, ...]]
    whole: Mapping[str, Interval]


def phase_values(campaign: Campaign, answer: Answer) -> tuple[PhaseValues, ...]:
    """The columns of the question that phases have, goodput, and the interruption.

    Empty for a campaign whose links do not change.
    """
    runs = campaign.ok_runs
    known = [
        phase
        for phase in campaign.phases
        if any(str(name).startswith(f"{phase}.") for name in runs.columns)
    ]
    if len(known) < 2:
        return ()
    asked = {c.column: c.good for c in answer.contrasts}
    found = []
    wanted = {**asked, **({} if GOODPUT in asked else {GOODPUT: MORE})}
    for column, good in {**wanted, INTERRUPTION: LESS}.items():
        present = [p for p in known if _has(runs, f"{p}.{column}")]
        if len(present) < 2:
            continue
        if column not in asked and not any(
            runs[f"{phase}.{column}"].max() > 0 for phase in present
        ):
            continue
        found.append(_values(campaign, answer, column, good, present, column in asked))
    return tuple(found)


def _values(
    campaign: Campaign,
    answer: Answer,
    column: str,
    good: Direction,
    phases: list[str],
    asked: bool,
) -> PhaseValues:
    rng = np.random.default_rng(SEED)
    first = phases[0]
    by_phase = {phase: _by_case(campaign, f"{phase}.{column}") for phase in phases}
    medians = {phase: _medians(cases, rng) for phase, cases in by_phase.items()}
    parts: dict[str, dict[str, Interval]] = {}
    for phase in phases[1:]:
        for case, values in by_phase[phase].items():
            before = by_phase[first].get(case, {})
            if not before or min(before.values()) <= 0:
                break
            ratios = [v / before[n] for n, v in values.items() if n in before]
            if ratios:
                interval = comparison.interval(np.array(ratios), np.median, rng, LEVEL)
                parts.setdefault(phase, {})[case] = interval
    contrasts = {}
    for phase in phases:
        better = {f"{phase}.{column}": good}
        beside = answers.answer(
            campaign, replace(answer.question, better=better), search=False
        )
        contrasts[phase] = beside.contrasts if beside else ()
    whole = _by_case(campaign, column) if is_number(campaign.ok_runs, column) else {}
    return PhaseValues(
        column, good, asked, medians, parts, contrasts, _medians(whole, rng)
    )


def _has(runs: pd.DataFrame, column: str) -> bool:
    """Whether a run has a number in a column. Traffic that is over early has none in a
    later phase."""
    return is_number(runs, column) and bool(runs[column].notna().any())


def _medians(
    cases: Mapping[str, Mapping[object, float]], rng: np.random.Generator
) -> dict[str, Interval]:
    """The median over networks of each case."""
    return {
        case: comparison.interval(np.array([*values.values()]), np.median, rng, LEVEL)
        for case, values in cases.items()
    }


def _by_case(campaign: Campaign, column: str) -> dict[str, dict[object, float]]:
    """The value of each network by case, repetitions and crossed factors averaged.

    Of a single network, the value of each repetition.
    """
    runs = campaign.ok_runs
    factors = campaign.factors
    split = listed.crossed(
        runs, factors, listed.factors(runs, factors, campaign.listed)
    )
    keys = [name for name in factors if name not in split and name in runs.columns]
    if not keys or runs["point"].nunique() < 2:
        keys = ["repetition"]
    known = runs.dropna(subset=[column]).astype({column: float})
    means = known.groupby(["case", *keys], sort=False)[column].mean().reset_index()
    found: dict[str, dict[object, float]] = {}
    for case, *network, value in means.itertuples(index=False):
        found.setdefault(str(case), {})[tuple(network)] = float(value)
    order = list(map(str, campaign.runs["case"].unique()))
    return {case: found[case] for case in order if case in found}
