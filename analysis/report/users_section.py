"""Goodput by user and by phase, as a table of a page."""

from collections.abc import Iterator

import pandas as pd

from analysis.campaign.numbers import quartiles
from analysis.report.markdown import markdown

GOODPUT = ".goodput_mbps"
FAIRNESS = ".jain"


def lines(good: pd.DataFrame) -> Iterator[str]:
    """Medians and quartiles of each case; nothing where there is one user and no
    phase.

    good : the runs that enter statistics
    """
    columns = [
        name
        for name in good.columns
        if name.endswith((GOODPUT, FAIRNESS)) and good[name].notna().any()
    ]
    if not columns:
        return
    yield "## Users and phases"
    yield ""
    head = ["case", "n", *(_title(name) for name in columns)]
    rows = []
    for case, mine in good.groupby("case", sort=False):
        cells = [quartiles(mine[name]) for name in columns]
        rows.append([str(case), str(len(mine)), *cells])
    yield from markdown(head, rows, numbers_from=1)


def _title(name: str) -> str:
    """`alone.multi.goodput_mbps` as `alone: multi [Mbit/s]`."""
    words = name.removesuffix(GOODPUT).removesuffix(FAIRNESS).replace(".", ": ")
    return f"{words} [Mbit/s]" if name.endswith(GOODPUT) else f"{words}, Jain's index"
