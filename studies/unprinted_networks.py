"""Networks that a table does not print, each beside the printed numbers.

The rules, by their numbers, are in studies/notes/reachability.md.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.published import cells, statements
from analysis.published.cells import Cell
from analysis.published.statements import Statement
from analysis.run import metrics
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.spec.factors import Factor
from mpbench.store import kept_rows, layout

PUBLISHED = Path(__file__).parents[1] / "results/published"
RELATIVE, OF_JAIN, OF_SHARES = 0.05, 0.005, 2.0
"""Largest differences from a cell: a part of the published one, a difference of Jain's
index, and percentage points of the distribution of the traffic (rule 2)."""
OF_BALANCE = 0.05
"""The same for an outlier of Table C.1 (rule 9)."""
BALANCE = "request_balance"
REQUESTS = "requests_per_s"
DROPS = ".queue_drop_share"
RATES = ("Mbit/s", "kbit/s", "pkt/s")
BEST = 5
THIRD = 1 / 3
CONFIGURATIONS = {"": "upstream", "-v091": "v091"}


@dataclass(frozen=True)
class Table:
    """A table or figure, and the campaign over networks that it does not print.

    label : `Table 5.3`
    campaign : the campaign over those networks
    shown : the campaign with one network that the page of the table shows
    page : that page below results/reference
    published : the file of its cells; empty for an outlier of Table C.1, whose cell is
        the value of a statement
    said : the file of the statements about it; empty if there is none
    open : what the print leaves out, as the end of `The paper gives ...`
    """

    label: str
    campaign: str
    shown: str
    page: str
    published: str = ""
    said: str = ""
    open: str = "neither delay, queue nor jitter here"

    @property
    def paper(self) -> str:
        """The first word of its files: `thesis`, `balia` or `nsdi11`."""
        return (self.published or self.said).partition("-")[0]

    @property
    def cells(self) -> tuple[Cell, ...]:
        if self.published:
            return cells.read(PUBLISHED / self.published)
        return tuple(_outlier(one) for one in self._said() if self._about(one))

    @property
    def statements(self) -> list[Statement]:
        """The statements that compare cases of one network.

        Those that compare two campaigns have no value in a network.
        """
        if not self.published or not self.said:
            return []
        return [one for one in self._said() if self._about(one)]

    def _said(self) -> Sequence[Statement]:
        return _statements(self.said)

    def _about(self, one: Statement) -> bool:
        if not self.published:
            return one.id == self.campaign.removeprefix("reach-")
        there = one.campaigns() - {""}
        return there <= {self.shown} and one.figure == self.label


@cache
def _statements(name: str) -> Sequence[Statement]:
    return tuple(statements.read(PUBLISHED / name))


def _outlier(one: Statement) -> Cell:
    """An outlier of Table C.1 as a cell."""
    return Cell(
        source="thesis Table C.1",
        row="R_N",
        column=one.id,
        case="lowrtt",
        point={},
        metric=BALANCE,
        unit="",
        scale=1.0,
        value=float(one.values["value"]),
        margin=None,
        note="",
        decimals=2,
    )


TABLES = (
    *(
        Table(
            f"Table {number}",
            campaign,
            shown,
            f"thesis/table-{number}.md",
            f"thesis-table-{number}.csv",
            "thesis-ch5.yaml",
        )
        for number, campaign, shown in (
            ("5.3", "reach-steady", "fairness-steady"),
            ("5.4", "reach-phases", "fairness-phases"),
            ("5.5", "reach-paths", "path-choice"),
        )
    ),
    *(
        Table(
            f"Table C.1, outlier {number}",
            f"reach-outlier-{number}",
            "table-c1",
            "thesis/table-c.1.md",
            said="thesis-appendix-c.yaml",
            open="capacities and delays as whole numbers",
        )
        for number in (1, 2, 3)
    ),
    *(
        Table(
            f"Table {number}",
            f"reach-{shown}",
            shown,
            f"{shown}/README.md",
            f"balia-table-{file}.csv",
            f"balia-table-{file}.yaml",
            "no queues here, and not whether a delay is a link's or a round trip's",
        )
        for number, file, shown in (
            ("III", 3, "friendliness"),
            ("IV", 4, "wifi-3g"),
            ("V", 5, "responsiveness"),
        )
    ),
    *(
        Table(
            label,
            f"reach-{shown}",
            shown,
            f"{shown}/README.md",
            f"nsdi11-{file}.csv",
            open=left_out,
        )
        for label, shown, file, left_out in (
            ("Fig. 2", "efficient-paths", "fig-2", "neither delay nor queue here"),
            ("Fig. 3", "four-links", "fig-3", "neither delay nor queue here"),
            ("Fig. 14", "rtt-mismatch", "rtt-mismatch", "no queues here"),
            (
                "sec. 3, arrivals",
                "arrivals",
                "arrivals",
                "no queues here, and not whether a delay is that of a link",
            ),
        )
    ),
)


@dataclass(frozen=True)
class Judged:
    """Values of one campaign in each of its networks.

    networks : the factors of each network, shape (networks, factors)
    ranges : registered range of each factor
    values : our value of each cell in each network, shape (networks, cells)
    reached : whether it is near enough, of the same shape
    fits : root mean square of the relative differences of rates, per network
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
    if cell.metric == BALANCE:
        return OF_BALANCE
    if "distribution" in cell.row:
        return OF_SHARES
    return RELATIVE * abs(cell.value)


