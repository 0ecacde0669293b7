"""How often a published statement holds in resampled designs.

The bootstrap draws as many design points as there are, with replacement (B. Efron,
"Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979).
All rows of a point are drawn together, so that statistics that compare point by point
still can.
"""

import numpy as np
import pandas as pd

from analysis.published.statements import Statement, holds

RESAMPLES = 1000


def odds(
    statement: Statement,
    rows: pd.DataFrame,
    factors: tuple[str, ...],
    others: pd.DataFrame | None,
    generator: np.random.Generator,
) -> float:
    """The share of RESAMPLES in which the statement's relation holds, 0 to 1.

    rows, others, factors : as for `statements.answer`; others are resampled separately

    The relation holds where the values have it, significant or not. Raises ValueError
    for a relation that is itself a test's answer, and for one that compares nothing.
    """
    mine = _places(rows)
    theirs = None if others is None else _places(others)
    held = 0
    for _ in range(RESAMPLES):
        again = _again(rows, mine, generator)
        against = None
        if others is not None and theirs is not None:
            against = _again(others, theirs, generator)
        held += holds(statement, again, factors, against)
    return held / RESAMPLES


def _places(rows: pd.DataFrame) -> list[np.ndarray]:
    """The positions of each point's rows."""
    return [np.asarray(index) for index in rows.groupby("point").indices.values()]


def _again(
    rows: pd.DataFrame, places: list[np.ndarray], generator: np.random.Generator
) -> pd.DataFrame:
    chosen = generator.integers(len(places), size=len(places))
    drawn = [places[point] for point in chosen]
    numbers = np.repeat(np.arange(len(drawn)), [len(index) for index in drawn])
    return rows.take(np.concatenate(drawn)).assign(point=numbers)
