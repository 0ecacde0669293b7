"""Which part of a configuration explains which verdict.

A part is taken out of the configuration. The part mends a statement if the verdict
agrees with it and does not agree without it, and breaks it if it is the other way
round. Only a change of the statistic that is more than chance counts: its standard
error comes from redrawn designs, in which both configurations have the same networks.
Holm's correction (Scandinavian Journal of Statistics 6, 1979) holds the chance of any
false effect among all statements and parts below 5 %.

With few networks a standard error is itself uncertain. So the difference is compared
with Student's t of one degree of freedom less than networks. Where all redrawn designs
have the same difference, there is no standard error; p is then that of n fair coins
that all show the same side, for n networks.
"""

import math
import multiprocessing
import os
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

import numpy as np
import pandas as pd

from analysis import late_scipy as scipy
from analysis.campaign.campaign import Campaign
from analysis.published.answers import Answer, answer, runs_of
from analysis.published.criterion import Criterion
from analysis.published.estimates import Estimator, estimator
from analysis.published.intervals import LEAST_PAIRS
from analysis.published.judging import SEED, SIGNIFICANCE, Verdict
from analysis.published.publication import Campaigns
from analysis.published.samples import Samples
from analysis.published.statements import Statement

REDRAWS = 200
"""Redrawn designs for a standard error, which needs fewer than a quantile."""

LEAST_SHARED = 20
"""Statements from which several processes are worth their start."""


class Effect(Enum):
    MENDED = "mended"
    BROKEN = "broken"
    NONE = "no change"


@dataclass(frozen=True)
class Change:
    """Effect of a part on a statement, or on a cell of a table.

    with_part, without : the verdicts
    p : two-sided p-value that the statistic is the same with and without the part;
        None where nobody can tell
    corrected : p after Holm's correction
    """

    with_part: Verdict
    without: Verdict
    p: float | None
    corrected: float | None = None

    @property
    def effect(self) -> Effect:
        certain = self.corrected is not None and self.corrected < SIGNIFICANCE
        agrees = (self.with_part is Verdict.AGREES, self.without is Verdict.AGREES)
        if not certain or agrees[0] == agrees[1]:
            return Effect.NONE
        return Effect.MENDED if agrees[0] else Effect.BROKEN

    @property
    def by_chance(self) -> bool:
        """Whether the verdict changed, and the statistic by no more than chance."""
        changed = self.with_part is not self.without
        return changed and self.p is not None and self.effect is Effect.NONE


Row = Mapping[str, Change]
"""The changes of one statement, or of one cell, by part."""

Name = TypeVar("Name", bound=Hashable)


def changes(
    statements: Sequence[Statement],
    answers: Mapping[str, Answer],
    whole: Campaigns,
    without: Mapping[str, Campaigns],
) -> dict[str, Row]:
    """Effect of each part on each statement that both sides answer.

    answers, whole : of the configuration with all parts
    without : the campaigns without each part

    A part that spares all of a statement's campaigns has no change there. Many
    statements are divided among the machine's cores.
    """
    asked = [
        statement
        for statement in statements
        if answers[statement.id].verdict is not None and statement.kind != "input"
    ]
    parts = _Parts(answers, whole, without)
    found: Iterable[Row]
    if len(asked) < LEAST_SHARED:
        found = map(parts.changes_of, asked)
    else:
        context = multiprocessing.get_context("fork")
        cores = len(os.sched_getaffinity(0))
        with context.Pool(cores, _take, (parts, asked)) as pool:
            found = pool.map(_taken_changes, range(len(asked)), chunksize=1)
    return dict(
        corrected(
            {
                (statement.id, part): change
                for statement, row in zip(asked, found, strict=True)
                for part, change in row.items()
            }
        )
    )


class _Parts:
    """The campaigns with and without each part, which have the same networks."""

    def __init__(
        self,
        answers: Mapping[str, Answer],
        whole: Campaigns,
        without: Mapping[str, Campaigns],
    ) -> None:
        self.answers = answers
        self.whole = whole
        self.without = without
        kept: dict[Hashable, Campaigns] = {}
        self.same: dict[str, Campaigns] = {}
        for part, campaigns in without.items():
            same = in_networks_of(campaigns, whole)
            points = {name: frozenset(_points(one)) for name, one in same.items()}
            self.same[part] = kept.setdefault(frozenset(points.items()), same)

    def changes_of(self, statement: Statement) -> Row:
        """Effect of each part on a statement, before Holm's correction."""
        named = statement.campaigns()
        known = {id(self.whole): self.answers[statement.id]}
        found: dict[str, Change] = {}
        for part, campaigns in self.without.items():
            if named and named <= spared(campaigns, self.whole):
                continue
            other = answer(statement, campaigns, REDRAWS, with_chance=False)
            if other.verdict is None:
                continue
            same = self.same[part]
            if id(same) not in known:
                known[id(same)] = answer(statement, same, REDRAWS, with_chance=False)
            one = known[id(same)]
            if one.verdict is not None:
                p = _change_p(one, other, same, campaigns)
                found[part] = Change(one.verdict, other.verdict, p)
        return found


_task: tuple[_Parts, Sequence[Statement]] | None = None
"""Work of a process that is one of several."""


