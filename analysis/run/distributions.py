"""Distributions of times that a run has many of, in columns."""

from collections.abc import Mapping

import numpy as np


def percentiles(
    values: np.ndarray, wanted: Mapping[str, float]
) -> dict[str, float | None]:
    """Percentiles, linear between neighbours; None without values.

    wanted : column to percent, 0 to 100
    """
    return {
        column: float(np.percentile(values, percent)) if len(values) else None
        for column, percent in wanted.items()
    }
