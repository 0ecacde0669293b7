"""Independent observations among the runs of a campaign."""

import warnings

import pandas as pd

from analysis.campaign.observations import distinct, networks


def test_a_wide_table_says_nothing_to_the_user() -> None:
    """pandas warned of its speed on the terminal, for tables of 300 columns."""
    places = {"point": [0, 0, 1, 1], "case": ["a"] * 4, "repetition": [0, 1, 0, 1]}
    numbers = {f"n{i}_mbps": [1.0, 2.0, 3.0, 5.0] for i in range(200)}
    words = {f"w{i}": ["x", "y", "x", "x"] for i in range(100)}
    rows = pd.DataFrame({**places, **numbers, **words})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = networks(rows, ["case"])
    assert list(found.columns) == list(rows.columns)
    assert found["n7_mbps"].tolist() == [1.5, 4.0]
    assert found["w3"].tolist() == ["x", "x"]


def test_repetitions_without_noise_are_one_observation() -> None:
    """Network 0 draws nothing; of network 1, two of three repetitions are the same."""
    rows = pd.DataFrame(
        {
            "point": [0, 0, 1, 1, 1],
            "repetition": [0, 1, 0, 1, 2],
            "goodput_mbps": [5.0, 5.0, 7.0, 7.0, 8.0],
        }
    )
    assert distinct(rows, ["point"]).index.tolist() == [0, 2, 3, 4]
