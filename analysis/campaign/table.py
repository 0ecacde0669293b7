"""Build the tidy table of a campaign from the rows of its runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.campaign import absent, cross_run_metrics
from analysis.run import metrics, path_names

Row = Mapping[str, Any]
Key = tuple[Any, ...]
REFERENCE_CONTROLLER = "reno"
"""The controller of the TCP that E_AB compares with, unless TCP ran with the controller
of MPTCP (thesis: New Reno, sec. 3.3.1)."""


def build(rows: Sequence[Row]) -> pd.DataFrame:
    """One row per run, in the given order, with the metrics that need several runs.

    rows : as `analysis.run.row.row` makes them, with `point`, `case`, `repetition`

    Every row of MPTCP gets
    PATH.tcp_goodput_mbps : goodput of TCP alone on a path, at the same point and
        repetition; `analysis.run.path_names` says how paths are called
    experimental_aggregation_benefit : computed from these goodputs
    With two paths, every row gets
    capacity_difference_mbps, delay_difference_ms : path 1 minus path 2 (thesis,
        sec. 3.2, factor difference)
    and the rows of MPTCP get the columns of `cross_run_metrics.columns`.

    A metric is missing if it needs a run that is missing or not ok; the column `absent`
    says so. Where TCP ran with
    several controllers, the reference is the run with the controller of MPTCP, else
    the one with Reno, else the first.
    """
    references, twins = _references(rows), _twins(rows)
    records = [_joined(row, references, twins, path_names.of_row(row)) for row in rows]
    columns = {name: _typed(records, name) for name in _columns(records)}
    # A copy joins the columns in memory; adding one to hundreds apart gives a warning.
    return pd.DataFrame(columns, index=pd.RangeIndex(len(records))).copy()


def ok(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that enter statistics."""
    if "verdict" not in frame.columns:
        return frame.iloc[:0]
    return frame[frame["verdict"] == "ok"]


def _joined(
    row: Row,
    references: Mapping[Key, list[Row]],
    twins: Mapping[Key, Row],
    paths: Sequence[str],
) -> dict[str, Any]:
    added: dict[str, Any] = {}
    alone: dict[str, Row | None] = {}
    if len(paths) == 2:
        for name, unit in (("capacity", "mbps"), ("delay", "ms")):
            first, second = (row.get(f"{path}.{name}_{unit}") for path in paths)
            if first is not None and second is not None:
                added[f"{name}_difference_{unit}"] = first - second
    if row.get("protocol") == "mptcp" and len(paths) > 1:
        alone = {
            path: _reference(row, number, references)
            for number, path in enumerate(paths, start=1)
        }
        goodputs = [tcp.get("goodput_mbps") if tcp else None for tcp in alone.values()]
        for path, goodput in zip(alone, goodputs, strict=True):
            added[f"{path}.tcp_goodput_mbps"] = goodput
        added["experimental_aggregation_benefit"] = _benefit(row, goodputs)
        if len(paths) == 2 and row.get("verdict") == "ok":
            added |= cross_run_metrics.columns(
                row, paths, list(alone.values()), twins.get(_twin(row))
            )
    whole = {**row, **added}
    if (text := absent.joined(whole, alone)) is not None:
        whole[absent.COLUMN] = text
    return whole


def _benefit(row: Row, alone: Sequence[float | None]) -> float | None:
    values = [value for value in alone if value is not None]
    goodput = row.get("goodput_mbps")
    if row.get("verdict") != "ok" or goodput is None or len(values) < len(alone):
        return None
    if not any(values):
        return None
    return metrics.experimental_aggregation_benefit(goodput, values)


def _twins(rows: Sequence[Row]) -> dict[Key, Row]:
    """The runs that R_N compares other runs with."""
    return {
        (*_place(row), row.get("congestion_control")): row
        for row in rows
        if row.get("scheduler") == cross_run_metrics.SECOND_SCHEDULER
        and row.get("verdict") == "ok"
    }


def _twin(row: Row) -> Key:
    """The key of the row's twin, or an empty key if it has none."""
    if row.get("scheduler") != cross_run_metrics.FIRST_SCHEDULER:
        return ()
    return (*_place(row), row.get("congestion_control"))


def _place(row: Row) -> Key:
    return row.get("point"), row.get("repetition")


def _references(rows: Sequence[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = {}
    for row in rows:
        if row.get("protocol") == "tcp" and row.get("verdict") == "ok":
            key = (*_place(row), row.get("path") or 1)
            found.setdefault(key, []).append(row)
    return found


def _reference(row: Row, path: int, references: Mapping[Key, list[Row]]) -> Row | None:
    candidates = references.get((*_place(row), path), [])
    wanted = (row.get("congestion_control"), REFERENCE_CONTROLLER)
    for controller in wanted:
        for candidate in candidates:
            if candidate.get("congestion_control") == controller:
                return candidate
    return candidates[0] if candidates else None


def _columns(records: Sequence[Row]) -> list[str]:
    # Few records differ in their names.
    every = dict.fromkeys(tuple(record) for record in records)
    return list(dict.fromkeys(name for names in every for name in names))


def _typed(records: Sequence[Row], name: str) -> pd.Series:
    """A column of the table. Whole numbers stay whole beside missing values."""
    values = [record.get(name) for record in records]
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {int}:
        return pd.Series(values, dtype="Int64")
    if kinds and kinds <= {int, float}:
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype=None if kinds else "object")
