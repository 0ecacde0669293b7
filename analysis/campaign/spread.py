"""Spread of a metric within networks, whose repetitions differ, and between them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.observations import distinct


@dataclass(frozen=True)
class Spread:
    """The spread of one metric in one case, in the metric's unit.

    networks : number of networks with at least two runs that differ in any column
    runs : number of their runs
    mean : of the means of all networks
    within : pooled standard deviation of the runs of a network, that is the square root
        of their mean variance, each weighted by its degrees of freedom
    between : standard deviation of the networks' means; None with fewer than two
        networks
    of_networks : number of all networks
    """

    networks: int
    runs: int
    mean: float
    within: float
    between: float | None
    of_networks: int

    @property
    def share(self) -> float | None:
        """The standard deviation within networks over that between; None if unknown."""
        return self.within / self.between if self.between else None

    @property
    def percent(self) -> float | None:
        """The standard deviation within networks in percent of the mean; None for a
        mean of 0."""
        return 100 * self.within / abs(self.mean) if self.mean else None


def spread(rows: pd.DataFrame, column: str) -> Spread | None:
    """The spread in one case; None without a network whose repetitions differ.

    rows : the runs of the case, one per row
    column : of the metric

    Repetitions that are identical in all columns are one observation, so a network
    that draws nothing takes no part in the spread within networks.
    """
    if "point" not in rows.columns or "repetition" not in rows.columns:
        return None
    known = rows[rows[column].notna()]
    noisy = distinct(known, ["point"])
    groups = noisy.astype({column: float}).groupby("point", sort=False)[column]
    sizes = groups.size()
    freedom = int((sizes[sizes > 1] - 1).sum())
    if not freedom:
        return None
    squares = groups.apply(lambda values: float(((values - values.mean()) ** 2).sum()))
    means = known.astype({column: float}).groupby("point", sort=False)[column].mean()
    return Spread(
        networks=int((sizes > 1).sum()),
        runs=int(sizes[sizes > 1].sum()),
        mean=float(means.mean()),
        within=float(np.sqrt(squares.sum() / freedom)),
        between=float(means.std(ddof=1)) if len(means) > 1 else None,
        of_networks=len(means),
    )
