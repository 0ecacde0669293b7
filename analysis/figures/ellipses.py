"""Ellipses around the networks of a case, in the coordinates of the axes."""

from collections.abc import Sequence

import numpy as np

LEAST_POINTS = 5
"""With fewer networks there is no ellipse."""
STEPS = 72


def outline(
    x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, log: str | None
) -> np.ndarray | None:
    """The ellipse of one standard deviation around the mean, shape (steps, 2).

    x, y : shape (n,); positive where their axis is logarithmic
    log : the logarithmic axes, "x", "y", "both" or None: there the ellipse is one of
        the logarithms

    The axes of the ellipse are the principal axes of the covariance (n - 1). None for
    fewer points than LEAST_POINTS, and where all points are the same.
    """
    scaled = np.array(
        [_scaled(x, log in ("x", "both")), _scaled(y, log in ("y", "both"))]
    )
    if scaled.shape[1] < LEAST_POINTS or not np.ptp(scaled, axis=1).any():
        return None
    lengths, directions = np.linalg.eigh(np.cov(scaled))
    turn = np.linspace(0, 2 * np.pi, STEPS)
    circle = np.array([np.cos(turn), np.sin(turn)])
    reach = np.sqrt(np.maximum(lengths, 0))[:, None]
    places = scaled.mean(axis=1)[:, None] + directions @ (reach * circle)
    back = [
        np.exp(each) if log in (name, "both") else each
        for each, name in zip(places, ("x", "y"), strict=True)
    ]
    return np.array(back).T


def _scaled(values: Sequence[float] | np.ndarray, log: bool) -> np.ndarray:
    numbers = np.asarray(values, dtype=float)
    return np.log(numbers) if log else numbers
