"""Which figures a report draws, and which columns of the table they are of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.figures.labels import UNITS, label

COLUMNS = {
    "goodput": "goodput_mbps",
    "traffic_split": "path1.share",
    "capture_traffic_split": "path1.capture_share",
    "completion_time": "completion_time_s",
    "requests_per_second": "requests_per_s",
    "request_time": "request_time_ms",
}
"""Of the metrics of an experiment file whose column has another name."""


class UndrawableError(ValueError):
    """Why a figure cannot be drawn from this table, in words for the page."""


@dataclass(frozen=True)
class Wanted:
    """One figure, as an experiment file asks for it (docs/experiment-file.md).

    usual : whether nobody asked, so that it is drawn only where it tells much
    """

    kind: str
    factors: tuple[str, ...] | None = None
    metric: str = ""
    factor: str = ""
    difference: str = "absolute"
    batches: int = 5
    case: str | None = None
    by: str = ""
    after: str = ""
    quantities: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    point: int = 0
    repetition: int = 0
    average_s: float | None = None
    usual: bool = False

    @property
    def name(self) -> str:
        """Of its files, without suffix."""
        if self.kind == "histogram":
            return "factors"
        kind = [] if self.kind == "box" else [self.kind]
        parts = [*kind, *self.quantities, *self.users]
        parts += filter(None, (self.metric, self.factor, self.by))
        parts += [f"point-{self.point}"] if self.point else []
        parts += [f"repetition-{self.repetition}"] if self.repetition else []
        parts += ["signed"] if self.difference == "signed" else []
        text = "-".join([*parts, *([self.case] if self.case else [])])
        return text.replace("_", "-").replace(".", "-")


def _box(metric: str, factor: str, figure: str) -> Wanted:
    return Wanted("box", metric=metric, factor=factor, after=f"thesis Fig. {figure}")


DEFAULT = (
    Wanted("goodput"),
    Wanted("histogram", batches=10, after="thesis Fig. 3.2"),
    _box("aggregation_benefit", "capacity", "3.3a"),
    _box("experimental_aggregation_benefit", "capacity", "3.4a"),
    _box("experimental_aggregation_benefit", "delay", "3.5a"),
    Wanted("over_time", quantities=("goodput",), usual=True),
    Wanted("over_time", quantities=("cwnd",), usual=True),
)
"""What is drawn, as far as it can be, for an experiment that asks for nothing."""


def read(figures: Sequence[Mapping[str, Any]]) -> tuple[Wanted, ...]:
    """From the plain values of an experiment's `figures`."""
    return tuple(_read(figure) for figure in figures)


def _read(figure: Mapping[str, Any]) -> Wanted:
    criterion = figure.get("criterion") or {}
    factors = figure.get("factors")
    span = figure.get("span")
    return Wanted(
        kind=figure["kind"],
        factors=tuple(factors) if factors else None,
        metric=figure.get("metric") or "",
        factor=criterion.get("factor", ""),
        difference=criterion.get("difference", "absolute"),
        batches=figure.get("batches") or 5,
        case=figure.get("case"),
        by=figure.get("by") or "",
        after=figure.get("after") or "",
        quantities=tuple(figure.get("quantities") or ()),
        users=tuple(figure.get("users") or ()),
        span=(span["start"], span["end"]) if span else None,
        point=figure.get("point") or 0,
        repetition=figure.get("repetition") or 0,
        average_s=figure.get("average"),
    )


def metric_column(runs: pd.DataFrame, metric: str) -> str:
    """Raises UndrawableError if the table has no such metric, or no numbers of it."""
    name = COLUMNS.get(metric, metric)
    if name not in runs.columns or runs[name].isna().all():
        raise UndrawableError(f"no run has the metric {metric}")
    if not pd.api.types.is_numeric_dtype(runs[name]):
        raise UndrawableError(f"the metric {metric} is not a number in every run")
    return name


def parameter_column(runs: pd.DataFrame, name: str) -> str:
    """`path1.capacity` to `path1.capacity_mbps`; raises UndrawableError."""
    for candidate in (name, *(f"{name}_{unit}" for unit in UNITS)):
        if candidate in runs.columns:
            return candidate
    raise UndrawableError(f"no run has the parameter {name}")


def criterion(runs: pd.DataFrame, wanted: Wanted) -> pd.Series:
    """What sorts the runs into batches: the factor, or path 1's less path 2's.

    Its name is its column's; that of a difference is `<factor>_difference_<unit>`.
    """
    if wanted.difference == "none":
        return runs[parameter_column(runs, wanted.factor)]
    first, second = (
        parameter_column(runs, f"path{path}.{wanted.factor}") for path in (1, 2)
    )
    unit = first.removeprefix(f"path1.{wanted.factor}")
    found = (runs[first] - runs[second]).rename(f"{wanted.factor}_difference{unit}")
    return found.abs() if wanted.difference == "absolute" else found


def criterion_label(name: str, wanted: Wanted) -> str:
    """`|capacity difference| [Mbit/s]`; the bars only of an absolute one."""
    what, bracket, unit = label(name).partition(" [")
    return (
        f"|{what}|{bracket}{unit}" if wanted.difference == "absolute" else label(name)
    )
