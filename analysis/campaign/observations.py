"""Independent observations among the runs of a campaign."""

from collections.abc import Sequence

import pandas as pd

NO_RESULT = ("id", "repetition")
"""Columns in which repetitions differ although nothing differed."""
CHANGED = ".delay_change_percent"
"""With this end columns of what a repetition was given, which are no results either."""


def networks(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """One row per network, repetitions averaged; so that n counts networks.

    rows : runs, one per row
    keys : columns that split the rows into the groups of a figure

    Repetitions of a network are not independent samples of networks. Where every group
    has a single network, its repetitions are the samples and the rows stay as they
    are; repetitions that are all identical, of a network without noise, are one sample.
    Of columns that hold no numbers, the first value is kept.
    """
    if rows.empty or "point" not in rows.columns:
        return rows
    by_group = rows.groupby(list(keys), observed=True, sort=False)
    if int(by_group["point"].nunique().max()) < 2:
        return distinct(rows, keys)
    if not rows.duplicated([*keys, "point"]).any():
        return rows
    how = {
        name: "mean" if pd.api.types.is_numeric_dtype(rows[name]) else "first"
        for name in rows.columns
        if name not in (*keys, "point")
    }
    grouped = rows.groupby([*keys, "point"], observed=True, sort=False)
    # pandas puts columns of keys into a table of many parts slowly, and says so.
    return grouped.agg(how).copy().reset_index()[list(rows.columns)]


def distinct(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The rows, with one for each group in which all measured the same."""
    measured = [
        name
        for name in rows.columns
        if name not in NO_RESULT and not str(name).endswith(CHANGED)
    ]
    first = ~rows.duplicated(measured)
    groups = [rows[name] for name in keys]
    counts = first.groupby(groups, observed=True, sort=False).transform("sum")
    return rows[first | (counts > 1)]
