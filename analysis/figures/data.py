"""The step from a campaign's table to the values of a figure, shared by the kinds."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import (
    OWN_FACTOR,
    column_of,
    label,
    path_words,
    paths,
    plain,
)
from analysis.campaign.figure_request import Criterion, Labels
from analysis.campaign.numbers import bytes_text, short
from analysis.campaign.path_shares import MULTIPATH_METRICS, multipath
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.palette import MOST_SERIES
from analysis.run.number_columns import UNITS

REFERENCE_LINES = {
    "aggregation_benefit": (0.0, 1.0),
    "experimental_aggregation_benefit": (0.0, 1.0),
    "traffic_split": (0.5,),
    "utilisation": (1.0,),
    "jain": (1.0,),
    "request_balance": (0.0,),
    "less_lossy_share": (0.5,),
}
"""Values of a metric that a reader looks for."""
MOST_GROUPS = 16
"""The most values of a factor that stand side by side as groups."""
PATHS = ("path1", "path2")
"""The paths of which a criterion is the difference, if they have no other names."""


def ok_runs(campaign: Campaign) -> pd.DataFrame:
    """The rows that enter statistics; raises UndrawableError if there is none."""
    if campaign.ok_runs.empty:
        raise UndrawableError("no run is ok")
    return campaign.ok_runs


def rows_of(runs: pd.DataFrame, metric: str | None, case: str | None) -> pd.DataFrame:
    """The rows that a figure shows: one case, or every case that has the metric.

    metric : None for a figure of no single metric
    """
    if case is not None:
        return runs[runs["case"] == case]
    return multipath(runs) if metric in MULTIPATH_METRICS else runs


def metric_column(runs: pd.DataFrame, metric: str, part: str | None = None) -> str:
    """The column of a metric, in a part of the runs.

    Raises UndrawableError if no run has the metric, or one has no number for it.
    """
    name = part_column(metric, part, runs)
    if name not in runs.columns or runs[name].isna().all():
        of = f" of {part}" if part else ""
        raise UndrawableError(f"no run has the metric {metric}{of}")
    if not pd.api.types.is_numeric_dtype(runs[name]):
        raise UndrawableError(f"the metric {metric} is not a number in every run")
    return name


def part_column(metric: str, part: str | None, runs: pd.DataFrame | None = None) -> str:
    """The name of the column of a metric, in a part of the runs.

    runs : the table, whose paths may have names of their own
    """
    name = column_of(metric, runs)
    return f"{part}.{name}" if part else name


def parameter_column(runs: pd.DataFrame, name: str) -> str:
    """`path1.capacity_mbps` for `path1.capacity`; raises UndrawableError."""
    heads = [name] if "." in name else [f"{OWN_FACTOR}{name}", name]
    for head in heads:
        for candidate in (head, *(f"{head}_{unit}" for unit in UNITS)):
            if candidate in runs.columns:
                return candidate
    raise UndrawableError(f"no run has the parameter {name}")


def is_spread(campaign: Campaign, column: str, points: int) -> bool:
    """Whether the design spread a factor's numbers over a range, and lists none.

    points : number of design points; without the experiment, values that many of them
        share count as listed

    Numbers of a range with a wide step have few digits, so they are as good as a list.
    """
    values = factor_values(campaign.runs[column])
    if not any(value != float(f"{value:.3g}") for value in values):
        return False
    if campaign.listed is not None:
        return column not in campaign.listed
    return 2 * len(values) > points


def criterion_values(runs: pd.DataFrame, criterion: Criterion) -> pd.Series:
    """Values that sort the runs into batches: a parameter, or path 1's less path 2's.

    The series is named as its column; a difference is `<factor>_difference_<unit>`.
    """
    if criterion.difference == "none":
        return runs[parameter_column(runs, criterion.factor)]
    names = (*paths(runs)[:2], *PATHS)[:2]
    first, second = (
        parameter_column(runs, f"{path}.{criterion.factor}") for path in names
    )
    unit = first.removeprefix(f"{names[0]}.{criterion.factor}")
    name = f"{criterion.factor}_difference{unit}"
    difference = (runs[first] - runs[second]).rename(name)
    return difference.abs() if criterion.difference == "absolute" else difference


def criterion_label(
    column: str, criterion: Criterion, paths: Sequence[str] = ()
) -> str:
    """`|capacity difference| [Mbit/s]`; the bars mark an absolute difference.

    paths : all paths; the label names the two that differ, such as `|wifi - lte
        capacity|`, if these are the user's names or not the only paths
    """
    if criterion.difference == "none":
        return label(column)
    what, bracket, unit = label(column).partition(" [")
    if len(paths) > 2 or any(path not in PATHS for path in paths):
        first, second = map(path_words, paths[:2])
        what = f"{first} - {second} {criterion.factor.replace('_', ' ')}"
    if criterion.difference == "absolute":
        what = f"|{what}|"
    return f"{what}{bracket}{unit}"


def axis_labels(given: Labels | None, usual: tuple[str, str]) -> tuple[str, str]:
    """Labels of the horizontal and the vertical axis: the user's, or the usual ones.

    A dollar sign in a user's text begins no formula.
    """
    own = given or Labels()
    return (_plain(own.x) or usual[0], _plain(own.y) or usual[1])


def _plain(text: str | None) -> str:
    return (text or "").replace("$", r"\$")


def groups_by(rows: pd.DataFrame, by: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each value of a factor, in order, with the value in words.

    Without a factor there is one group without a name.
    """
    if not by:
        yield "", rows
        return
    column = parameter_column(rows, by)
    unit = label(column).partition(" [")[2].rstrip("]")
    for value in factor_values(rows[column]):
        yield value_text(value, unit, with_unit=True), rows[rows[column] == value]


