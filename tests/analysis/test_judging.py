"""Verdicts: the rule by hand, estimates against the statistics, chance by redraws."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.published import answers, intervals, judging, statements, statistics
from analysis.published import criterion as criteria
from analysis.published.estimates import estimator
from analysis.published.findings import Runs, find
from analysis.published.judging import Judged, Verdict, judge
from analysis.published.selection import Selection
from analysis.published.statistics import Question
from analysis.published.two_sample import TWO_SAMPLE
from tests.analysis import campaign

PUBLISHED = Path(__file__).parents[2] / "results/published"
Keys = dict[str, Any]
AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED


def networks(values: np.ndarray, **more: Any) -> pd.DataFrame:
    """One row per network."""
    n = len(values)
    return pd.DataFrame(
        {
            "point": range(n),
            "repetition": 0,
            "path1.capacity_mbps": np.arange(n, dtype=float),
            "y": values,
            **more,
        }
    )


def judged(frame: pd.DataFrame, redraws: int = 200, **keys: Any) -> Judged:
    return judge(criteria.parse(keys), Runs(frame, ()), redraws)


@pytest.mark.parametrize(
    ("relation", "keys", "wide", "narrow", "verdict"),
    [
        ("<", {}, (-2, -1), (-1.9, -1.1), AGREES),
        ("<", {}, (-2, 1), (-1.9, 0.9), UNDECIDED),
        ("<", {}, (1, 2), (1.1, 1.9), DIFFERS),
        ("<", {}, (0, 0), (0, 0), DIFFERS),
        (">", {}, (1, 2), (1.1, 1.9), AGREES),
        (">", {"margin": 0.3}, (-0.2, 0.25), (-0.15, 0.2), DIFFERS),
        (">", {"margin": 0.1}, (-0.2, 0.25), (-0.15, 0.2), UNDECIDED),
        (">", {"margin": 0.3}, (0.1, 0.25), (0.11, 0.2), AGREES),
        ("about", {"tolerance": 0.2}, (-0.3, 0.1), (-0.2, 0.05), AGREES),
        ("about", {"tolerance": 0.2}, (-0.4, 0.1), (-0.3, 0.05), UNDECIDED),
        ("about", {"tolerance": 0.2}, (0.1, 0.4), (0.15, 0.3), DIFFERS),
        ("insignificant", {"margin": 0.3}, (0.05, 0.35), (0.1, 0.29), AGREES),
        ("insignificant", {"margin": 0.3}, (0.05, 0.4), (0.1, 0.35), DIFFERS),
        ("insignificant", {}, (-0.1, 0.1), (-0.05, 0.05), UNDECIDED),
    ],
)
def test_the_rule(
    relation: str,
    keys: dict[str, Any],
    wide: tuple[float, float],
    narrow: tuple[float, float],
    verdict: Verdict,
) -> None:
    asked = criteria.parse({"statistic": "median", "relation": relation, **keys})
    assert judging.decide(asked, 0.0, wide, narrow) is verdict


def test_a_median_of_0_is_not_above_0() -> None:
    """The centre of the differences is above 0, and their median is not."""
    values = np.r_[np.zeros(30), np.linspace(1, 2, 46), -np.linspace(0.01, 0.02, 24)]
    other = networks(np.zeros(100), case="b")
    both = pd.concat([networks(values, case="a"), other], ignore_index=True)
    keys: Keys = {"statistic": "paired", "metric": "y", "relation": ">", "value": 0}
    found = judged(both, **keys, rows="case=a", against="case=b")
    assert found.value == 0
    assert found.interval is not None and found.interval[0] > 0
    assert found.verdict is UNDECIDED


def test_no_effect_needs_more_than_a_large_p() -> None:
    """Twelve networks without a trend show nothing; four hundred do."""
    generator = np.random.default_rng(2)
    keys: Keys = {"statistic": "trend", "metric": "y", "criterion": "x"}
    keys |= {"relation": "insignificant", "margin": 0.3}
    for n, verdict in ((12, UNDECIDED), (400, AGREES)):
        frame = networks(generator.normal(size=n), x=generator.uniform(size=n))
        assert stats.spearmanr(frame["x"], frame["y"]).pvalue > 0.05
        assert judged(frame, **keys).verdict is verdict


def test_18_of_490_differ_from_3_of_490() -> None:
    assert judging.fisher((18, 490), (3, 490)) == pytest.approx(0.0013, abs=5e-5)
    keys: Keys = {"statistic": "part_below", "metric": "y", "threshold": 0}
    keys |= {"relation": "about", "value": 0.006, "tolerance": 0.02}
    keys |= {"count": 3, "of": 490}
    for count, verdict in ((18, DIFFERS), (4, AGREES), (9, UNDECIDED)):
        values = np.where(np.arange(490) < count, -1.0, 1.0)
        found = judged(networks(values), **keys)
        assert found.verdict is verdict, count
        assert found.p == pytest.approx(judging.fisher((count, 490), (3, 490)))


def test_a_share_of_networks_whose_number_is_not_printed() -> None:
    keys: Keys = {"statistic": "part_above", "metric": "y", "threshold": 0.5}
    keys |= {"relation": "about", "value": 0.3, "tolerance": 0.1, "of": "ours"}
    values = (np.arange(100) < 31).astype(float)
    found = judged(networks(values), **keys)
    assert found.value == pytest.approx(0.01)
    assert found.p == pytest.approx(stats.fisher_exact([[31, 69], [30, 70]]).pvalue)


def test_every_estimate_is_the_statistic_that_pages_print() -> None:
    """For all statements that a made-up campaign can answer."""
    rows = campaign.rows(60)
    for row in rows:
        ratio = 0.01 + row["point"] / 1e4 if row["path"] else 0.015
        row |= {"retransmission_ratio": ratio, "reinjection_ratio": ratio / 2}
        row |= {"path1.loss_percent": 1.0, "path2.loss_percent": 2.0}
        row["traffic.size_bytes"] = (8000, 2000000)[row["point"] % 2]
    frame = table.build(rows)
    mptcp = frame[frame["case"] == "mptcp"]
    runs = Runs(mptcp, campaign.FACTORS)
    checked = set()
    for path in sorted(PUBLISHED.glob("thesis-*.yaml")):
        if path.stem == "thesis-pages":
            continue
        for statement in statements.read(path):
            asked = statement.criterion
            if asked.sets.rows.cases or statement.kind == "input":
                continue
            try:
                finding, wanted = find(asked, runs)
                value = estimator(asked, runs)
            except (KeyError, ValueError):
                continue
            compared = finding.value - wanted if _difference(asked) else finding.value
            own = value.value(value.samples.columns)
            assert own == pytest.approx(compared, abs=1e-9), statement.id
            checked.add(asked.measure.statistic)
    assert checked >= {
        *("trend", "median", "maximum", "fall", "outliers", "weaker_path"),
        *("first_path", "shift", "mirrored", "part_above", "uniformity"),
        *("part_within", "part_beyond", "main_factor"),
    }


def _difference(asked: criteria.Criterion) -> bool:
    """Whether the estimate is a difference, not the statistic of the first runs."""
    name = asked.measure.statistic
    two = name in ("shift", "mirrored", "paired", "part_ahead")
    two = two or name in ("mean_difference", "mean_ratio")
    return not two and (asked.sets.against is not None or asked.number is None)


def test_rows_of_a_network_are_drawn_together() -> None:
    """Five equal values per network are no more than one."""
    generator = np.random.default_rng(4)
    values = generator.normal(0.2, 1, size=30)
    keys: Keys = {"statistic": "median", "metric": "y", "relation": ">", "value": 0}
    once = networks(values)
    often = pd.concat([once.assign(repetition=i) for i in range(5)])
    one, five = (judged(frame, **keys) for frame in (once, often))
    assert one.interval is not None and five.interval is not None
    widths = [np.ptp(found.interval) for found in (one, five) if found.interval]
    assert widths[1] > 0.6 * widths[0]


def test_repetitions_of_a_few_given_networks_are_drawn() -> None:
    """Three networks of five repetitions say something; three of one do not."""
    rows = pd.concat(
        [
            networks(np.array([10.0, 20.0, 30.0]) + 0.1 * one).assign(repetition=one)
            for one in range(5)
        ]
    )
    keys: Keys = {"statistic": "median", "metric": "y", "relation": ">", "value": 19.5}
    known = judged(rows, **keys)
    assert known.verdict is AGREES and known.interval is not None
    assert 20 <= known.interval[0] <= known.interval[1] <= 20.4
    assert judged(rows, **{**keys, "value": 20.45}).verdict is DIFFERS
    assert judged(rows[rows["repetition"] == 0], **keys).verdict is UNDECIDED


def test_a_difference_of_two_given_networks_has_the_value_of_the_criterion() -> None:
    rows = pd.concat(
        [
            networks(np.array([60.0, 52.5]) + 0.1 * one).assign(
                repetition=one, users=[0, 15]
            )
            for one in range(6)
        ]
    )
    keys: Keys = {"statistic": "mean_difference", "metric": "y", "relation": "about"}
    keys |= {"rows": "users=15", "against": "users=0", "tolerance": 2.0}
    assert judged(rows, **keys, value=-7.8).verdict is AGREES
    assert judged(rows, **keys, value=-3.0).verdict is DIFFERS


def test_a_ratio_of_means_has_the_interval_of_redrawn_repetitions() -> None:
    rows = pd.concat(
        [
            networks(np.array([80.0, 40.0]) + one).assign(repetition=one, users=[0, 15])
            for one in range(6)
        ]
    )
    keys: Keys = {"statistic": "mean_ratio", "metric": "y", "rows": "users=0"}
    keys |= {"against": "users=15", "relation": "about", "tolerance": 0.1}
    known = judged(rows, **keys, value=1.94)
    assert known.value == pytest.approx(82.5 / 42.5)
    assert known.verdict is AGREES and known.interval is not None
    assert judged(rows, **keys, value=1.5).verdict is DIFFERS
    with pytest.raises(ValueError, match="the mean to divide by is 0"):
        TWO_SAMPLE["mean_ratio"](
            rows, rows.assign(y=0.0), Question("y", "", None, None, ())
        )


@pytest.mark.parametrize(("repetitions", "needs"), [(5, 6), (6, None)])
@pytest.mark.parametrize("statistic", ["median", "mean", "imbalance"])
def test_five_values_have_no_interval(
    statistic: str, repetitions: int, needs: int | None
) -> None:
    """Neither by order statistics nor by redraws; a mean has Student's t."""
    rows = networks(np.arange(float(repetitions))).assign(
        point=0, repetition=range(repetitions), **{"path1.capacity_mbps": 1.0}
    )
    keys: Keys = {"statistic": statistic, "metric": "y", "relation": ">", "value": -9}
    found = judged(rows, **keys)
    if statistic == "mean":
        assert found.interval is not None
        return
    assert found.needs == needs and (found.interval is None) == bool(needs)
    assert (found.verdict is AGREES) == (needs is None)


