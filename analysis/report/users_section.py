"""Goodput by user and by phase, as a table of a page."""

from collections.abc import Iterator

import pandas as pd

from analysis.campaign.numbers import quartiles
from analysis.report.markdown import markdown

GOODPUT = ".goodput_mbps"
FAIRNESS = ".jain"


def lines(runs: pd.DataFrame) -> Iterator[str]:
    """Medians and quartiles per case; no section for one user without phases.

    runs : the rows that enter statistics
    """
    columns = [
        name
        for name in runs.columns
        if name.endswith((GOODPUT, FAIRNESS)) and runs[name].notna().any()
    ]
    if not columns:
        return
    yield "## Users and phases"
    yield ""
    head = ["case", "n", *(_title(name) for name in columns)]
    rows = []
    for case, group in runs.groupby("case", sort=False):
        cells = [quartiles(group[name]) for name in columns]
        rows.append([str(case), str(len(group)), *cells])
    yield from markdown(head, rows, numbers_from=1)


def _title(name: str) -> str:
    """`alone: multi [Mbit/s]` for `alone.multi.goodput_mbps`."""
    words = name.removesuffix(GOODPUT).removesuffix(FAIRNESS).replace(".", ": ")
    return f"{words} [Mbit/s]" if name.endswith(GOODPUT) else f"{words}, Jain's index"
