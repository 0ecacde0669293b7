"""Medians and quartiles of a metric by case."""

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label, paths, without_mathematics
from analysis.campaign.numbers import quartiles
from analysis.campaign.observations import networks
from analysis.figures.data import (
    factor_values,
    metric_column,
    metric_missing,
    ok_runs,
    parameter_column,
    rows_of,
    value_text,
)
from analysis.figures.drawn_figure import PageText
from analysis.figures.kinds.table.request import Table

CAPACITY = ".capacity_mbps"
"""The end of a column of each link, which is no part of a run."""


def data(request: Table, campaign: Campaign) -> PageText:
    """One row per case, and one column per value of the factor `by`.

    Without `by` there is a column for the whole run, and one for each part of it (a
    flow, a user, a phase) that has the metric.
    """
    runs = ok_runs(campaign)
    column = metric_column(runs, request.metric, request.part)
    rows = rows_of(runs, request.metric, request.case)
    if rows[column].isna().all():
        raise metric_missing(request.metric, request.case)
    by = [parameter_column(rows, request.by)] if request.by else []
    rows = networks(rows, ["case", *by])
    columns = _columns(request, rows, column)
    cells = []
    for case in rows["case"].unique():
        of_case = rows["case"] == case
        known = int(rows.loc[of_case, column].notna().sum())
        if not known:
            continue
        texts = (quartiles(values[of_case]) for values in columns.values())
        cells.append((str(case), _counts(request, columns, of_case, known), *texts))
    name = without_mathematics(label(column))
    note = f"The table shows medians of {name}, with the first and third quartile."
    head = ("case", "n", *columns)
    return PageText(note=note, head=head, cells=tuple(cells))


def _counts(
    request: Table, columns: dict[str, pd.Series], of_case: pd.Series, known: int
) -> str:
    """The number of values behind each cell; with `by`, of each value of the factor."""
    if not request.by:
        return str(known)
    counts = {int(values[of_case].notna().sum()) for values in columns.values()}
    least, most = min(counts), max(counts)
    return str(most) if least == most else f"{least} to {most}"


def _columns(request: Table, rows: pd.DataFrame, column: str) -> dict[str, pd.Series]:
    """The values of each column of the table by its heading."""
    if request.by:
        by = parameter_column(rows, request.by)
        unit = label(by).partition(" [")[2].rstrip("]")
        return {
            value_text(value, unit, with_unit=True): rows[column].where(
                rows[by] == value
            )
            for value in factor_values(rows[by])
        }
    columns = {without_mathematics(label(column)): rows[column]}
    for part in parts(rows, column):
        name = part.removesuffix(f".{column}").replace(".", ": ")
        columns[name] = rows[part]
    return columns


def parts(runs: pd.DataFrame, column: str) -> list[str]:
    """Columns of the same metric for a part of a run: `<part>.goodput_mbps`."""
    names = [name for name in runs.columns if str(name).endswith(f".{column}")]
    links = {n.rpartition(".")[0] for n in runs.columns if str(n).endswith(CAPACITY)}
    links |= set(paths(runs))
    return [
        name
        for name in names
        if name.partition(".")[0] not in links and runs[name].notna().any()
    ]
