"""Published cells: numbers of a paper's table, each beside what a campaign gives.

Files in `results/published/` have one cell per row: where it stands, what it says, and
which column of the table of runs it is compared with, for which case and point.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.campaign import observations, student
from analysis.published import files
from analysis.published.judging import CONFIDENCE, FRAGILE, REDRAWS, SEED, Verdict
from analysis.run.payload import TCP_BYTES
from jobs import FRAME_BYTES

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
MORE_COLUMNS = ("page", "registered")
"""Columns that a file may have in addition."""
CRITERION = ("case", "metric", "unit", "scale", "value", "margin", "decimals")
"""The fields that say how a cell is compared, beside `point`."""
SCALES: Mapping[tuple[str, str], float] = {
    ("mbps", "Mbit/s"): 1.0,
    ("mbps", "kbit/s"): 1e3,
    ("mbps", "%"): 1.0,
    ("mbps", "pkt/s"): 1e6 / 8 / TCP_BYTES,
    ("share", "%"): 100.0,
    ("share", ""): 1.0,
    ("utilisation", "%"): 100.0,
    ("jain", ""): 1.0,
    ("s", "s"): 1.0,
    ("cwnd", "packets"): 1.0,
}
"""The factor between a column and the printed unit, by the end of the column's name and
the unit. A packet has the payload of TCP. For a rate in per cent of a capacity, the
cell's own scale holds the capacity."""
PRECISION = 0.1
"""The largest part of the published value that our interval may reach to either side;
a wider one would agree with anything."""
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
    page: str = ""
    registered: str = ""

    @property
    def reach(self) -> float:
        """Half of the printed interval, or of the last printed digit's unit."""
        return self.margin or 0.5 * 10.0**-self.decimals


@dataclass(frozen=True)
class Compared:
    """A published cell beside our value.

    ours : mean over the runs in the printed unit; None if there is no run
    margin : half of its 95 % interval by Student's t; None for a single value
    n : number of independent values: networks, or repetitions of one
    why_not : why there is no value
    chance : the share of redrawn sets of runs that have the same verdict; None where
        nothing can be redrawn
    """

    cell: Cell
    ours: float | None
    margin: float | None
    n: int
    why_not: str = ""
    chance: float | None = None

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - self.cell.value

    @property
    def error(self) -> float | None:
        """The standard error of our mean; None for a single run."""
        return None if self.margin is None else self.margin / _quantile(self.n)

    @property
    def verdict(self) -> Verdict | None:
        """Whether the two intervals meet; None where nothing was measured.

        Where no interval is printed, the rounding of the printed value stands for it.
        A single run, or an interval wider than PRECISION, decides nothing.
        """
        if self.difference is None:
            return None
        if self.margin is None:
            return Verdict.UNDECIDED
        (meets, precise), *_ = _compared(
            self.cell, np.array([self.difference]), np.array([self.margin])
        )
        if not meets:
            return Verdict.DIFFERS
        return Verdict.AGREES if precise else Verdict.UNDECIDED

    @property
    def rounds(self) -> bool | None:
        """Whether our mean has the printed digits when it is rounded to them."""
        if self.ours is None:
            return None
        return round(self.ours, self.cell.decimals) == self.cell.value

    @property
    def fragile(self) -> bool:
        return self.chance is not None and self.chance < FRAGILE


def _compared(
    cell: Cell, differences: np.ndarray, margins: np.ndarray
) -> list[tuple[bool, bool]]:
    """Whether each interval meets the published value, and whether it is precise."""
    meets = np.abs(differences) <= margins + cell.reach
    limit = PRECISION * abs(cell.value) if cell.value else math.inf
    return list(zip(meets.tolist(), (margins <= limit).tolist(), strict=True))


def is_cells(path: Path) -> bool:
    """Whether a file of published values holds cells; otherwise it holds statements."""
    return files.columns(path) in (COLUMNS, COLUMNS + MORE_COLUMNS)


def read(path: Path) -> tuple[Cell, ...]:
    """The cells of a file. Raises ValueError, `file:line: what is wrong`."""
    if not is_cells(path):
        raise ValueError(
            f"{path}:1: columns must be {','.join(COLUMNS)}, or these and"
            f" {','.join(MORE_COLUMNS)}"
        )
    return tuple(_cell(row, place) for place, row in files.rows(path))


