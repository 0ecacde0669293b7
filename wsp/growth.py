"""A larger WSP design that contains a smaller one.

The points of the smaller design stay. d_min is lowered until one more candidate fits
in: the one that is farthest from all points. This is repeated for each further point.
So every point is at least the last d_min away from all earlier ones, and no candidate
is farther than that from the design. WSP has the same properties, but not for every
number of points. A design that grows in two steps is the same as one that grows in one.

Walking on with a smaller d_min, as WSP does, fills the space no better: minimum
distance, coverage and discrepancy agree within some per cent. It also misses some
numbers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wsp.search import Selection
from wsp.selection import Boundary, Metric, checked, costs_from


def grow(
    points: ArrayLike,
    kept: Sequence[int] | NDArray[np.intp],
    count: int,
    metric: Metric = "euclidean",
    boundary: Boundary = "cube",
) -> Selection:
    """Add candidates to the points that are `kept` until there are exactly `count`.

    points : array, shape (n, d), the candidates that the smaller design came from
    kept : indices of the smaller design; they come first in the result, in the
        same order
    count : int, len(kept) < count <= n
    metric, boundary : see `selection.select`

    Returns the d_min at which the last point came in; ties go to the lowest index.
    Takes O(count n d) time and O(n d) memory.

    Raises ValueError for indices that are no candidates or not distinct, for a count
    outside its range, and if only copies of points that are in are left.
    """
    columns = checked(points, metric, boundary)
    n = columns.shape[1]
    first = np.asarray(kept, dtype=np.intp)
    if not len(first) or len(set(first.tolist())) < len(first):
        raise ValueError("kept: give one point or more, each once")
    if first.min() < 0 or first.max() >= n:
        raise ValueError(f"kept: not all from 0 to {n - 1}; give candidates' indices")
    if not len(first) < count <= n:
        raise ValueError(
            f"count: {count} points; give more than the {len(first)} that are kept and"
            f" at most the {n} candidates"
        )
    gaps = np.full(n, np.inf)
    for index in first.tolist():
        np.minimum(gaps, costs_from(columns, index, metric, boundary), out=gaps)
    chosen = first.tolist()
    gap = 0.0
    while len(chosen) < count:
        index = int(gaps.argmax())
        gap = float(gaps[index])
        if gap == 0:
            raise ValueError(
                f"count: {count} points, but only {len(chosen)} of the candidates are"
                " distinct; give more candidates"
            )
        chosen.append(index)
        np.minimum(gaps, costs_from(columns, index, metric, boundary), out=gaps)
    d_min = float(np.sqrt(gap)) if metric == "euclidean" else gap
    return Selection(np.array(chosen, dtype=np.intp), d_min, 0)