def test_users_of_a_run_are_compared_run_by_run() -> None:
    """Two users share a link: their sum is steady, so their difference varies more
    than that of two independent samples."""
    one = 50 + np.array([-4.0, -2, -1, 1, 2, 4, -3, 3])
    rows = networks(one, case="a", z=100 - one)
    keys: Keys = {"statistic": "mean_difference", "metric": "y", "relation": "about"}
    keys |= {"tolerance": 1, "rows": "case=a", "against": "case=a"}
    found = judged(rows, **keys, against_metric="z", value=0)
    known = intervals.mean(2 * one - 100, 0.95)
    assert found.interval is not None and found.interval == pytest.approx(known)
    apart = intervals.mean_difference(one, 100 - one, 0.95)
    assert np.ptp(found.interval) > 1.3 * np.ptp(apart)


def test_sizes_of_a_network_are_no_networks() -> None:
    """Five sizes in the same networks have no narrower interval than one."""
    generator = np.random.default_rng(3)
    values = 1 + generator.normal(0, 0.1, 30)
    frames = []
    for size in (1e4, 1e5, 1e6, 1e7, 1e8):
        for case, metric in (("a", values), ("b", np.ones(30))):
            made = networks(metric, case=case)
            frames.append(made.assign(**{"traffic.size_bytes": size}))
    keys: Keys = {"statistic": "ratio_mean", "metric": "y", "rows": "case=a"}
    keys |= {"against": "case=b", "relation": ">", "value": 0.5}
    one = judged(pd.concat(frames[:2], ignore_index=True), **keys)
    five = judged(pd.concat(frames, ignore_index=True), **keys)
    assert one.interval is not None and five.interval is not None
    assert np.ptp(five.interval) > 0.8 * np.ptp(one.interval)