def _take(parts: _Parts, statements: Sequence[Statement]) -> None:
    global _task
    _task = parts, statements


def _taken_changes(index: int) -> Row:
    assert _task is not None
    parts, statements = _task
    return parts.changes_of(statements[index])


def spared(without: Campaigns, whole: Campaigns) -> set[str]:
    """The names of the campaigns that are the configuration's own."""
    return {name for name, one in without.items() if one is whole.get(name)}


def corrected(found: Mapping[tuple[Name, str], Change]) -> dict[Name, Row]:
    """The changes with Holm's correction over all of them, by name and part."""
    tested = {key: one.p for key, one in found.items() if one.p is not None}
    p_values = dict(zip(tested, holm(list(tested.values())), strict=True))
    rows: dict[Name, dict[str, Change]] = {}
    for (name, part), one in found.items():
        rows.setdefault(name, {})[part] = replace(
            one, corrected=p_values.get((name, part))
        )
    return dict(rows)


def _change_p(
    known: Answer, other: Answer, one: Campaigns, without: Campaigns
) -> float | None:
    """The p-value of what changed the verdict.

    A verdict may change because another reading of the text has changed its own. So
    the readings whose verdict changed are tested, with Bonferroni's correction for all
    readings. Without a change the registered criterion is tested.
    """
    statement = known.statement
    pairs = list(
        zip(
            (statement.criterion, *(one.criterion for one in statement.readings)),
            (known.main, *known.readings),
            (other.main, *other.readings),
            strict=True,
        )
    )
    if known.verdict is other.verdict:
        return change_p(statement.criterion, one, without)
    changed = [c for c, first, second in pairs if first.verdict is not second.verdict]
    known_p = [p for c in changed if (p := change_p(c, one, without)) is not None]
    return min(1.0, len(pairs) * min(known_p)) if known_p else None


def in_networks_of(fewer: Campaigns, whole: Campaigns) -> Campaigns:
    """The campaigns `whole`, with the points alone that `fewer` has.

    A part may be left out in every k-th network alone; then both sides have the same
    networks. Returns `whole` itself if no point is left out.
    """
    thinned = {
        name: campaign
        for name, campaign in fewer.items()
        if name in whole and not _points(whole[name]) <= _points(campaign)
    }
    if not thinned:
        return whole
    return dict(whole) | {
        name: replace(whole[name], runs=_at(whole[name].runs, _points(campaign)))
        for name, campaign in thinned.items()
    }


def _points(campaign: Campaign) -> set[int]:
    return set(campaign.runs["point"]) if len(campaign.runs) else set()


def _at(runs: pd.DataFrame, points: set[int]) -> pd.DataFrame:
    return runs[runs["point"].isin(points)].reset_index(drop=True)


def change_p(criterion: Criterion, one: Campaigns, other: Campaigns) -> float | None:
    """Two-sided p-value that the statistic is the same in two sets of campaigns.

    The difference over its standard error in redrawn designs has Student's t. None for
    fewer than LEAST_PAIRS networks, where the networks were given and not drawn, and
    for a maximum: redrawn designs mostly have the same one, and too small an error.
    """
    if criterion.measure.statistic == "maximum":
        return None
    try:
        first, second = (
            estimator(criterion, runs_of(criterion, campaigns))
            for campaigns in (one, other)
        )
    except (KeyError, ValueError):
        return None
    both = (first.samples, second.samples)
    units = min(samples.units for samples in both)
    if units < LEAST_PAIRS or any(samples.given for samples in both):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        difference = _difference(first, second, None)
        generator = np.random.default_rng(SEED)
        drawn = np.array(
            [_difference(first, second, generator) for _ in range(REDRAWS)]
        )
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < REDRAWS / 2 or not math.isfinite(difference):
        return None
    # Redrawing n networks gives the variance with n in place of n - 1.
    error = float(drawn.std(ddof=1)) * math.sqrt(units / (units - 1))
    if difference == 0:
        return 1.0
    if error == 0:
        return float(2.0 ** (1 - units))
    return float(2 * scipy.stats.t.sf(abs(difference) / error, units - 1))


def _difference(
    first: Estimator, second: Estimator, generator: np.random.Generator | None
) -> float:
    """The statistic of the first minus that of the second, in the same networks.

    generator : draws the networks; None for the networks as they are
    """
    if generator is None:
        return first.value(first.samples.columns) - second.value(second.samples.columns)
    drawn = _drawn(first.samples, second.samples, generator)
    return first.value(
        [part.drawn(n) for part, n in zip(first.samples.samples, drawn, strict=True)]
    ) - second.value(
        [part.drawn(n) for part, n in zip(second.samples.samples, drawn, strict=True)]
    )


def _drawn(
    first: Samples, second: Samples, generator: np.random.Generator
) -> list[np.ndarray]:
    """The networks to draw for each sample."""
    groups = [
        sorted({*one.places, *other.places})
        for one, other in zip(first.samples, second.samples, strict=True)
    ]
    if first.joint:
        known = sorted({network for group in groups for network in group})
        networks = generator.choice(known, size=len(known))
        return [networks] * len(groups)
    return [generator.choice(group, size=len(group)) for group in groups]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's step-down correction, in the given order."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [1.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = highest
    return corrected
