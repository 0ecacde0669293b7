"""Networks that a table of the thesis does not print, each beside the printed numbers.

The rules, by their numbers, are in studies/notes/reachability.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.published import cells, statements
from analysis.published.cells import Cell
from analysis.published.statements import Statement
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.spec.factors import Factor
from mpbench.store import kept_rows, layout

PUBLISHED = Path(__file__).parents[1] / "results/published"
RELATIVE, OF_JAIN, OF_SHARES = 0.05, 0.005, 2.0
"""Largest differences from a cell: a part of the published one, a difference of Jain's
index, and percentage points of the distribution of the traffic (rule 2)."""
BEST = 5
THIRD = 1 / 3
CONFIGURATIONS = {"": "upstream", "-v091": "v091"}


@dataclass(frozen=True)
class Table:
    """A table of the thesis, and the campaign over networks that it does not print.

    number : `5.3`
    campaign : the campaign over those networks
    shown : the campaign with one network that the table's page shows
    """

    number: str
    campaign: str
    shown: str

    @property
    def cells(self) -> tuple[Cell, ...]:
        return cells.read(PUBLISHED / f"thesis-table-{self.number}.csv")

    @property
    def statements(self) -> list[Statement]:
        """The statements that compare cases of one network.

        Those that compare two campaigns have no value in a network.
        """
        found = statements.read(PUBLISHED / "thesis-ch5.yaml")
        return [one for one in found if self._about(one)]

    def _about(self, one: Statement) -> bool:
        there = one.campaigns() == {self.shown}
        return there and one.figure == f"Table {self.number}"


TABLES = (
    Table("5.3", "reach-steady", "fairness-steady"),
    Table("5.4", "reach-phases", "fairness-phases"),
    Table("5.5", "reach-paths", "path-choice"),
)


@dataclass(frozen=True)
class Judged:
    """Values of one campaign in each of its networks.

    networks : the factors of each network, shape (networks, factors)
    ranges : registered range of each factor
    values : our value of each cell in each network, shape (networks, cells)
    reached : whether it is near enough, of the same shape
    fits : root mean square of the relative differences of throughputs, per network
    held : whether each network has each statement, shape (networks, statements)
    not_ok : runs that are not ok, which are left out
    """

    table: Table
    configuration: str
    networks: pd.DataFrame
    ranges: Mapping[str, tuple[float, float]]
    values: np.ndarray
    reached: np.ndarray
    fits: np.ndarray
    held: np.ndarray
    not_ok: int

    @property
    def points(self) -> list[int]:
        """The numbers of the networks in the design."""
        return [int(point) for point in self.networks.index]

    @property
    def best(self) -> list[int]:
        """The networks that fit best, the best first."""
        order = np.argsort(self.fits, kind="stable")
        return [self.points[i] for i in order[:BEST]]

    def shared(self) -> dict[str, tuple[float, float]]:
        """The factors that the best networks share, with their span (rule 5)."""
        found = {}
        for name, (low, high) in self.ranges.items():
            of_best = self.networks.loc[self.best, name]
            if of_best.max() - of_best.min() <= THIRD * (high - low):
                found[name] = (float(of_best.min()), float(of_best.max()))
        return found


def allowed(cell: Cell) -> float:
    """The largest difference from a cell with which a network reaches it (rule 2)."""
    if cell.metric.endswith("jain"):
        return OF_JAIN
    if "distribution" in cell.row:
        return OF_SHARES
    return RELATIVE * abs(cell.value)


def is_throughput(cell: Cell) -> bool:
    """Whether the joint fit has the cell; percentages follow from these (rule 4)."""
    return "throughput" in cell.row


def value(cell: Cell, runs: pd.DataFrame) -> float:
    """Our value of a cell in one network: the mean of its repetitions (rule 1)."""
    compared = cells.compare(cell, runs, redraws=0)
    if compared.ours is None:
        raise UserError(f"{cell.source}, {cell.row}: {compared.why_not}")
    return compared.ours


def holds(statement: Statement, runs: pd.DataFrame) -> bool:
    """Whether a network is on the side that a criterion asks for (rule 6).

    Raises UserError for a criterion of another kind than those of these tables.
    """
    given = statement.values
    ours = _mean(runs, str(given["rows"]), str(given["metric"]))
    if against := given.get("against"):
        metric = str(given.get("against_metric") or given["metric"])
        ours -= _mean(runs, str(against), metric)
    wanted, relation = float(given["value"]), given["relation"]
    if relation == "about":
        return abs(ours - wanted) <= float(given["tolerance"])
    if given["statistic"] not in ("mean", "mean_difference") or relation not in (
        "<",
        ">",
    ):
        raise UserError(f"{statement.id}: no rule for this criterion")
    return ours > wanted if relation == ">" else ours < wanted


def _mean(runs: pd.DataFrame, rows: str, metric: str) -> float:
    case = rows.partition("case=")[2]
    of_case = runs[runs["case"] == case]
    if not case or of_case.empty:
        raise UserError(f"{rows}: no runs of this case")
    return float(of_case[metric].astype(float).mean())


def judge(table: Table, suffix: str, rows: Path) -> Judged:
    """The networks of a campaign beside a table.

    suffix : of the configuration
    rows : the folder of the campaign's kept rows
    """
    found = kept_rows.read(rows)
    runs = pd.DataFrame(found.rows)
    ok = runs[runs["verdict"] == "ok"]
    spec = load(layout.Results(rows).experiment, of_results=True)
    factors = spec.design.factors if spec.design else {}
    ranges = {}
    for column, factor in zip(found.head.factors, factors.values(), strict=True):
        if not isinstance(factor, Factor) or factor.minimum is None:
            raise UserError(f"{rows}: {column} has no range")
        assert factor.maximum is not None
        ranges[column] = (factor.minimum, factor.maximum)
    networks = ok.groupby("point")[list(ranges)].first().astype(float)
    of_point = [group for _, group in ok.groupby("point")]
    sheet, claims = table.cells, table.statements
    values = np.array([[value(one, group) for one in sheet] for group in of_point])
    printed = np.array([one.value for one in sheet])
    reach = np.array([allowed(one) for one in sheet])
    joint = np.array([is_throughput(one) for one in sheet])
    relative = (values[:, joint] - printed[joint]) / printed[joint]
    return Judged(
        table,
        CONFIGURATIONS[suffix],
        networks,
        ranges,
        values,
        np.abs(values - printed) <= reach,
        np.sqrt((relative**2).mean(axis=1)),
        np.array([[holds(one, group) for one in claims] for group in of_point]),
        len(runs) - len(ok),
    )


def everything(rows: Path) -> Iterator[Judged]:
    """Every campaign whose rows are kept, by table and configuration."""
    for table in TABLES:
        for suffix in CONFIGURATIONS:
            folder = rows / f"{table.campaign}{suffix}"
            if kept_rows.there(folder):
                yield judge(table, suffix, folder)
