"""Judgement of a release's runs."""

from dataclasses import replace

import pytest

from mpbench.backends.features import Features
from validation import releases
from validation.releases import Outcome

OWN = Outcome("7.3.4", "k" * 16, [20.0, 15.0], True, {}, {})


@pytest.mark.parametrize(
    ("goodput_mbps", "same", "words"),
    [
        (20.19, True, ""),
        (19.81, True, ""),
        (20.21, True, "goodput differs by more than 1 %"),
        (19.79, True, "goodput differs by more than 1 %"),
        (20.0, False, "two executions left other bytes"),
    ],
)
def test_a_release_passes_within_a_percent_and_with_the_same_bytes(
    goodput_mbps: float, same: bool, words: str
) -> None:
    one = replace(OWN, goodput_mbps=[goodput_mbps, 1.0], same=same)
    assert "; ".join(releases.faults(one, OWN)) == words


def test_features_that_one_of_two_kernels_has() -> None:
    new = Features(("cubic",), ("default",), (), ("a", "b"), ("x",), False, "7.3.4")
    old = replace(new, sysctls=("a",), counters=("x", "y"))
    assert releases.beyond(new, old) == {"sysctls": ["b"]}
    assert releases.beyond(old, new) == {"counters": ["y"]}


def test_the_figures_are_told() -> None:
    one = replace(OWN, version="6.12.118", lacks={"sysctls": ["b"]})
    assert releases.sentence("6.12", one, OWN) == (
        "6.12: Linux 6.12.118, kernel kkkkkkkkkkkkkkkk: 20.000, 15.000 Mbit/s"
        " (+0.00 % without loss); same bytes twice\n    lacks sysctls: b"
    )