def is_rate(cell: Cell) -> bool:
    """Whether the joint fit has the cell (rules 4, 7)."""
    return cell.unit in RATES


def value(cell: Cell, runs: pd.DataFrame) -> float:
    """Our value of a cell in one network: the mean of its repetitions (rule 1).

    Not a number for a time that no run has (rule 8).
    """
    if cell.metric == BALANCE:
        rates = [_mean(runs, f"case={x}", REQUESTS) for x in ("lowrtt", "roundrobin")]
        return metrics.request_balance(*rates)
    compared = cells.compare(cell, runs, redraws=0)
    if compared.ours is None and cell.unit == "s":
        return math.nan
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
    sheet, claims = table.cells, table.statements
    used = ok[_used(ok.columns, sheet, claims)]
    of_point = [group for _, group in used.groupby("point")]
    values = np.array([[value(one, group) for one in sheet] for group in of_point])
    printed = np.array([one.value for one in sheet])
    reach = np.array([allowed(one) for one in sheet])
    joint = np.array([is_rate(one) for one in sheet])
    if not joint.any():  # Table C.1
        joint = ~joint
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


def _used(
    columns: Iterable[str], sheet: Iterable[Cell], claims: Iterable[Statement]
) -> list[str]:
    """The columns that values need; with all of them it takes twenty times as long."""
    wanted = {"case", "point", "repetition", REQUESTS, *(one.metric for one in sheet)}
    for one in claims:
        named = (one.values.get(key) for key in ("metric", "against_metric"))
        wanted.update(str(name) for name in named if name)
    for link in [x.removesuffix(DROPS) for x in wanted if x.endswith(DROPS)]:
        wanted |= {f"{link}.queue_drops", f"{link}.bytes"}
    return [name for name in columns if name in wanted]


def configurations(table: Table) -> dict[str, str]:
    """The configurations that a table's campaign is executed under, by their suffix."""
    return CONFIGURATIONS if table.paper == "thesis" else {"": "upstream"}


def everything(rows: Path) -> Iterator[Judged]:
    """Every campaign whose rows are kept, by table and configuration."""
    for table in TABLES:
        for suffix in configurations(table):
            folder = rows / f"{table.campaign}{suffix}"
            if kept_rows.there(folder):
                yield judge(table, suffix, folder)
