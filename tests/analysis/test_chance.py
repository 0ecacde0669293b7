"""Points drawn again: against a naive second implementation, and what must hold."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.published import resampling, selection, statements

PAIRED: dict[str, Any] = {
    **dict(id="s", section="", page="", figure="", statement="", criterion=""),
    **dict(statistic="median_distance", metric="y", above=None, up_to=None),
    **dict(relation="<", value="", tolerance=0.0),
    "rows": selection.read("case=one"),
    "against": selection.read("case=two"),
}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "RESAMPLES", 200)


def rows(seed: int, points: int, shift: float) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    one = generator.normal(size=points) + shift
    two = generator.normal(size=points) + 0.5
    return pd.DataFrame(
        {
            "point": np.tile(np.arange(points), 2),
            "repetition": 0,
            "case": ["one"] * points + ["two"] * points,
            "y": np.concatenate([one, two]),
        }
    )


def naive(frame: pd.DataFrame, seed: int) -> float:
    """Row by row, with other random numbers."""
    generator = np.random.default_rng(seed)
    values = {
        case: dict(zip(group["point"], group["y"], strict=True))
        for case, group in frame.groupby("case")
    }
    points, held = sorted(values["one"]), 0
    for _ in range(200):
        drawn = [points[i] for i in generator.integers(len(points), size=len(points))]
        one, two = (np.median([values[c][p] for p in drawn]) for c in ("one", "two"))
        held += abs(one) < abs(two)
    return held / 200


@pytest.mark.parametrize("shift", [0.0, 0.6, 3.0])
def test_as_a_naive_second_implementation(shift: float) -> None:
    statement = statements.Statement(**PAIRED)
    frame = rows(7, 30, shift)
    got = resampling.odds(statement, frame, (), None, np.random.default_rng(1))
    assert got == pytest.approx(naive(frame, 2), abs=0.15)


@pytest.mark.slow
def test_rows_of_a_point_stay_together_and_equal_seeds_give_equal_odds() -> None:
    """A constant shift of each pair is found in every design."""
    frame = rows(3, 20, 0.0)
    second = frame["case"] == "two"
    frame.loc[second, "y"] = frame.loc[~second, "y"].to_numpy() + 1.0
    ahead = statements.Statement(**{**PAIRED, "statistic": "paired", "value": "0"})
    asked = (ahead, frame, (), None)
    assert resampling.odds(*asked, np.random.default_rng(0)) == 1.0
    distance = statements.Statement(**PAIRED)
    twice = [
        resampling.odds(distance, frame, (), None, np.random.default_rng(5))
        for _ in "ab"
    ]
    assert twice[0] == twice[1]


def test_what_a_test_answers_is_refused() -> None:
    statement = statements.Statement(**{**PAIRED, "relation": "insignificant"})
    with pytest.raises(ValueError, match="no comparison"):
        resampling.odds(statement, rows(1, 9, 0.0), (), None, np.random.default_rng(0))
