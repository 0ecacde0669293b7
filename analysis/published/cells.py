"""Published cells: numbers of a paper's table, each beside what a campaign gives.

Files in `results/published/` have one cell per row: where it stands, what it says, and
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
    "source",
    "row",
    "column",
    "case",
    "point",
    "metric",
    "unit",
    "scale",
    "value",
    "margin",
    "note",
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
"""The factor between a column and the printed unit, by the end of the column's name and
the unit. A packet has 1448 bytes of payload."""
CONFIDENCE = 0.95
DIGITS = 4


@dataclass(frozen=True)
class Cell:
    """One number of a published table or figure.

    source : the table or figure
    row, column : its place there, as printed or in our words
    case : the experiment's case that it is compared with
    point : values that the runs have, by column; empty for the runs of all points
    metric : column of the table of runs
    scale : factor from our value, in the printed unit, to what the paper counts
    margin : half of the printed 95 % interval; None if none is printed
    decimals : number of printed decimals
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
    """A published cell beside our value.

    ours : mean over the runs in the printed unit; None if there is no run
    margin : half of its 95 % interval by Student's t; None for a single run
    n : number of runs
    why_not : why there is no value
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
        """Whether the two 95 % intervals meet; None where ours has none.

        Where no interval is printed, the rounding of the printed value stands for it.
        """
        if self.difference is None or self.margin is None:
            return None
        reach = self.margin + (self.cell.margin or 0.5 * 10.0**-self.cell.decimals)
        return abs(self.difference) <= reach


def is_cells(path: Path) -> bool:
    """Whether a file of published values holds cells; otherwise it holds statements."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().split(",") == list(COLUMNS)


def read(path: Path) -> tuple[Cell, ...]:
    """The cells of a file. Raises ValueError, `file:line: what is wrong`."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}:1: columns must be {','.join(COLUMNS)}")
        return tuple(_cell(row, f"{path}:{reader.line_num}") for row in reader)


def compare(cell: Cell, runs: pd.DataFrame) -> Compared:
    """A cell beside the mean over those runs, all ok, of its case and point."""
    selected = runs[runs["case"] == cell.case]
    for name, value in cell.point.items():
        if name not in selected.columns:
            return Compared(cell, None, None, 0, f"no column {name}")
        selected = selected[selected[name].astype(float) == value]
    if selected.empty:
        return Compared(cell, None, None, 0, "not run")
    if cell.metric not in selected.columns:
        return Compared(cell, None, None, 0, f"no column {cell.metric}")
    values = selected[cell.metric].dropna().astype(float)
    if values.empty:
        return Compared(cell, None, None, 0, f"no run has {cell.metric}")
    factor = cell.scale * SCALES[_kind(cell.metric), cell.unit]
    n, margin = len(values), None
    if n > 1:
        quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
        margin = factor * quantile * float(values.std(ddof=1)) / math.sqrt(n)
    return Compared(cell, factor * float(values.mean()), margin, n)


def _kind(metric: str) -> str:
    """The end of a column's name, which tells its unit."""
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
        raise ValueError(f"{place}: {cell.metric} cannot be compared in '{cell.unit}'")
    return cell
