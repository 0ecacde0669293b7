"""Goodput by user and by phase, as a table of a page."""

from collections.abc import Iterator, Sequence

import pandas as pd

from analysis.campaign import listed
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain_label
from analysis.campaign.numbers import quartiles
from analysis.campaign.observations import networks
from analysis.report.markdown import markdown

GOODPUT = ".goodput_mbps"
FAIRNESS = ".jain"


def lines(campaign: Campaign) -> Iterator[str]:
    """Medians and quartiles over networks; no section for one user without phases.

    Each value of a listed factor has a row, as in the section on metrics.
    """
    runs = campaign.ok_runs
    columns = _different(
        runs,
        [
            name
            for name in runs.columns
            if name.endswith((GOODPUT, FAIRNESS)) and runs[name].notna().any()
        ],
    )
    if not columns:
        return
    yield "## Users and phases"
    yield ""
    every = listed.factors(runs, campaign.factors, campaign.listed)
    split = listed.splitting(runs, every)
    head = ["case", *map(plain_label, split), "n", *map(_title, columns)]
    rows = []
    keys = ["case", *split]
    for (case, *values), group in networks(runs, keys).groupby(keys, sort=False):
        cells = [quartiles(group[name]) for name in columns]
        place = [str(case), *map(listed.value_text, values)]
        rows.append([*place, str(len(group)), *cells])
    yield from markdown(head, rows, numbers_from=1)


def _different(runs: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """The columns, without one that is equal to a column before it in every run.

    An entry that is alone in a phase has all goodput of the phase.
    """
    kept: list[str] = []
    for name in names:
        if not any(runs[name].equals(runs[other]) for other in kept):
            kept.append(name)
    return kept


def _title(name: str) -> str:
    """`alone: multi [Mbit/s]` for `alone.multi.goodput_mbps`."""
    words = name.removesuffix(GOODPUT).removesuffix(FAIRNESS).replace(".", ": ")
    return f"{words} [Mbit/s]" if name.endswith(GOODPUT) else f"{words}, Jain's index"
