"""Published cells: numbers of a paper's table, each beside what a campaign gives.

`results/published/*.csv` has one cell a row: where it stands, what it says, and
which column of the table of runs it is compared with, for which case and point.
"""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from scipy import stats

COLUMNS = (
    *("source", "row", "column", "case", "point", "metric", "unit", "scale"),
    *("value", "margin", "note"),
)
SCALES: Mapping[tuple[str, str], float] = {
    ("mbps", "Mbit/s"): 1.0,
    ("mbps", "kbit/s"): 1e3,
    ("mbps", "pkt/s"): 1e6 / 8 / 1448,
    ("share", "%"): 100.0,
    ("share", ""): 1.0,
    ("utilisation", "%"): 100.0,
    ("jain", ""): 1.0,
    ("s", "s"): 1.0,
    ("cwnd", "packets"): 1.0,
}
"""From the end of a column's name and the printed unit to the factor between them.
A packet has 1448 bytes of payload."""
CONFIDENCE = 0.95
DIGITS = 4


@dataclass(frozen=True)
class Cell:
    """source : table or figure; row, column : as printed there, or in our words

    case : of the experiment; point : column to value of the table of runs, of all
        points if empty
    metric : column of the table of runs
    scale : from ours, in the printed unit, to what the paper counts
    margin : half of the printed 95 % interval, if there is one
    decimals : of the printed value
    """

    source: str
    row: str
    column: str
    case: str
    point: Mapping[str, float]
    metric: str
    unit: str
    scale: float
    value: float
    margin: float | None
    note: str
    decimals: int = 0


@dataclass(frozen=True)
class Compared:
    """ours : mean over the runs, in the printed unit; None if there is none

    margin : half of its 95 % interval by Student's t; None for a single run
    agrees : whether the two intervals meet; None where ours has none
    why_not : what is missing
    """

    cell: Cell
    ours: float | None
    margin: float | None
    n: int
    why_not: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.cell.value

    @property
    def agrees(self) -> bool | None:
        if self.difference is None or self.margin is None:
            return None
        reach = self.margin + (self.cell.margin or 0.5 * 10.0**-self.cell.decimals)
        return abs(self.difference) <= reach


def is_cells(path: Path) -> bool:
    """Whether a file of published values has cells, or else statements."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().split(",") == list(COLUMNS)


def read(path: Path) -> tuple[Cell, ...]:
    """Raises ValueError, `file:line: what is wrong`, for a file that is not so."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}")
        return tuple(_cell(row, f"{path}:{reader.line_num}") for row in reader)


def compare(cell: Cell, runs: pd.DataFrame) -> Compared:
    """A cell beside the runs, all ok, of its case and point."""
    mine = runs[runs["case"] == cell.case]
    for name, value in cell.point.items():
        if name not in mine.columns:
            return Compared(cell, None, None, 0, f"no column {name}")
        mine = mine[mine[name].astype(float) == value]
    if mine.empty:
        return Compared(cell, None, None, 0, "not run")
    if cell.metric not in mine.columns:
        return Compared(cell, None, None, 0, f"no column {cell.metric}")
    values = mine[cell.metric].dropna().astype(float)
    if values.empty:
        return Compared(cell, None, None, 0, f"no run has {cell.metric}")
    factor = cell.scale * SCALES[_kind(cell.metric), cell.unit]
    n, margin = len(values), None
    if n > 1:
        quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
        margin = factor * quantile * float(values.std(ddof=1)) / math.sqrt(n)
    return Compared(cell, factor * float(values.mean()), margin, n)


def _kind(metric: str) -> str:
    """The end of a column's name, which says its unit."""
    last = metric.rpartition(".")[2]
    return last if (last, "") in SCALES or last == "cwnd" else last.rpartition("_")[2]


def _cell(row: Mapping[str, str], place: str) -> Cell:
    try:
        point = dict(pair.split("=", 1) for pair in (row["point"] or "").split())
        cell = Cell(
            source=row["source"],
            row=row["row"],
            column=row["column"],
            case=row["case"],
            point={name: float(value) for name, value in point.items()},
            metric=row["metric"],
            unit=row["unit"],
            scale=float(row["scale"] or 1),
            value=float(row["value"]),
            margin=float(row["margin"]) if row["margin"] else None,
            note=row["note"] or "",
            decimals=len(row["value"].partition(".")[2]),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from error
    if (_kind(cell.metric), cell.unit) not in SCALES:
        raise ValueError(f"{place}: {cell.metric} cannot be told in '{cell.unit}'")
    return cell
