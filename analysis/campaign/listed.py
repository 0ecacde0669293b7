"""Factors that an experiment lists, and how they split a table.

A list is crossed with the networks, so that a network comes once with each value. A
median over file sizes is no median over networks.
"""

from collections.abc import Sequence
from math import prod

import pandas as pd

from analysis.campaign.columns import TRAFFIC
from analysis.campaign.numbers import is_number

MOST_GROUPS = 24
"""The most groups that a table is split into."""
FEW_VALUES = 12
"""Of a campaign whose experiment cannot be read, a number of the traffic with no more
values than these counts as listed."""


def factors(
    runs: pd.DataFrame, varied: Sequence[str], listed: Sequence[str] | None
) -> list[str]:
    """The columns of listed factors, those of the traffic first.

    varied : columns of all factors
    listed : those that the experiment lists; None where it cannot be read
    """
    if listed is None:
        listed = [
            name
            for name in varied
            if name.startswith(TRAFFIC)
            and is_number(runs, name)
            and runs[name].nunique() <= FEW_VALUES
        ]
    known = [name for name in listed if name in runs.columns]
    return sorted(known, key=lambda name: not name.startswith(TRAFFIC))


def splitting(runs: pd.DataFrame, listed: Sequence[str]) -> list[str]:
    """Those of the listed factors that split a table, as long as the groups are few."""
    taken: list[str] = []
    for name in listed:
        counts = [runs[each].nunique() for each in (*taken, name)]
        if counts[-1] > 1 and prod(counts) <= MOST_GROUPS:
            taken.append(name)
    return taken


def crossed(
    runs: pd.DataFrame, varied: Sequence[str], listed: Sequence[str]
) -> list[str]:
    """The listed factors of which a network has every value.

    In a design that spreads points over ranges, these are all of them. Points of a grid
    are networks of their own, so there the traffic's count alone.
    """
    if set(varied) <= set(listed):
        listed = [name for name in listed if name.startswith(TRAFFIC)]
    return [name for name in listed if runs[name].nunique() > 1]


def value_text(value: object) -> str:
    """The value of a listed factor, a number or a word."""
    return str(value) if isinstance(value, str) else f"{value:.12g}"