def test_counts_of_repetitions_are_counts_of_networks() -> None:
    """Ten repetitions of ten networks are no hundred networks."""
    values = np.r_[np.ones(3), np.zeros(7)]
    rows = pd.concat([networks(values).assign(repetition=i) for i in range(10)])
    keys: Keys = {"statistic": "part_above", "metric": "y", "threshold": 0.5}
    keys |= {"relation": "about", "tolerance": 0.1, "value": 0.1}
    asked = {**keys, "count": 10, "of": 100}
    found = judged(rows.reset_index(drop=True), **asked)
    assert found.p == pytest.approx(judging.fisher((3, 10), (1, 10)))
    assert found.verdict is UNDECIDED


def test_a_share_of_networks_ahead_counts_networks() -> None:
    values = np.r_[np.ones(24), -np.ones(6)]
    ours = pd.concat(
        [networks(values, case="a").assign(repetition=i) for i in range(9)]
    )
    rows = pd.concat([ours, ours.assign(case="b", y=0.0)], ignore_index=True)
    keys: Keys = {"statistic": "part_ahead", "metric": "y", "rows": "case=a"}
    keys |= {"against": "case=b", "relation": ">", "value": 0.7}
    found = judged(rows, **keys)
    assert found.interval is not None and np.ptp(found.interval) > 0.2


