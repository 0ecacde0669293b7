"""Ratios of two cases by network: the statistics, the verdicts and the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.campaign import directions
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.figures import style
from analysis.figures.drawn_figure import UndrawableError
from analysis.published import criterion as criteria
from analysis.published import intervals
from analysis.published.findings import Runs, find
from analysis.published.judging import Verdict, judge
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.spec.vocabulary import METRICS
from tests.analysis import requests

CAPACITIES = np.arange(100.0) + 1


def runs(factor: np.ndarray) -> pd.DataFrame:
    """LIA has 10 at every network, and mpcc 10 times the factor, give or take 2."""
    rows = []
    for point, (capacity, ratio) in enumerate(zip(CAPACITIES, factor, strict=True)):
        for repetition, more in enumerate((-2.0, 2.0)):
            for case, value in (("lia", 10.0), ("mpcc", 10 * ratio + more)):
                rows.append(
                    {
                        **{"point": point, "repetition": repetition, "case": case},
                        **{"verdict": "ok", "protocol": "mptcp"},
                        **{"link1.capacity_mbps": capacity, "steady.jain": value},
                    }
                )
    return pd.DataFrame(rows)


def answered(statistic: str, rows: pd.DataFrame, **keys: object) -> tuple[float, str]:
    criterion = criteria.parse(
        {
            **{"statistic": statistic, "metric": "steady.jain", "relation": ">"},
            **{"value": 1, "rows": "a; case=mpcc", "against": "case=lia", **keys},
        }
    )
    given = Runs(rows, ("link1.capacity_mbps",))
    found, _ = find(criterion, given)
    judged = judge(criterion, given, redraws=20)
    assert judged.value == pytest.approx(found.value)
    assert found.n == 100
    return found.value, judged.verdict.value


def test_the_statistics_are_those_of_the_ratios() -> None:
    factor = 0.8 + 0.01 * CAPACITIES  # 0.81 to 1.80
    rows = runs(factor)
    low, high = np.quantile(factor, [0.05, 0.95])
    middle = float(np.median(factor))
    for statistic, value, verdict in (
        ("ratio_mean", factor.mean(), "agrees"),
        ("ratio_median", middle, "agrees"),
        ("ratio_p5", low, "differs"),
        ("ratio_p95", high, "agrees"),
    ):
        found, said = answered(statistic, rows)
        assert found == pytest.approx(value) and said == verdict, statistic
    by = {"criterion": "link1.capacity_mbps", "value": 0}
    trend, said = answered("ratio_trend", rows, **by)
    assert trend == pytest.approx(1) and said == "agrees"


def test_networks_are_told_apart_by_any_link() -> None:
    """Without this, every run of one case would be a pair with every run of another."""
    rows = runs(np.full(100, 1.5))
    keys = {"statistic": "paired", "metric": "steady.jain", "rows": "a; case=mpcc"}
    found, _ = find(criteria.parse({**keys, "against": "case=lia"}), Runs(rows, ()))
    assert found.n == 200


def test_the_interval_of_a_quantile_covers_it() -> None:
    generator = np.random.default_rng(1)
    for q in (0.05, 0.5, 0.95):
        wanted = stats.norm.ppf(q)
        covered = 0
        for _ in range(500):
            low, high = intervals.quantile(generator.normal(size=200), q, 0.95)
            covered += low <= wanted <= high
        assert 0.94 <= covered / 500 <= 0.99
    low, high = intervals.quantile(np.arange(20.0), 0.05, 0.95)
    assert low == -np.inf and 0 < high < 20
    middle = intervals.quantile(np.arange(31.0), 0.5, 0.95)
    assert middle == intervals.median(np.arange(31.0), 0.95)


@pytest.mark.parametrize(
    ("metric", "column", "head", "points"),
    [
        ("completion_time", "completion_time_s", ("best", "worst"), (42, 7)),
        ("goodput", "goodput_mbps", ("best", "worst"), (7, 42)),
        ("traffic_split", "path1.share", ("highest", "lowest"), (7, 42)),
        ("own_metric", "own_metric", ("highest", "lowest"), (7, 42)),
    ],
)
def test_the_best_is_what_the_metric_says(
    tmp_path: Path, metric: str, column: str, head: tuple[str, ...], points: object
) -> None:
    factor = np.ones(100)
    factor[[7, 42]] = 3, 0.25
    rows = runs(factor).rename(columns={"steady.jain": column})
    request = {"kind": "ratios", "metric": metric, "over": "lia"}
    drawn = requests.draw(request, Campaign("a", rows), style.Target(tmp_path, "f"))
    assert drawn.head[6:] == head
    assert f"The {head[0]} and the {head[1]} are" in (drawn.note or "")
    named = [
        int(cell.partition("point ")[2].partition(")")[0])
        for cell in drawn.cells[0][6:]
    ]
    assert tuple(named) == points


def test_every_metric_of_experiment_files_has_a_direction() -> None:
    assert set(directions.DIRECTIONS) == set(METRICS)


def test_the_table_names_the_best_and_the_worst_points(tmp_path: Path) -> None:
    factor = np.ones(100)
    factor[[7, 42]] = 3, 0.25
    loaded = Campaign("a", runs(factor), factors=("link1.capacity_mbps",))
    request = {"kind": "ratios", "metric": "jain", "part": "steady", "over": "lia"}
    drawn = requests.draw(request, loaded, style.Target(tmp_path, "f"))
    (row,) = drawn.cells
    assert row[:4] == ("mpcc", "100", f"{factor.mean():.2f}", "1.00")
    assert row[6].startswith("3.00 (point 7)") and row[7].startswith("0.250 (point 42)")
    assert "Point 42: link1 capacity 43 Mbit/s." in drawn.note
    assert drawn.title == "Jain's fairness index of each case over lia, steady"
    alone = Campaign("a", runs(factor).query("case == 'mpcc'"))
    with pytest.raises(UndrawableError, match="no network has both lia"):
        requests.draw(request, alone, style.Target(tmp_path, "f"))


@pytest.mark.parametrize(
    ("direction", "head", "first"),
    [
        ("more", ("best", "worst"), "3.00 (point 7)"),
        ("less", ("best", "worst"), "0.250 (point 42)"),
        (None, ("highest", "lowest"), "3.00 (point 7)"),
    ],
)
def test_a_users_metric_says_which_values_are_good(
    tmp_path: Path,
    direction: directions.Direction | None,
    head: tuple[str, str],
    first: str,
) -> None:
    factor = np.ones(100)
    factor[[7, 42]] = 3, 0.25
    rows = runs(factor).rename(columns={"steady.jain": "own.sent_packets"})
    said = {"own.sent_packets": direction} if direction else {}
    loaded = Campaign("a", rows, factors=("link1.capacity_mbps",), directions=said)
    request = {"kind": "ratios", "metric": "own.sent_packets", "over": "lia"}
    drawn = requests.draw(request, loaded, style.Target(tmp_path, "f"))
    assert drawn.head[-2:] == head
    assert drawn.cells[0][6].startswith(first)


def test_a_part_of_a_run_has_the_words_of_its_metric() -> None:
    assert label("steady.srtt_ms") == "steady smoothed RTT [ms]"
    assert label("steady.single2.jain") == "Jain's fairness index, steady single2"
    assert label("path1.share") == "share of path 1"


def test_a_difference_of_percentiles_that_few_networks_cannot_show() -> None:
    rows = runs(np.full(100, 1.5)).query("point < 30")
    criterion = criteria.parse(
        {
            **{"statistic": "ratio_p5", "metric": "steady.jain", "relation": ">"},
            **{"value": 1, "rows": "a; case=mpcc", "against": "case=lia"},
        }
    )
    judged = judge(criterion, Runs(rows, ()), redraws=20)
    assert judged.verdict is Verdict.UNDECIDED and judged.value == pytest.approx(1.5)


def two_campaigns(low: float, lower: float) -> Runs:
    """mpcc is ahead of LIA in most networks; every fifth has `low` or `lower`."""
    factor = np.full(100, 1.5) + 0.001 * CAPACITIES
    one, other = factor.copy(), factor.copy()
    one[::5], other[::5] = low, lower
    return Runs(runs(one), ("link1.capacity_mbps",), runs(other))


OVER = {
    **{"statistic": "p5_difference", "metric": "steady.jain", "relation": ">"},
    **{"value": 0, "rows": "a; case=mpcc", "against": "b; case=mpcc"},
    "over": "case=lia",
}


@pytest.mark.parametrize(
    ("low", "lower", "verdict"),
    [(0.9, 0.5, "agrees"), (0.5, 0.9, "differs"), (0.9, 0.9, "differs")],
)
def test_percentiles_of_the_ratios_of_two_campaigns(
    low: float, lower: float, verdict: str
) -> None:
    """Each campaign's case is divided by LIA of its own campaign."""
    criterion = criteria.parse(OVER)
    given = two_campaigns(low, lower)
    found, wanted = find(criterion, given)
    assert wanted == 0 and found.value == pytest.approx(low - lower)
    assert found.n == 200
    judged = judge(criterion, given, redraws=200)
    assert judged.verdict.value == verdict
    assert judged.value == pytest.approx(found.value)


