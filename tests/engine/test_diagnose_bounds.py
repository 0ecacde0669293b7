"""Bounds of the search for unknown settings: of its file, its rounds and its runs."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.campaign.diagnosis import Observation, Unknown
from mpbench.engine import diagnose
from mpbench.engine.diagnose import Search
from mpbench.engine.unknowns import Asked
from mpbench.errors import UserError
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from tests.engine.test_diagnose import TEXT, Runs, asked, searched

UNKNOWNS = "unknown:\n  path1.queue: [10, 1000]\n  path1.loss: any\n"


def unknown(tmp_path: Path, name: str, given: str) -> Unknown:
    """The unknown that a file gives by a name."""
    own = UNKNOWNS + "  congestion_control: [cubic, bbr]\n"
    assert own in TEXT
    (found,) = asked(
        tmp_path, TEXT.replace(own, f"unknown: {{{name}: {given}}}\n")
    ).unknown
    return found


def observed(tmp_path: Path, given: str) -> Observation:
    text = TEXT.replace("{goodput: 12 Mbit/s, within: 5 %}", given)
    (found,) = asked(tmp_path, text).observed
    return found


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("path2.capacity", 1, 100),
        ("path1.delay", 1, 200),
        ("path1.jitter", 0, 20),
        ("path1.loss", 0, 2),
        ("path1.queue", 2, 1000),
    ],
)
def test_any_is_a_usual_range(
    tmp_path: Path, name: str, low: float, high: float
) -> None:
    found = unknown(tmp_path, name, "any")
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("[10, 11]", ""),
        ("[11, 10]", "11 is not below 10"),
        ("[10, 10]", "10 is not below 10"),
        ("[10.5, 12]", "expected whole numbers"),
        ("[10, 12.5]", "expected whole numbers"),
        ("[11, 13]", ""),
        ("[1, 2, 3]", "expected [LEAST, GREATEST], or any"),
    ],
)
def test_a_range_of_packets(tmp_path: Path, given: str, reason: str) -> None:
    if reason:
        with pytest.raises(UserError, match=re.escape(reason)):
            unknown(tmp_path, "path1.queue", given)
    else:
        assert unknown(tmp_path, "path1.queue", given).whole


@pytest.mark.parametrize(
    ("given", "value", "within"),
    [
        ("{goodput: 12 Mbit/s}", 12, 0.05),
        ("{goodput: 12 Mbit/s, within: 100 %}", 12, 1),
        ("{goodput: 12 Mbit/s, within: 0.000001 %}", 12, 1e-8),
        ("{goodput: 2 Gbit/s, within: 3 %}", 2000, 0.03),
        ("{retransmission_ratio: 2 %}", 0.02, 0.05),
        ("{retransmission_ratio: 0.5}", 0.5, 0.05),
        ("{retransmission_ratio: 1.0e+15}", 1e15, 0.05),
        ("{retransmission_ratio: 1.0e-15}", 1e-15, 0.05),
    ],
)
def test_what_can_be_observed(
    tmp_path: Path, given: str, value: float, within: float
) -> None:
    found = observed(tmp_path, given)
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.within == pytest.approx(within, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("{goodput: 12 Mbit/s, within: 100.1 %}", "100.1 % is not from 1e-06 to 100"),
        ("{goodput: 12 Mbit/s, within: 0.0000009 %}", "is not from 1e-06 to 100 %"),
        ("{retransmission_ratio: 1.1e+15}", "is no value of a metric"),
        ("{retransmission_ratio: 0.9e-15}", "is no value of a metric"),
        ("{retransmission_ratio: true}", "'True' is not a number"),
        ("{retransmission_ratio: 0}", "0 has no tolerance in percent"),
        ("{within: 5 %}", "needs a metric with its value"),
        ("12", "needs a metric with its value"),
    ],
)
def test_what_cannot_be_observed(tmp_path: Path, given: str, reason: str) -> None:
    with pytest.raises(UserError, match=re.escape(reason)):
        observed(tmp_path, given)


@pytest.mark.parametrize("given", ["{}", "12", "[]"])
def test_a_search_needs_an_unknown(tmp_path: Path, given: str) -> None:
    own = UNKNOWNS + "  congestion_control: [cubic, bbr]\n"
    with pytest.raises(UserError, match="needs at least one setting"):
        asked(tmp_path, TEXT.replace(own, f"unknown: {given}\n"))


@pytest.mark.parametrize(
    ("rounds", "runs", "shares"),
    [
        (1, 120, [120]),
        (2, 120, [60, 60]),
        (3, 120, [60, 30, 30]),
        (4, 61, [30, 10, 10]),
    ],
)
def test_half_of_the_runs_are_the_first_round(
    tmp_path: Path, rounds: int, runs: int, shares: list[int]
) -> None:
    search = searched(tmp_path, runs=runs)
    search.rounds = rounds
    found = [search._share(number) for number in range(1, len(shares) + 1)]
    assert found == shares


@pytest.mark.parametrize(
    ("ecn", "retries", "count"),
    [([0, 1, 2], [5, 6, 7, 8], 24), ([0, 1], range(8, 15), 28)],
)
def test_24_combinations_are_searched_and_no_more(
    tmp_path: Path, ecn: Sequence[int], retries: Sequence[int], count: int
) -> None:
    lists = {"net.ipv4.tcp_ecn": ecn, "net.ipv4.tcp_retries2": retries}
    more = "".join(f"  {name}: {[*values]}\n" for name, values in lists.items())
    search = searched(tmp_path, TEXT.replace("cases:", f"{more}cases:"))
    if count == 24:
        search.check()
    else:
        with pytest.raises(UserError, match=f"{count} combinations; at most 24"):
            search.check()


def test_runs_that_are_asked_for_may_be_needed_ten_times(tmp_path: Path) -> None:
    """Two combinations with five points in three rounds are 30 runs."""
    for runs, told in ((30, 0), (29, 1), (3, 1)):
        said: list[str] = []
        search = searched(tmp_path, runs=runs)
        search.say = said.append
        search.check()
        assert len(said) == told
    with pytest.raises(UserError, match="30 runs, and --runs asks for 2; repeat less"):
        searched(tmp_path, runs=2).check()


def test_a_round_is_a_design_of_2000_candidates(tmp_path: Path) -> None:
    search = searched(tmp_path)
    spec = search._spec(search.asked.unknown, 1)
    assert spec.design is not None
    assert (spec.design.candidates, spec.design.seed) == (2000, 1)
    assert spec.design.points == search._share(1) // 2
    few = searched(tmp_path, runs=4)._spec(search.asked.unknown, 2)
    assert few.design is not None and few.design.points == 5


class Recorded(Runs):
    """Keeps the folders from which each round may take runs."""

    def __init__(self) -> None:
        super().__init__()
        self.others: list[list[str]] = []

    def __call__(
        self, spec: Spec, plan: Plan, folder: Path, others: Sequence[Path]
    ) -> pd.DataFrame:
        self.others.append([each.name for each in others])
        return super().__call__(spec, plan, folder, others)


def test_a_round_takes_runs_of_all_rounds_before(tmp_path: Path) -> None:
    runs = Recorded()
    text = TEXT.replace("12 Mbit/s", "40 Mbit/s")
    Search(asked(tmp_path, text), tmp_path / "out", {}, runs, lambda _: None, 60).run()
    names = [f"round-{number}" for number in range(1, len(runs.others) + 1)]
    assert len(names) >= 2 and runs.folders == names
    assert runs.others == [names[:number] for number in range(len(names))]


def a_range(low: float, high: float) -> Unknown:
    return Unknown("path1.queue", "path1.queue_packets", "", (), low, high, True)


@pytest.mark.parametrize(("high", "shrank"), [(79, True), (80, False), (100, False)])
def test_a_round_looks_closer_with_a_fifth_less(high: float, shrank: bool) -> None:
    words = Unknown("congestion_control", "congestion_control", "", ("cubic", "bbr"))
    before, after = [words, a_range(0, 100)], [words, a_range(0, high)]
    assert diagnose._shrank(before, after) == shrank
    moved = [words, a_range(1000, 1000 + high)]
    assert diagnose._shrank(before, moved) == shrank
    assert not diagnose._shrank([words], [words])


def test_one_region_that_gets_smaller_is_worth_a_round() -> None:
    """So is one that is found or lost."""
    small, large = [a_range(0, 50)], [a_range(0, 100)]
    assert diagnose._all_shrank([large, large], [large, small])
    assert diagnose._all_shrank([large, large], [small, large])
    assert not diagnose._all_shrank([large, large], [large, large])
    assert diagnose._all_shrank([large, large], [large])
    assert diagnose._all_shrank([large], [large, large])


def judged(
    tmp_path: Path, goodputs: list[float], ratios: list[float], **more: list[float]
) -> Search:
    """A search whose first round had runs with these results."""
    text = TEXT.replace("within:", "retransmission_ratio: 0.5, within:")
    found: Asked = asked(tmp_path, text)
    search = Search(found, tmp_path / "out", {}, Runs(), lambda _: None, 120)
    count = len(goodputs)
    rows = pd.DataFrame(
        {
            "id": [str(n) for n in range(count)],
            "round": 1,
            "verdict": "ok",
            "goodput_mbps": goodputs,
            "retransmission_ratio": ratios,
            "path1.queue_packets": np.linspace(10, 1000, count),
            "path1.loss_percent": [n * 7 % count / count for n in range(count)],
            "congestion_control": ["cubic", "bbr"] * (count // 2),
            **more,
        }
    )
    search._tables.append(rows)
    return search


def test_runs_without_the_metric_are_left_out(tmp_path: Path) -> None:
    goodputs = [12.6, 12.601, *[float("nan")] * 2, 12.0, 12.0]
    found = judged(tmp_path, goodputs, [0.5] * 6)._diagnosis()
    assert found.rows["id"].tolist() == ["0", "1", "4", "5"]
    # 5 % of 12 are 0.6: a run at the end of the tolerance fits.
    assert sorted(found.fits["id"]) == ["0", "4", "5"]
    with pytest.raises(UserError, match="no run has goodput, retransmission_ratio"):
        judged(tmp_path, [float("nan")] * 4, [0.5] * 4)._judged()


def test_a_run_at_the_end_of_its_tolerance_fits(tmp_path: Path) -> None:
    times_ms = [20.0, 80.0, 21.0, 79.0]
    search = judged(tmp_path, [15.0, 12.0] * 2, [0.5] * 4, srtt_ms=times_ms)
    wide = [replace(one, within=0.25) for one in search.asked.observed]
    search.asked = replace(search.asked, observed=tuple(wide))
    found = search._diagnosis()
    assert sorted(found.fits["id"]) == ["0", "1", "2", "3"]
    (told,) = [one for one in found.differences if one.unknown == "congestion_control"]
    assert told.means == {"cubic": 20.5, "bbr": 79.5}


def test_a_setting_matters_as_much_as_for_any_metric(tmp_path: Path) -> None:
    """The queue decides the goodput, and nothing decides the other metric."""
    goodputs = [float(n) for n in range(40)]
    found = judged(tmp_path, goodputs, [0.5] * 40)._diagnosis()
    assert found.influence["path1.queue"] > 0.9