def compare(cell: Cell, runs: pd.DataFrame, redraws: int = REDRAWS) -> Compared:
    """A cell beside the mean over those runs, all ok, of its case and point."""
    selected = with_drop_shares(runs[runs["case"] == cell.case])
    for name, value in cell.point.items():
        if name not in selected.columns:
            return Compared(cell, None, None, 0, f"no column {name}")
        selected = selected[selected[name].astype(float) == value]
    if selected.empty:
        return Compared(cell, None, None, 0, "not run")
    if cell.metric not in selected.columns:
        return Compared(cell, None, None, 0, f"no column {cell.metric}")
    known = _observations(selected.dropna(subset=[cell.metric]), cell.metric)
    if known.empty:
        return Compared(cell, None, None, 0, f"no run has {cell.metric}")
    values = cell.scale * SCALES[_kind(cell.metric), cell.unit] * known.to_numpy(float)
    if len(values) == 1:
        return Compared(cell, float(values[0]), None, 1)
    ours = Compared(cell, float(values.mean()), float(_margins(values)), len(values))
    return replace(ours, chance=_chance(ours, values, redraws) if redraws else None)


def _observations(runs: pd.DataFrame, metric: str) -> pd.Series:
    """The independent values of a metric: means of several networks, or the runs of
    one. Identical repetitions of a network without noise are one."""
    if "point" in runs.columns and runs["point"].nunique() > 1:
        return runs[metric].astype(float).groupby(runs["point"]).mean()
    return observations.distinct(runs, ["case"])[metric].astype(float)


def with_drop_shares(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs, with LINK.queue_drop_share of each bottleneck link.

    It is the share of the packets that the full queue refused. The packets that
    passed are the link's bytes over FRAME_BYTES, as if all frames were full.
    """
    added = {}
    for name in runs.columns:
        link = str(name).removesuffix(".queue_drops")
        if link != name and f"{link}.bytes" in runs.columns:
            drops = runs[name].astype(float)
            passed = runs[f"{link}.bytes"].astype(float) / FRAME_BYTES
            added[f"{link}.queue_drop_share"] = drops / (drops + passed)
    # assign() would insert the columns one by one.
    return pd.concat([runs, pd.DataFrame(added, index=runs.index)], axis=1)


def _margins(values: np.ndarray) -> np.ndarray:
    """Half of the 95 % interval of the mean along the last axis, by Student's t."""
    n = values.shape[-1]
    return np.asarray(_quantile(n) * values.std(axis=-1, ddof=1) / math.sqrt(n))


def _quantile(n: int) -> float:
    """Student's t that 95 % of the means of n values are within."""
    return student.quantile(n - 1, (1 + CONFIDENCE) / 2)


def _chance(ours: Compared, values: np.ndarray, redraws: int) -> float:
    """The share of redrawn sets of runs in which the verdict is the same."""
    generator = np.random.default_rng(SEED)
    drawn = generator.choice(values, size=(redraws, len(values)))
    differences = drawn.mean(axis=1) - ours.cell.value
    outcomes = {
        Verdict.AGREES: (True, True),
        Verdict.UNDECIDED: (True, False),
    }
    wanted = outcomes.get(ours.verdict or Verdict.DIFFERS)
    same = [
        pair == wanted if wanted else not pair[0]
        for pair in _compared(ours.cell, differences, _margins(drawn))
    ]
    return sum(same) / redraws


def _kind(metric: str) -> str:
    """The end of a column's name, which tells its unit."""
    last = metric.rpartition(".")[2]
    return last if (last, "") in SCALES or last == "cwnd" else last.rpartition("_")[2]


def _cell(row: Mapping[str, str], place: str) -> Cell:
    try:
        point = {}
        for pair in (row["point"] or "").split():
            name, equals, value = pair.partition("=")
            if not equals:
                raise ValueError(f"point '{pair}'; write FACTOR=VALUE, with spaces")
            point[name] = value
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
            page=row.get("page") or "",
            registered=row.get("registered") or "",
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{place}: {error}") from error
    if (_kind(cell.metric), cell.unit) not in SCALES:
        what = f"{cell.metric[:80]} cannot be compared in '{cell.unit[:80]}'"
        raise ValueError(f"{place}: {what}")
    return cell
