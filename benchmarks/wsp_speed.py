"""Measure how fast WSP thins a candidate set, beside a program that stores distances.

    python -m benchmarks.wsp_speed [--seeds 20] [--json]

Each line is one size: adaptive WSP selects a number of points from the candidates, and
searches for the d_min that gives this number. The published programs work differently:
they compute and sort the matrix of all distances once, then bisect on d_min, and may
end at a nearby number of points. The table gives their time as a ratio, measured in the
same run; at 10,000 candidates the matrix takes 1.6 GB. Times are CPU times of a single
thread, which on an idle core equal wall times.
"""

import argparse
import json
import statistics
import time
import tracemalloc
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

import wsp

SIZES = (  # candidates, dimensions, points, compared with the matrix
    (2_000, 6, 98, True),
    (5_000, 6, 98, True),
    (10_000, 6, 98, True),
    (10_000, 6, 213, False),
    (100_000, 6, 98, False),
)


def matrix_wsp(points: np.ndarray, count: int, origin: int) -> list[int]:
    """Select points by bisection on d_min over a stored, sorted matrix of distances."""
    distances = cdist(points, points)
    order = np.argsort(distances, axis=1)
    low, high = 0.0, float(distances.max())
    kept: list[int] = []
    for _ in range(54):
        d_min = (low + high) / 2
        kept = matrix_walk(distances, order, d_min, origin)
        if len(kept) == count:
            break
        low, high = (d_min, high) if len(kept) > count else (low, d_min)
    return kept


def matrix_walk(
    distances: np.ndarray, order: np.ndarray, d_min: float, at: int
) -> list[int]:
    alive = np.ones(len(distances), dtype=bool)
    kept = []
    while True:
        kept.append(at)
        alive[at] = False
        alive[distances[at] < d_min] = False
        nearest_first = order[at][alive[order[at]]]
        if not len(nearest_first):
            return kept
        at = int(nearest_first[0])


def measure(n: int, d: int, count: int, compare: bool, seeds: int) -> dict[str, Any]:
    times, walks, peak = [], [], 0
    ratio = exact = None
    for seed in range(seeds):
        points = wsp.candidates("sobol", n, d, np.random.default_rng(seed))
        begin = time.process_time()
        found = wsp.adaptive(points, count)
        times.append(time.process_time() - begin)
        walks.append(found.walks)
        assert len(found.indices) == count
        if seed == 0:
            tracemalloc.start()
            wsp.adaptive(points, count)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            if compare:
                begin = time.process_time()
                kept = matrix_wsp(points, count, wsp.start_index(points))
                ratio = (time.process_time() - begin) / times[0]
                exact = len(kept) == count
    return {
        "candidates": n,
        "dimensions": d,
        "points": count,
        "seeds": seeds,
        "median_cpu_s": statistics.median(times),
        "worst_cpu_s": max(times),
        "median_walks": statistics.median(walks),
        "peak_bytes_per_candidate": peak / n,
        "matrix_over_ours": ratio,
        "matrix_was_exact": exact,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20, help="candidate sets a size")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    wsp.adaptive(np.random.default_rng(0).random((500, 6)), 20)  # warm the imports
    rows = [measure(*size, seeds=arguments.seeds) for size in SIZES]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print(
        "candidates  d  points  median s  worst s  walks  bytes/candidate  matrix/ours"
    )
    for row in rows:
        ratio = row["matrix_over_ours"]
        beside = "-" if ratio is None else f"{ratio:.0f}"
        if row["matrix_was_exact"] is False:
            beside += " (missed the count)"
        print(
            f"{row['candidates']:10d} {row['dimensions']:2d} {row['points']:7d} "
            f"{row['median_cpu_s']:9.3f} {row['worst_cpu_s']:8.3f} "
            f"{row['median_walks']:6.1f} "
            f"{row['peak_bytes_per_candidate']:16.0f}  {beside}"
        )


if __name__ == "__main__":
    main()
