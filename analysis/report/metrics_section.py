"""Medians of a campaign's metrics by case, as a section of its page."""

from collections.abc import Iterator, Sequence

import pandas as pd

from analysis.campaign import absent, listed
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import (
    DESIGN_WEIGHT,
    column_of,
    label,
    metric_columns,
    without_mathematics,
)
from analysis.campaign.numbers import is_number, quartiles, weighted_quartiles
from analysis.campaign.observations import networks
from analysis.campaign.path_shares import MULTIPATH_METRICS, multipath
from analysis.report.markdown import markdown


def lines(campaign: Campaign) -> Iterator[str]:
    """Median and quartiles of the experiment's metrics over all runs, by case.

    Each value of a listed factor, such as a size, has a row. Several traffic entries
    have a column each. A campaign with weights of its networks gets a second table,
    which uses them.
    """
    runs = campaign.ok_runs
    columns = {metric: campaign.columns(metric) for metric in campaign.metrics}
    known = [
        name
        for names in columns.values()
        for name in names
        if is_number(runs, name) and runs[name].notna().any()
    ]
    if runs.empty or not known:
        return
    yield "## Metrics"
    yield ""
    every = listed.factors(runs, campaign.factors, campaign.listed)
    split = listed.splitting(runs, every)
    yield from _table(runs, split, known, weighted=False)
    whole = [name for name in every if name not in split and runs[name].nunique() > 1]
    yield " ".join(_reading(whole))
    yield ""
    if DESIGN_WEIGHT in runs.columns:
        yield from _table(runs, split, known, weighted=True)
        yield (
            "This table gives every place of the design's domain the same weight: a"
            " network counts as much as the share of the domain that is nearest to it."
            " A median that differs much from the first table leans on how the design"
            " spreads its networks, for example on those at the ends of the ranges."
        )
        yield ""
    unknown = [m for m, names in columns.items() if not set(names) & set(known)]
    if unknown:
        yield "No run with the verdict ok has these metrics:"
        yield ""
        yield from (f"- `{name}`: {_why(runs, name)}." for name in unknown)
        yield ""
    some = list(_missing_in_cases(runs, [m for m in columns if m not in unknown]))
    if some:
        yield "Some cases lack a metric:"
        yield ""
        yield from (f"- {line}." for line in some)
        yield ""


def _why(runs: pd.DataFrame, metric: str) -> str:
    """The reasons that rows give for the absence of a metric."""
    return ", or ".join(absent.reasons(runs, metric)) or "no reason is known"


def _missing_in_cases(runs: pd.DataFrame, metrics: Sequence[str]) -> Iterator[str]:
    """The cases that lack a metric that others have, and why."""
    for metric in metrics:
        lacking: dict[str, list[str]] = {}
        for case, group in runs.groupby("case", sort=False):
            columns = [n for n in metric_columns(metric, runs, ()) if n in runs.columns]
            if columns and group[columns].isna().all().all():
                lacking.setdefault(_why(group, metric), []).append(f"`{case}`")
        for reason, cases in lacking.items():
            yield f"`{metric}`: {', '.join(cases)}: {reason}"


def _reading(together: Sequence[str]) -> Iterator[str]:
    """Sentences on what a row counts.

    together : listed factors with so many values that they do not split the table
    """
    yield "The table shows the median of each case with the first and third quartile."
    if together:
        names = " and ".join(without_mathematics(label(name)) for name in together)
        yield f"n counts points of the design: networks, each with every {names}."
    else:
        yield "n counts networks, whose repetitions are averaged."
    yield (
        "For a single network, n counts repetitions, and repetitions that are all"
        " identical count as one. The table of runs has all metrics of every run."
    )


def _table(
    runs: pd.DataFrame, split: list[str], known: list[str], weighted: bool
) -> Iterator[str]:
    """Median and quartiles of each case, in which networks have weights or not."""
    rows = []
    of_several = {column_of(metric, runs) for metric in MULTIPATH_METRICS}
    samples = networks(runs, ["case", *split])
    for (case, *values), group in samples.groupby(["case", *split], sort=False):
        idle = of_several if multipath(group).empty else set()
        cells = [
            "-" if name in idle else _cell(group, name, weighted) for name in known
        ]
        place = [str(case), *map(listed.value_text, values)]
        rows.append([*place, str(len(group)), *cells])
    names = [without_mathematics(label(name)) for name in (*split, "n", *known)]
    yield from markdown(["case", *names], rows, numbers_from=1)


def _cell(group: pd.DataFrame, name: str, weighted: bool) -> str:
    if weighted:
        return weighted_quartiles(group[name], group[DESIGN_WEIGHT])
    return quartiles(group[name])