def panels_of(rows: pd.DataFrame, by: str | None) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each panel, with its name; one panel without a name if `by` is None.

    Raises UndrawableError for more values than panels fit.
    """
    if by is None:
        return [("", rows)]
    count = rows[parameter_column(rows, by)].nunique()
    if count > MOST_GROUPS:
        raise UndrawableError(
            f"{by} has {count} values, more than the {MOST_GROUPS} panels that fit;"
            " leave panels out"
        )
    what = group_label(rows, by)
    return [(f"{what} {value}", group) for value, group in groups_by(rows, by)]


def factor_values(column: pd.Series) -> list[Any]:
    """The values of a factor: numbers rising, words in the order of the design."""
    values = list(column.dropna().unique())
    return sorted(values) if pd.api.types.is_numeric_dtype(column) else values


def group_label(rows: pd.DataFrame, by: str | None) -> str:
    """The factor `by` in words; empty without one."""
    return plain(parameter_column(rows, by)) if by else ""


def value_text(value: object, unit: str, with_unit: bool = False) -> str:
    """A factor's value as groups and columns are named: 65536 bytes are 65.5 kB."""
    if not isinstance(value, int | float | np.number):
        return str(value)
    number = float(value)
    if unit == "bytes":
        return bytes_text(number)
    text = short(number, 4)
    return f"{text} {unit}" if with_unit and unit else text


def summary_row(
    column: str, group: str, case: str, batch: str, values: pd.Series
) -> dict[str, object]:
    """A row of summary.csv: n, extremes and quartiles of one box or curve.

    group : the value of the factor `by`; batch : of the criterion; "" for none
    """
    marks = [np.nan] * 5
    if len(values):
        marks = list(map(float, values.quantile([0, 0.25, 0.5, 0.75, 1])))
    names = ("minimum", "q1", "median", "q3", "maximum")
    row = {"metric": column, "criterion": "", "group": group, "case": case}
    return {
        **row,
        "batch": batch,
        "n": len(values),
        **dict(zip(names, marks, strict=True)),
    }


def point_rows(
    campaign: Campaign, point: int, case: str | None
) -> tuple[pd.DataFrame, Path]:
    """The runs of a design point, of one case or of all, and the folder of their files.

    Raises UndrawableError if no run is ok, or the files are not there.
    """
    runs = ok_runs(campaign)
    if campaign.folder is None:
        raise UndrawableError("the runs' own files are not there")
    rows = runs[runs["point"] == point]
    return (rows if case is None else rows[rows["case"] == case]), campaign.folder


def metric_missing(metric: str, case: str | None) -> UndrawableError:
    """The error of a figure whose runs all lack its metric."""
    of = f"of {case} " if case else ""
    return UndrawableError(f"no run {of}that is ok has the metric {metric}")


def check_distinct(count: int, what: str, hint: str = "name a case") -> None:
    """Raises UndrawableError for more series than can look different."""
    if count > MOST_SERIES:
        raise UndrawableError(
            f"{count} {what}, of which only {MOST_SERIES} can look different; {hint}"
        )
