"""Which runs a statement is of, and what is asked of two sets of runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.campaign.campaign import Campaign
from analysis.published import answers, findings, selection, statements
from analysis.published.statistics import STATISTICS, Question
from analysis.published.two_sample import TWO_SAMPLE

NETWORK = {"path1.capacity_mbps": range(20), "repetition": 0}


def runs(values: object, **more: object) -> pd.DataFrame:
    return pd.DataFrame({**NETWORK, "m": values, **more})


def asked(metric: str = "m", threshold: float = 0.0) -> Question:
    return Question(metric, "", None, None, (), threshold)


def test_a_selection_is_a_campaign_and_conditions() -> None:
    read = selection.read("bulk-low-bdp; case=lia; delay_ms < 5;delay_ms>=1")
    assert read.campaign == "bulk-low-bdp"
    assert read.cases == ("lia",)
    frame = pd.DataFrame(
        {"case": ["lia", "lia", "olia", "lia"], "delay_ms": [1.0, 5.0, 2.0, np.nan]}
    )
    assert list(read.of(frame).index) == [0]
    assert selection.read("") == selection.Selection()


@pytest.mark.parametrize("text", ["a; b", "delay ms < 5", "case=a=b c", "x !! 3"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no condition; write column<1"):
        selection.read(text)


def test_shift_tells_of_medians() -> None:
    one = runs(np.arange(20) + 15.0)
    found = TWO_SAMPLE["shift"](one, runs(np.arange(20.0)), asked())
    assert found.value == 15
    assert found.p is not None and found.p < 0.001
    alike = TWO_SAMPLE["shift"](one, one, asked())
    assert alike.p is not None and alike.p > 0.9


def test_pairs_are_of_the_same_network() -> None:
    values = np.random.default_rng(1).uniform(0, 100, 20)
    one = runs(values + 0.1)
    other = runs(values).sample(frac=1, random_state=2)
    found = TWO_SAMPLE["paired"](one, other, asked())
    assert found.n == 20 and found.value == pytest.approx(0.1)
    assert found.p is not None and found.p < 0.001
    assert TWO_SAMPLE["paired"](one, one, asked()).p == 1.0
    assert TWO_SAMPLE["part_ahead"](one, other, asked()).value == 1
    assert TWO_SAMPLE["part_ahead"](one, one, asked()).value == 1
    assert TWO_SAMPLE["part_ahead"](other, one, asked()).value == 0


def test_pairs_mind_the_size_where_there_are_several() -> None:
    sizes = [8000, 32000] * 10
    one = runs(np.arange(20.0), **{"traffic.size_bytes": sizes})
    one["path1.capacity_mbps"] = np.repeat(np.arange(10), 2)
    found = TWO_SAMPLE["paired"](one, one.assign(m=one["m"] - 3), asked())
    assert found.n == 20 and found.value == 3
    small, large = (one[one["traffic.size_bytes"] == size] for size in (8000, 32000))
    assert TWO_SAMPLE["paired"](large, small, asked()).value == 1


def test_mirrored_tells_symmetry_from_its_absence() -> None:
    values = np.linspace(0, 1, 200)
    one, other = pd.DataFrame({"m": values**2}), pd.DataFrame({"m": 1 - values**2})
    symmetric = TWO_SAMPLE["mirrored"](one, other, asked())
    assert symmetric.value == pytest.approx(0, abs=0.01)
    skewed = TWO_SAMPLE["mirrored"](one, one, asked())
    assert skewed.p is not None and skewed.p < 0.01


def test_parts_spread_and_errors() -> None:
    frame = runs(np.arange(20.0))
    assert STATISTICS["part_above"](frame, asked(threshold=14)).value == 0.25
    assert STATISTICS["part_below"](frame, asked(threshold=1)).value == 0.05
    assert STATISTICS["spread"](frame, asked()).value == 9.5
    assert STATISTICS["mean"](frame, asked()).value == 9.5
    three = pd.DataFrame({"m": [3.0, -4.0]})
    assert STATISTICS["rms"](three, asked()).value == pytest.approx(12.5**0.5)


def test_parts_within_and_beyond_and_imbalance() -> None:
    frame = runs([-0.3, 0.0, 0.2, 0.995, 1.0] * 4)
    assert STATISTICS["part_within"](frame, asked(threshold=0.2)).value == 0.4
    shares = runs([0.001, 0.004, 0.5, 0.6, 0.995] * 4)
    assert STATISTICS["part_beyond"](shares, asked(threshold=0.99)).value == 0.6
    assert STATISTICS["part_above"](shares, asked(threshold=0.99)).value == 0.2
    assert STATISTICS["imbalance"](shares, asked()).value == pytest.approx(0.495)


def test_the_main_factor_is_that_with_the_stronger_trend() -> None:
    generator = np.random.default_rng(5)
    capacity, delay = generator.normal(size=(2, 200))
    frame = pd.DataFrame(
        {
            "m": 3 * capacity - delay,
            "capacity_difference_mbps": capacity,
            "delay_difference_ms": delay,
        }
    )
    for name, sign in (("capacity_difference_mbps", 1), ("delay_difference_ms", -1)):
        question = Question("m", name, None, None, ())
        found = STATISTICS["main_signed_factor"](frame, question)
        assert sign * found.value == pytest.approx(0.95 - 0.3, abs=0.2)
    absolute = STATISTICS["main_factor"](frame, question)
    assert abs(absolute.value) < 0.2
    with pytest.raises(ValueError, match="has capacity_difference_mbps"):
        STATISTICS["main_factor"](frame, Question("m", "m", None, None, ()))


def test_signed_trend_minds_the_sign() -> None:
    frame = pd.DataFrame({"m": np.arange(21.0), "d": np.arange(-10.0, 11)})
    question = Question("m", "d", None, None, ())
    assert STATISTICS["signed_trend"](frame, question).value == pytest.approx(1)
    assert abs(STATISTICS["trend"](frame, question).value) < 0.1


HEAD = ",".join((*statements.COLUMNS, *statements.MORE_COLUMNS))


def one(tmp_path: Path, line: str) -> statements.Statement:
    path = tmp_path / "some.csv"
    path.write_text(f"{HEAD}\n{line}\n")
    (read,) = statements.read(path)
    return read


def test_a_statement_is_set_against_other_runs(tmp_path: Path) -> None:
    line = "x,1,2,3.4,text,median,m,,,,<,,,one; path1.capacity_mbps>9,two,"
    said = one(tmp_path, line)
    assert not said.of("one") and said.criterion.sets.rows.campaign == "one"
    mine, other = runs(np.arange(20.0)), runs(np.full(20, 15.0))
    finding, wanted = findings.find(said.criterion, findings.Runs(mine, (), other))
    assert (finding.value, wanted, finding.n) == (14.5, 15, 10)
    assert finding.text == "median 14.5 (against median 15)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x,1,2,3.4,text,shift,m,,,,<,0,,,,", ":2: shift needs runs to compare with"),
        ("x,1,2,3.4,text,median,m,,,,<,0,,a b,,", ":2: 'a b' is no condition"),
        ("x,1,2,3.4,text,part_above,m,,,,<,0,,,,many", ":2: could not convert"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one(tmp_path, line)


def test_a_column_that_is_not_there_is_said() -> None:
    said = statements.read(PUBLISHED / "thesis-appendix-c.yaml")[0]
    frame = runs(np.arange(20.0)).assign(protocol="mptcp", verdict="ok")
    given = answers.answer(said, {"ab-low-bdp": Campaign("ab-low-bdp", frame)})
    assert given.verdict is None and "no column" in given.main.ours
    absent = answers.answer(said, {})
    assert absent.main.ours == "not measured: no results of ab-low-bdp"


PUBLISHED = Path(__file__).parents[2] / "results/published"