def test_a_p_value_is_told_of_independent_rows_alone() -> None:
    generator = np.random.default_rng(5)
    once = networks(generator.normal(0, 1, 12))
    often = pd.concat([once.assign(repetition=i) for i in range(4)], ignore_index=True)
    keys: Keys = {"statistic": "trend", "metric": "y", "relation": ">", "value": 0}
    asked = criteria.parse({**keys, "criterion": "path1.capacity_mbps"})
    for rows, told in ((once, True), (often, False)):
        loaded = Campaign("a", rows.assign(verdict="ok", protocol="mptcp", case="lia"))
        found = answers.outcome(
            replace(asked, sets=replace(asked.sets, rows=Selection(campaign="a"))),
            {"a": loaded},
            redraws=50,
        )
        assert found.ours.startswith("rank correlation")
        assert ("p =" in found.ours or "p <" in found.ours) == told


def test_seven_networks_are_a_design() -> None:
    rows = pd.concat(
        [networks(np.arange(7.0)).assign(repetition=one) for one in range(5)]
    )
    keys: Keys = {"statistic": "median", "metric": "y", "relation": ">", "value": 1.5}
    known = judged(rows, **keys)
    assert known.interval is not None and known.interval[0] < 3 < known.interval[1]


def test_the_chance_is_that_of_another_design() -> None:
    """The verdict's chance, on average, is how often new designs give it."""
    keys: Keys = {"statistic": "median", "metric": "y", "relation": ">", "value": 0}
    generator = np.random.default_rng(8)
    verdicts: list[bool] = []
    chances: list[float] = []
    for _ in range(40):
        found = judged(networks(generator.normal(1.0, 1, size=30)), 60, **keys)
        verdicts.append(found.verdict is AGREES)
        chance = found.chance or 0.0
        chances.append(chance if verdicts[-1] else 1 - chance)
    assert np.mean(verdicts) > 0.9
    assert np.mean(chances) == pytest.approx(np.mean(verdicts), abs=0.1)
    barely = judged(networks(generator.normal(0.37, 1, size=30)), 200, **keys)
    assert barely.fragile or barely.verdict is UNDECIDED


