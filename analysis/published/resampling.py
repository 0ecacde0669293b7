"""Whether a difference from a statement is more than the choice of points makes.

The design's points are drawn again, with replacement, as often as there are (Efron's
bootstrap; B. Efron, "Bootstrap methods: another look at the jackknife", Annals of
Statistics 7(1), 1979). All rows of a point go together, so that what is compared point
by point stays so.
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
    """The part of RESAMPLES in which the statement's relation holds, 0 to 1, be it
    significant there or not.

    rows, others, factors : as of `statements.answer`; others are drawn by themselves
    Raises ValueError for a relation that is a test's answer, or none.
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
    """Where each point's rows are."""
    return [np.asarray(each) for each in rows.groupby("point").indices.values()]


def _again(
    rows: pd.DataFrame, places: list[np.ndarray], generator: np.random.Generator
) -> pd.DataFrame:
    drawn = [places[each] for each in generator.integers(len(places), size=len(places))]
    numbers = np.repeat(np.arange(len(drawn)), [len(each) for each in drawn])
    return rows.take(np.concatenate(drawn)).assign(point=numbers)
