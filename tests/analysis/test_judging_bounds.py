"""Verdicts at their bounds: equal ends, exact tolerances, and counts of redraws."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from analysis.published import criterion as criteria
from analysis.published import estimates, intervals, judging
from analysis.published.criterion import Count, Criterion, Less
from analysis.published.estimates import Estimator
from analysis.published.findings import Runs
from analysis.published.judging import Judged, Verdict, judge
from analysis.published.samples import Columns, Samples

Keys = dict[str, Any]
AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED
TINY = 2.0**-20
"""A step that floats around the bounds of these tests represent."""


@pytest.mark.parametrize(
    ("relation", "keys", "wide", "narrow", "verdict"),
    [
        # A direction that begins at the value itself has not left it.
        (">", {}, (10, 12), (10.5, 11.5), UNDECIDED),
        (">", {}, (10 + TINY, 12), (10.5, 11.5), AGREES),
        (">", {}, (8, 10), (8.5, 9.5), DIFFERS),
        (">", {}, (8, 10 + TINY), (8.5, 9.5), UNDECIDED),
        ("<", {}, (8, 10), (8.5, 9.5), UNDECIDED),
        ("<", {}, (8, 10 - TINY), (8.5, 9.5), AGREES),
        ("<", {}, (10, 12), (10.5, 11.5), DIFFERS),
        ("<", {}, (10 - TINY, 12), (10.5, 11.5), UNDECIDED),
        # A margin and a tolerance include their ends, on both sides.
        (">", {"margin": 0.5}, (9, 11), (9.5, 10.5), DIFFERS),
        (">", {"margin": 0.5}, (9, 11), (9.5 - TINY, 10.5), UNDECIDED),
        (">", {"margin": 0.5}, (9, 11), (9.5, 10.5 + TINY), UNDECIDED),
        ("about", {"tolerance": 0.5}, (9, 11), (9.5, 10.5), AGREES),
        ("about", {"tolerance": 0.5}, (9, 11), (9.5 - TINY, 10.5), UNDECIDED),
        ("about", {"tolerance": 0.5}, (9, 11), (9.5, 10.5 + TINY), UNDECIDED),
        ("insignificant", {"margin": 0.5}, (9, 11), (9.5, 10.5), AGREES),
        ("insignificant", {"margin": 0.5}, (9, 11), (9.5, 10.5 + TINY), UNDECIDED),
        # An interval that touches the value does not leave it out.
        ("about", {"tolerance": 0.5}, (10, 12), (10.2, 11), UNDECIDED),
        ("about", {"tolerance": 0.5}, (10 + TINY, 12), (10.2, 11), DIFFERS),
        ("about", {"tolerance": 0.5}, (8, 10), (9, 9.8), UNDECIDED),
        ("about", {"tolerance": 0.5}, (8, 10 - TINY), (9, 9.8), DIFFERS),
    ],
)
def test_the_rule_at_its_bounds(
    relation: str,
    keys: Keys,
    wide: tuple[float, float],
    narrow: tuple[float, float],
    verdict: Verdict,
) -> None:
    asked = criteria.parse({"statistic": "median", "relation": relation, **keys})
    assert judging.decide(asked, 10.0, wide, narrow) is verdict


@pytest.mark.parametrize(
    ("chance", "fragile"), [(None, False), (0.9, False), (0.899, True), (1.0, False)]
)
def test_a_verdict_is_fragile_below_nine_in_ten(
    chance: float | None, fragile: bool
) -> None:
    assert Judged(AGREES, 0.0, None, chance).fragile is fragile


@pytest.mark.parametrize(
    ("relation", "value", "verdict"),
    [
        ("<", 4, AGREES),
        ("<", 3, DIFFERS),
        (">", 2, AGREES),
        (">", 3, DIFFERS),
        ("=", 3, AGREES),
        ("=", 2.5, DIFFERS),
    ],
)
def test_the_greatest_value_is_judged_itself(
    relation: str, value: float, verdict: Verdict
) -> None:
    keys: Keys = {"statistic": "maximum", "metric": "y", "relation": relation}
    found = judged([1.0, 3.0, 2.0, 0.5, 1.5], 50, **keys, value=value)
    assert (found.verdict, found.value, found.interval) == (verdict, 3, None)
    keys.pop("value", None)
    if relation == ">":
        assert judged([0.25, -1.0], 50, **keys).verdict is AGREES


def test_a_statement_that_compares_nothing_is_not_judged() -> None:
    asked = criteria.parse({"statistic": "median", "metric": "y"})
    with pytest.raises(ValueError, match="compares nothing"):
        judge(asked, Runs(frame([1.0, 2.0]), ()))


def frame(values: Sequence[float]) -> pd.DataFrame:
    """One row per network."""
    columns = {"point": range(len(values)), "repetition": 0, "y": values}
    return pd.DataFrame(columns)


def judged(values: Sequence[float], redraws: int, **keys: Any) -> Judged:
    return judge(criteria.parse(keys), Runs(frame(values), ()), redraws)


def test_the_chance_counts_every_redraw_and_none_without_them() -> None:
    keys: Keys = {"statistic": "median", "metric": "y", "relation": ">", "value": 0}
    sure = judged(np.linspace(1, 2, 30).tolist(), 20, **keys)
    assert (sure.verdict, sure.chance) == (AGREES, 1)
    assert judged(np.linspace(1, 2, 30).tolist(), 0, **keys).chance is None
    asked = criteria.parse(keys)
    quick = judge(asked, Runs(frame([1.0, 2.0] * 9), ()), with_chance=False)
    assert (quick.verdict, quick.chance) == (AGREES, None)
    assert judged([1.0], 20, **keys).chance is None


class Scripted:
    """A sample of which each redraw gives the next of the given values."""

    def __init__(self, units: int, values: Sequence[float]) -> None:
        self.units, self.columns = units, (0.5,)
        self._values: Iterator[float] = cycle(values)

    def redraw(self, _: np.random.Generator) -> tuple[float]:
        return (next(self._values),)


def scripted(units: int, drawn: Sequence[float], **keys: Any) -> Judged:
    """The verdict on a statistic whose value is 0.5, and `drawn` in redrawn designs."""
    samples = cast(Samples, Scripted(units, drawn))
    asked = Estimator(samples, lambda columns: cast(float, columns[0]))
    criterion = criteria.parse({"statistic": "spread", "metric": "y", **keys})
    generator = np.random.default_rng(0)
    return judging._redrawn(criterion, asked, generator, len(drawn))


ABOVE: Keys = {"relation": ">", "value": 0}


def test_few_networks_cannot_be_redrawn() -> None:
    """Four, or as many as have order statistics at 95 %, which are six."""
    drawn = np.linspace(0.4, 0.6, 1001).tolist()
    found = [scripted(units, drawn, **ABOVE).verdict for units in range(1, 10)]
    assert found.index(AGREES) + 1 in (4, 6)
    assert set(found[: found.index(AGREES)]) == {UNDECIDED}
    three = scripted(3, drawn, **ABOVE)
    assert (three.verdict, three.value, three.interval) == (UNDECIDED, 0.5, None)


def test_half_of_the_redraws_must_have_a_value() -> None:
    half = np.linspace(0.4, 0.6, 500).tolist()
    assert scripted(9, half + [math.nan] * 500, **ABOVE).verdict is AGREES
    assert scripted(9, half + [math.nan] * 501, **ABOVE).verdict is UNDECIDED


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("middle", [0.6, 0.5])
def test_redrawn_intervals_and_chances_by_a_second_implementation(
    sign: int, middle: float
) -> None:
    """Above 0 by the lower end, and mirrored below 0 by the upper one. With a middle of
    0.5 the end is so near to 0 that another seed might put it beyond."""
    drawn = sign * np.random.default_rng(3).normal(middle, 0.24, 1000)
    keys: Keys = {"relation": ">" if sign > 0 else "<", "value": 0}
    found = scripted(9, drawn.tolist(), **keys)
    assert found.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    low = intervals.quantile(drawn, 0.025, 0.95)
    high = intervals.quantile(drawn, 0.975, 0.95)

    def verdict(by: float) -> str:
        both = []
        for ends in (found.interval, (low[0], high[1])):
            assert ends is not None
            moved = sorted(sign * (end + by) for end in ends)
            above, below = moved[0] > 0, moved[1] <= 0
            both.append("agrees" if above else "differs" if below else "undecided")
        return both[0] if both[0] == both[1] else "undecided"

    given = found.verdict.value
    assert given == verdict(0)
    same = [verdict(value - found.value) == given for value in drawn]
    assert found.chance == pytest.approx(np.mean(same))


def test_a_spread_of_two_groups_is_compared_with_nothing() -> None:
    """The statistic is then a difference, and the number is not taken from it again."""
    drawn = np.linspace(0.4, 0.6, 1001).tolist()
    keys: Keys = {**ABOVE, "value": 0.7}
    assert scripted(9, drawn, **keys).verdict is DIFFERS
    assert scripted(9, drawn, **keys, rows="side=1", against="side=0").verdict is AGREES


def counted(count: int, of: int, **keys: Any) -> Judged:
    """A count of networks below 0, against 30 of 100."""
    given: Keys = {"statistic": "part_below", "metric": "y", "threshold": 0}
    given |= {"relation": "about", "count": 30, "of": 100, **keys}
    values = np.where(np.arange(of) < count, -1.0, 1.0).tolist()
    return judged(values, 20, **given)


def test_counts_differ_below_a_p_of_a_twentieth() -> None:
    """The two neighbouring counts whose p-values are just on either side of 0.05."""
    several = [(judging.fisher((k, 900), (30, 100)), k) for k in range(270, 400)]
    (before, _), (after, count) = next(
        (a, b) for a, b in pairwise(several) if a[0] >= 0.05 > b[0]
    )
    assert 0.04 < after < 0.05 <= before < 0.0625
    wide: Keys = {"value": 0.3, "tolerance": 0.9}
    assert counted(count, 900, **wide).verdict is DIFFERS
    assert counted(count - 1, 900, **wide).verdict is AGREES


def test_a_share_that_is_printed_without_its_count_is_one_of_as_many_as_ours() -> None:
    keys: Keys = {"statistic": "part_below", "metric": "y", "threshold": 0}
    keys |= {"relation": "about", "value": 0.3, "tolerance": 0.1, "of": "ours"}
    values = np.where(np.arange(80) < 26, -1.0, 1.0).tolist()
    found = judged(values, 0, **keys)
    assert found.value == pytest.approx(26 / 80 - 24 / 80)
    assert found.p == judging.fisher((26, 80), (24, 80))


def of_samples(
    criterion: Criterion, samples: Samples, value: float = 0.0, counts: bool = True
) -> Judged:
    """The verdict on a published count, of made-up samples that nobody redraws."""
    asked = Estimator(samples, lambda _: value, None, counts)
    assert criterion.published is not None
    generator = np.random.default_rng(0)
    return judging._counted(criterion, criterion.published, asked, generator, 0)


def published(**keys: Any) -> Criterion:
    given: Keys = {"statistic": "part_below", "metric": "y", "threshold": 0}
    return criteria.parse({**given, "relation": "about", "tolerance": 0.5, **keys})


class _Clustered:
    """Samples whose networks have several values each."""

    clustered = True

    def __init__(self, units: int, *samples: Sequence[float]) -> None:
        self.units = units
        self.columns = tuple({"y": np.array(values)} for values in samples)


def test_a_number_that_is_no_count_of_values_has_the_greater_total() -> None:
    """Five networks of 8 against 3 of 12; the second sample has 20 values."""
    samples = cast(Samples, _Clustered(4, [1.0] * 8, [1.0] * 20))
    greater = of_samples(published(value=0.25, count=3, of=12), samples, 5.0, False)
    assert greater.p == judging.fisher((5, 12), (3, 12))
    no_total = replace(published(value=0.25, count=3, of=12), published=Count(3, None))
    as_many = of_samples(no_total, samples, 5.0, False)
    assert as_many.p == judging.fisher((5, 8), (3, 8))
    less = of_samples(published(value=0.25, count=1, of=4), samples, 5.0, False)
    assert less.p == judging.fisher((5, 8), (1, 4))


def test_values_of_the_same_networks_count_as_networks() -> None:
    """Ten networks of four values each: 12 of 40 are 3 of 10, and 30 of 100 are 8 of
    25."""
    samples = cast(Samples, _Clustered(10, [1.0] * 12 + [0.0] * 28))
    found = of_samples(published(value=0.3, count=30, of=100), samples)
    assert found.p == judging.fisher((3, 10), (8, 25))
    assert found.value == pytest.approx(3 / 10 - 8 / 25)


def test_a_count_that_has_no_tolerance_cannot_agree() -> None:
    about = published(value=0.3, count=12, of=40)
    samples = cast(Samples, _Clustered(400, [1.0] * 120 + [0.0] * 280))
    assert of_samples(about, samples).verdict is AGREES
    less = replace(about, relation=Less())
    assert of_samples(less, samples).verdict is UNDECIDED


def test_a_published_share_of_nothing_is_none_of_them() -> None:
    samples = cast(Samples, _Clustered(40, [1.0] + [0.0] * 39))
    found = of_samples(published(value=0, of="ours"), samples)
    assert found.value == pytest.approx(1 / 40)
    assert found.p == judging.fisher((1, 40), (0, 40))


@pytest.mark.parametrize(("units", "chance"), [(1, None), (2, 0.75), (3, 0.75)])
def test_two_networks_can_be_redrawn_and_one_cannot(
    units: int, chance: float | None
) -> None:
    samples = cast(Samples, Scripted(units, [1.0, -1.0, 1.0, 1.0]))
    asked = Estimator(samples, lambda columns: cast(float, columns[0]))

    def verdict(columns: Sequence[Columns]) -> Verdict:
        return AGREES if cast(float, columns[0]) > 0 else DIFFERS

    generator = np.random.default_rng(0)
    assert judging._chance(AGREES, verdict, asked, generator, 8) == chance


@pytest.mark.parametrize("count", [118, 122])
def test_a_count_agrees_up_to_the_tolerance_itself(count: int) -> None:
    low, high = intervals.share_difference((count, 400), (30, 100), 0.90)
    reach = max(-low, high)
    keys: Keys = {"value": 0.3}
    assert counted(count, 400, **keys, tolerance=reach).verdict is AGREES
    assert counted(count, 400, **keys, tolerance=reach - TINY).verdict is UNDECIDED
    found = counted(count, 400, **keys, tolerance=reach)
    assert found.value == pytest.approx(count / 400 - 0.3)
    wide = intervals.share_difference((count, 400), (30, 100), 0.95)
    assert found.interval == wide
    assert found.p == judging.fisher((count, 400), (30, 100))


def test_an_interval_is_at_95_and_equivalence_at_90_per_cent() -> None:
    """A tolerance between the ends of both intervals tells them apart."""
    values = np.random.default_rng(6).normal(size=50)
    wide, narrow = (intervals.mean(values, level) for level in (0.95, 0.9))
    keys: Keys = {"statistic": "mean", "metric": "y", "relation": "about", "value": 0}
    reach = max(-narrow[0], narrow[1])
    found = judged(values.tolist(), 0, **keys, tolerance=reach)
    assert (found.verdict, found.interval) == (AGREES, wide)
    less = judged(values.tolist(), 0, **keys, tolerance=reach - TINY)
    assert less.verdict is UNDECIDED


def test_a_value_on_the_wrong_side_of_its_interval_is_undecided() -> None:
    """Here the statistic is the number itself while its interval is beyond."""

    def with_value(value: float, relation: str, named: bool = True) -> Verdict:
        ends = (1.0, 3.0)
        one = cast(Columns, {"y": np.array([value])})
        fixed = cast(Samples, _Fixed((one,)))
        asked = Estimator(
            fixed, lambda columns: float(columns[0]["y"][0]), lambda *_: ends
        )
        wanted = 0.5 if relation == ">" else 3.5
        criterion = criteria.parse(
            {"statistic": "median", "metric": "y", "relation": relation}
            | ({"value": wanted} if named else {})
        )
        generator = np.random.default_rng(0)
        return judging._tested(criterion, asked, generator, 0).verdict

    assert with_value(0.5 + TINY, ">") is AGREES
    assert with_value(0.5, ">") is UNDECIDED
    assert with_value(0.25, ">", named=False) is AGREES
    assert with_value(0.0, ">", named=False) is UNDECIDED
    assert with_value(3.5 - TINY, "<") is AGREES
    assert with_value(3.5, "<") is UNDECIDED


class _Fixed:
    """A sample that is never redrawn."""

    def __init__(self, columns: Sequence[Columns]) -> None:
        self.columns, self.units = columns, 1


def test_a_statistic_without_an_interval_is_undecided() -> None:
    """Three networks have no rank correlation's interval, and a value all the same."""
    rows = frame([1.0, 2.0, 3.0]).assign(x=[1.0, 2.0, 3.0])
    keys: Keys = {"statistic": "trend", "metric": "y", "criterion": "x"}
    asked = criteria.parse({**keys, "relation": ">", "value": 0})
    found = judge(asked, Runs(rows, ()), 20)
    assert (found.verdict, found.value, found.chance) == (UNDECIDED, 1, None)


def test_designs_are_redrawn_from_seed_0() -> None:
    """Published verdicts have this seed, so their chances do not change."""
    values = np.random.default_rng(5).normal(0.3, 1, size=40).tolist()
    keys: Keys = {"statistic": "mean", "metric": "y", "relation": ">", "value": 0}
    criterion = criteria.parse(keys)
    asked = estimates.estimator(criterion, Runs(frame(values), ()))
    chances = [
        judging._tested(criterion, asked, np.random.default_rng(seed), 200).chance
        for seed in range(3)
    ]
    assert chances[0] not in chances[1:]
    assert judged(values, 200, **keys).chance == chances[0]
