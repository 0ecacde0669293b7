"""The factor on which a difference between two cases depends, and at what value.

A tree of at most two levels splits the networks by the factors of the design. A split
counts only if shuffled networks hardly ever give one as clear: the gains change places
between networks, and the best split of all factors is searched again. So the number of
factors and of places to split is allowed for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.campaign.comparison import Interval, interval
from analysis.campaign.sample_sizes import least_values

LEVEL = 0.95
SIGNIFICANCE = 0.05
"""Part of all campaigns without any dependence in which a split may be found, for all
comparisons of a page together."""
LEAST_SIDE = least_values(LEVEL)
"""Networks on each side of a split: so many that each side has an interval."""
DEPTH = 2
SHUFFLES = 1999
MOST_PLACES = 64
"""The most places at which a factor is tried; with more values, quantiles."""
FEW_VALUES = 12
"""A factor with no more values than these is split at a value, not between two."""
REDRAWS = 200
CHUNK = 250
"""Shufflings that are in memory at a time."""


@dataclass(frozen=True)
class Side:
    """The networks on one side of a split.

    gains : one per network, shape (n,)
    gain : their median with its interval
    split : the factor that splits them further
    """

    gains: np.ndarray
    gain: Interval
    split: "Split | None" = None


@dataclass(frozen=True)
class Split:
    """A factor that splits the networks.

    factor : its column
    at : a number: the low side is up to it, the high side above; a word: the high side
        has it, the low side has not
    between : the range of the number in 95 % of redraws of the networks; None for words
    chosen : the part of these redraws in which the same factor splits best
    p : part of the shufflings that give as clear a split
    """

    factor: str
    at: float | str
    between: tuple[float, float] | None
    chosen: float
    p: float
    low: Side
    high: Side


@dataclass(frozen=True)
class _Place:
    """A way to split: `high` tells which rows are on the high side, shape (rows,)."""

    factor: str
    at: float | str
    high: np.ndarray


@dataclass(frozen=True)
class Search:
    """A search for factors that decide.

    spread : columns of the factors that are the same in a whole network
    crossed : columns of the factors of which a network has every value
    comparisons : the number of searches on the page, which share SIGNIFICANCE
    """

    spread: Sequence[str]
    crossed: Sequence[str]
    comparisons: int = 1

    def possible(self, cells: pd.DataFrame) -> bool:
        """Whether there are networks enough on both sides of some split."""
        return any(_places(cells, name) for name in (*self.spread, *self.crossed))

    def find(
        self, cells: pd.DataFrame, rng: np.random.Generator, depth: int = DEPTH
    ) -> Split | None:
        """The split that shuffled networks hardly ever give, or None.

        cells : columns `network`, `gain` and the factors, one row per design point
        """
        best, p = self._tested(cells, rng)
        if best is None or p > SIGNIFICANCE / self.comparisons:
            return None
        sides = []
        for chosen in (~best.high, best.high):
            part = cells[chosen].reset_index(drop=True)
            gains = of_networks(part)
            further = self.find(part, rng, depth - 1) if depth > 1 else None
            gain = interval(gains, np.median, rng, LEVEL)
            sides.append(Side(gains, gain, further))
        between, chosen_part = self._redrawn(cells, best, rng)
        return Split(best.factor, best.at, between, chosen_part, p, *sides)

    def _tested(
        self, cells: pd.DataFrame, rng: np.random.Generator
    ) -> tuple[_Place | None, float]:
        """The clearest split, and the part of shufflings that give one as clear."""
        strata = list(self._strata(cells))
        each = [float(stratum.scores(stratum.values[None]).max()) for stratum in strata]
        if not each or max(each) <= 0:
            return None, 1.0
        first = int(np.argmax(each))
        clear = strata[first].scores(strata[first].values[None])[0]
        best = strata[first].places[int(np.argmax(clear))]
        times = shuffles(self.comparisons)
        most = np.full(times, -np.inf)
        for stratum in strata:
            for start in range(0, times, CHUNK):
                some = slice(start, min(start + CHUNK, times))
                shuffled = stratum.shuffled(some.stop - start, rng)
                scores = stratum.scores(shuffled).max(axis=1)
                most[some] = np.maximum(most[some], scores)
        # A sum in another order differs in its last digits.
        as_clear = int((most >= each[first] * (1 - 1e-9)).sum())
        return best, (1 + as_clear) / (1 + times)

    def _strata(self, cells: pd.DataFrame) -> "Iterator[_Stratum]":
        """The networks, and the rows within networks, each with its factors."""
        cells = cells.assign(rank=cells["gain"].rank())
        by_network = cells.groupby("network", sort=False)
        ranks, firsts = by_network["rank"].mean(), ~cells["network"].duplicated()
        row_network = pd.Index(ranks.index).get_indexer(cells["network"])
        spread = [place for name in self.spread for place in _places(cells, name)]
        if spread:
            yield _Stratum(
                ranks.to_numpy(float),
                np.array([place.high[firsts] for place in spread]),
                spread,
                np.arange(len(ranks)),
                np.zeros(len(ranks), int),
            )
        counts = by_network["gain"].transform("size").to_numpy()
        # A network without one of the values would not compare like with like.
        whole = counts == counts.max()
        crossed = [
            place
            for name in self.crossed
            for place in _places(cells, name)
            if 0 < place.high[whole].sum() < whole.sum()
        ]
        if crossed:
            within = cells["rank"] - by_network["rank"].transform("mean")
            yield _Stratum(
                within.to_numpy(float)[whole],
                np.array([place.high[whole] for place in crossed]),
                crossed,
                row_network[whole],
                row_network[whole],
            )

    def _redrawn(
        self, cells: pd.DataFrame, best: _Place, rng: np.random.Generator
    ) -> tuple[tuple[float, float] | None, float]:
        """The range of the split's value over redraws of the networks, and the part of
        the redraws in which the same factor splits best."""
        count = cells["network"].nunique()
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=REDRAWS)
        clearest = np.zeros(REDRAWS)
        places: list[_Place | None] = [None] * REDRAWS
        for stratum in self._strata(cells):
            values = np.broadcast_to(stratum.values, (REDRAWS, len(stratum.values)))
            scores = stratum.scores(values, drawn[:, stratum.network].astype(float))
            for redraw in np.flatnonzero(scores.max(axis=1) > clearest):
                clearest[redraw] = scores[redraw].max()
                places[redraw] = stratum.places[int(np.argmax(scores[redraw]))]
        same = [p.at for p in places if p is not None and p.factor == best.factor]
        numbers = [at for at in same if isinstance(at, float)]
        part = len(same) / REDRAWS
        if not numbers:
            return None, part
        low, high = np.quantile(
            numbers, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="nearest"
        )
        return (float(low), float(high)), part


@dataclass(frozen=True)
class _Stratum:
    """Ranks that change places with one another, and the ways to split them.

    values : ranks of gains, shape (n,)
    high : the high side of each place, shape (places, n)
    places : the same places over the rows of the table
    network : number of the network that each value is of, shape (n,)
    block : values change places within a block only, shape (n,)
    """

    values: np.ndarray
    high: np.ndarray
    places: Sequence[_Place]
    network: np.ndarray
    block: np.ndarray

    def scores(
        self, values: np.ndarray, weights: np.ndarray | None = None
    ) -> np.ndarray:
        """The part of the variance that a split explains, times n - 1.

        values, weights : shape (times, n); without weights each value counts once
        Returns shape (times, places).
        """
        if weights is None:
            weights = np.ones(values.shape)
        count = weights.sum(axis=1, keepdims=True)
        centred = values - (weights * values).sum(axis=1, keepdims=True) / count
        whole = (weights * centred**2).sum(axis=1, keepdims=True)
        sides = self.high.T.astype(float)
        above, sums = weights @ sides, (weights * centred) @ sides
        with np.errstate(divide="ignore", invalid="ignore"):
            between = sums**2 * (1 / above + 1 / (count - above))
            explained = between / whole * (count - 1)
        split = (above > 0) & (above < count) & (whole > 0)
        return np.where(split, explained, 0.0)

    def shuffled(self, times: int, rng: np.random.Generator) -> np.ndarray:
        """The values in other orders, shape (times, n)."""
        keys = rng.random((times, len(self.values)))
        blocks = np.broadcast_to(self.block, keys.shape)
        order = np.lexsort((keys, blocks), axis=1)
        result = np.empty(keys.shape)
        result[:, np.argsort(self.block, kind="stable")] = self.values[order]
        return result


def shuffles(comparisons: int) -> int:
    """Shufflings with which the least possible p is well below the limit of each of
    so many comparisons."""
    return max(SHUFFLES, 40 * comparisons)


def of_networks(cells: pd.DataFrame) -> np.ndarray:
    """The gain of each network, the mean over its design points, shape (networks,)."""
    return cells.groupby("network", sort=False)["gain"].mean().to_numpy(float)


def _places(cells: pd.DataFrame, factor: str) -> list[_Place]:
    """The ways in which a factor splits rows, with networks enough on both sides."""
    if factor not in cells.columns:
        return []
    column = cells[factor]
    if not pd.api.types.is_numeric_dtype(column):
        words = list(dict.fromkeys(map(str, column)))
        # Of two words, either names the same split.
        words = words[1:] if len(words) == 2 else words
        found = [_Place(factor, w, (column.map(str) == w).to_numpy()) for w in words]
    else:
        numbers = column.to_numpy(float)
        found = [_Place(factor, at, numbers > at) for at in _values(numbers)]
    names = cells["network"].to_numpy()
    return [
        place
        for place in found
        if min(len(set(names[place.high])), len(set(names[~place.high]))) >= LEAST_SIDE
    ]


def _values(numbers: np.ndarray) -> list[float]:
    """Numbers between which rows differ: few values themselves, else middles."""
    distinct = np.unique(numbers)
    if len(distinct) <= FEW_VALUES:
        return [float(value) for value in distinct[:-1]]
    if len(distinct) > MOST_PLACES + 1:
        places = np.linspace(0, len(distinct) - 1, MOST_PLACES + 2)[1:-1].astype(int)
    else:
        places = np.arange(len(distinct) - 1)
    return [cut(float(distinct[i]), float(distinct[i + 1])) for i in places]


def cut(low: float, high: float) -> float:
    """A number with few digits, not below `low` and below `high`, near their middle."""
    middle = (low + high) / 2
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return low