def test_runs_are_divided_by_those_of_their_own_campaign() -> None:
    with pytest.raises(ValueError, match="over: 'b' names a campaign; give conditions"):
        criteria.parse({**OVER, "over": "b; case=lia"})


EXPERIMENT = """
name: f
topology: two_links
cases:
  lia: {protocol: mptcp, congestion_control: lia}
  olia: {protocol: mptcp, congestion_control: olia}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 9 s}
  - {tool: iperf3, from: single2, to: server_single2, duration: 9 s}
phases: {steady: 3 s..9 s}
metrics: [jain, goodput]
figures:
  - {kind: ratios, metric: jain, over: lia, part: steady}
  - {kind: table, metric: goodput, part: steady.single2}
"""


def test_a_part_of_a_run_is_checked() -> None:
    jain, goodput = loads(EXPERIMENT, "f.yaml").figures
    assert (jain.part, goodput.part) == ("steady", "steady.single2")
    for old, new, message in (
        ("steady.single2", "stead.single2", "f.yaml:14: .*did you mean 'steady'"),
        ("steady.single2", "steady.single3", "f.yaml:14: .*did you mean 'single2'"),
        ("over: lia", "over: balia", "f.yaml:13: .*no case 'balia'"),
        ("over: lia, ", "", "f.yaml:13: .*over: missing"),
    ):
        with pytest.raises(UserError, match=message):
            loads(EXPERIMENT.replace(old, new), "f.yaml")
