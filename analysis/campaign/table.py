"""Rows of single runs to the tidy table of a campaign."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.campaign import cross_run_metrics
from analysis.run import metrics

Row = Mapping[str, Any]
Key = tuple[Any, ...]
REFERENCE_CONTROLLER = "reno"
"""Of the TCP that E_AB compares with, unless it ran MPTCP's own (thesis: New Reno,
sec. 3.3.1)."""


def build(rows: Sequence[Row]) -> pd.DataFrame:
    """One row per run, in the order given, with what needs more than one run.

    rows : as `analysis.run.row.row` makes them, with `point`, `case`, `repetition`

    Adds to every row of MPTCP
    path<i>.tcp_goodput_mbps : of TCP by itself on path i, at the same point and
        repetition
    experimental_aggregation_benefit : from these (metrics)
    and, with two paths, to every row
    capacity_difference_mbps, delay_difference_ms : path 1 minus path 2 (thesis,
        sec. 3.2, factor difference)
    and, with two paths, to those of MPTCP what `cross_run_metrics.columns` has

    What needs a run that is missing or not ok is missing too. Where TCP ran with
    several controllers, the reference is the one with MPTCP's own, else Reno, else
    the first.
    """
    references, twins = _references(rows), _twins(rows)
    records = [_joined(row, references, twins, _paths(row)) for row in rows]
    frame = pd.DataFrame.from_records(records, columns=_columns(records))
    return frame.assign(**{n: _typed(records, n) for n in frame.columns})


def ok(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows that enter statistics."""
    if "verdict" not in frame.columns:
        return frame.iloc[:0]
    return frame[frame["verdict"] == "ok"]


def _joined(
    row: Row,
    references: Mapping[Key, list[Row]],
    twins: Mapping[Key, Row],
    paths: Sequence[int],
) -> dict[str, Any]:
    added: dict[str, Any] = {}
    if len(paths) == 2:
        for name, unit in (("capacity", "mbps"), ("delay", "ms")):
            first, second = (row.get(f"path{path}.{name}_{unit}") for path in paths)
            if first is not None and second is not None:
                added[f"{name}_difference_{unit}"] = first - second
    if row.get("protocol") == "mptcp" and len(paths) > 1:
        alone = {path: _reference(row, path, references) for path in paths}
        goodputs = [tcp.get("goodput_mbps") if tcp else None for tcp in alone.values()]
        for path, goodput in zip(alone, goodputs, strict=True):
            added[f"path{path}.tcp_goodput_mbps"] = goodput
        added["experimental_aggregation_benefit"] = _benefit(row, goodputs)
        if len(paths) == 2 and row.get("verdict") == "ok":
            added |= cross_run_metrics.columns(
                row, list(alone.values()), twins.get(_twin(row))
            )
    return {**row, **added}


def _benefit(row: Row, alone: Sequence[float | None]) -> float | None:
    values = [value for value in alone if value is not None]
    goodput = row.get("goodput_mbps")
    if row.get("verdict") != "ok" or goodput is None or len(values) < len(alone):
        return None
    if not any(values):
        return None
    return metrics.experimental_aggregation_benefit(goodput, values)


def _twins(rows: Sequence[Row]) -> dict[Key, Row]:
    """The runs that R_N sets others against."""
    return {
        (*_place(row), row.get("congestion_control")): row
        for row in rows
        if row.get("scheduler") == cross_run_metrics.SECOND_SCHEDULER
        and row.get("verdict") == "ok"
    }


def _twin(row: Row) -> Key:
    """Where the twin of a row lies; nowhere, if it has none."""
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


def _paths(row: Row) -> list[int]:
    """The numbers of the disjoint paths, where the network has such."""
    matches = (re.fullmatch(r"path(\d+)\.capacity_mbps", key) for key in row)
    return sorted(int(match[1]) for match in matches if match)


def _columns(records: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _typed(records: Sequence[Row], name: str) -> pd.Series:
    """Whole numbers stay whole beside missing values; all else as pandas has it."""
    values = [record.get(name) for record in records]
    present = [value for value in values if value is not None]
    if present and all(type(value) is int for value in present):
        return pd.Series(values, dtype="Int64")
    if present and all(type(value) in (int, float) for value in present):
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype="object" if not present else None)