def test_a_false_direction_agrees_no_more_often_than_the_level_says() -> None:
    """Without an effect, the wrong 5 % are shared by both sides."""
    generator = np.random.default_rng(9)
    keys: Keys = {"statistic": "shift", "metric": "y", "relation": ">", "value": 0}
    keys |= {"rows": "side=1", "against": "side=0"}
    sides = np.arange(60) % 2
    wrong = [
        judged(networks(generator.normal(size=60), side=sides), 0, **keys).verdict
        for _ in range(300)
    ]
    assert wrong.count(AGREES) / 300 < 0.05
    assert wrong.count(DIFFERS) / 300 < 0.05


def test_a_verdict_that_depends_on_the_seed_of_the_redraws_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The end of the interval is at 0, on one side or the other of it by the seed."""
    generator = np.random.default_rng(4)
    values = np.repeat(generator.normal(size=30), 2)
    frame = pd.DataFrame(
        {
            "point": np.arange(60) // 2,
            "repetition": np.arange(60) % 2,
            "path1.capacity_mbps": np.arange(60) // 2 * 1.0,
            "y": values,
        }
    )
    keys: Keys = {"statistic": "mean", "metric": "y", "relation": ">", "value": 0}
    interval = judged(frame, 20_000, **keys).interval
    assert interval is not None
    frame["y"] -= interval[0]
    found = []
    for seed in range(8):
        monkeypatch.setattr(judging, "SEED", seed)
        found.append(judged(frame, 1000, **keys))
    ends = [one.interval[0] for one in found if one.interval]
    assert min(ends) < 0 < max(ends)
    assert {one.verdict for one in found} == {UNDECIDED}


def test_equal_seeds_give_equal_chances() -> None:
    keys: Keys = {"statistic": "spread", "metric": "y", "relation": ">", "value": 0.5}
    frame = networks(np.random.default_rng(1).normal(size=20))
    assert judged(frame, **keys) == judged(frame, **keys)


@pytest.mark.parametrize("name", ["median", "mean"])
def test_a_large_statistic_is_told_without_an_exponent(name: str) -> None:
    rows = networks(np.arange(10_380.0, 10_440.0, 10))
    asked = Question("y", "", None, None, ())
    assert getattr(statistics, name)(rows, asked).text == f"{name} 10400"


def test_a_large_spread_is_told_without_an_exponent() -> None:
    rows = networks(np.linspace(0.0, 24_000.0, 9))
    asked = Question("y", "", None, None, ())
    assert statistics.spread(rows, asked).text == "between the quartiles 12000"


def test_large_statistics_of_two_samples_are_told_without_an_exponent() -> None:
    rows = networks(np.array([10_601.0, 10_609.0]))
    others = networks(np.array([20_001.0, 20_009.0]))
    asked = Question("y", "", None, None, ())
    told = {
        name: TWO_SAMPLE[name](rows, others, asked).text
        for name in ("mean_difference", "mean_ratio")
    }
    assert told["mean_difference"].startswith("means 10600 and 20000")
    assert told["mean_ratio"] == "0.53 times, means 10600 and 20000"
