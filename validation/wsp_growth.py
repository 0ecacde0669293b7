"""Spread of growing designs, compared with new ones of the same size.

    python -m validation.wsp_growth [--seeds 5]

Prints a Markdown table: minimum distance, coverage, centred discrepancy, and the
fraction of all coordinates in the outer tenths of their range, which is 0.2 for uniform
points.
"""

import argparse
import statistics

import numpy as np
from numpy.typing import NDArray

import wsp

CANDIDATES = 10_000
SIZES = ((6, (98, 147, 221)), (8, (91, 137, 206)))
OUTER = 0.1
Points = NDArray[np.float64]


def designs(d: int, sizes: tuple[int, ...], seed: int) -> dict[tuple[int, str], Points]:
    """Points in the unit cube, by number of points and kind of design."""
    rng = np.random.default_rng(seed)
    points = wsp.candidates("sobol", CANDIDATES, d, rng)
    kept = wsp.adaptive(points, sizes[0]).indices
    found: dict[tuple[int, str], Points] = {(sizes[0], "fresh"): points[kept]}
    for count in sizes[1:]:
        kept = wsp.grow(points, kept, count).indices
        found[count, f"grown from {sizes[0]}"] = points[kept]
        found[count, "fresh"] = points[wsp.adaptive(points, count).indices]
        found[count, "LHS"] = wsp.candidates("lhs", count, d, rng)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = range(parser.parse_args().seeds)
    print("| factors | points | | minimum distance | coverage | discrepancy | outer |")
    print("|---|---|---|---|---|---|---|")
    for d, sizes in SIZES:
        every = [designs(d, sizes, seed) for seed in seeds]
        for count, kind in every[0]:
            cells = [growth[count, kind] for growth in every]
            made = [wsp.criteria(points) for points in cells]
            outer = [float(np.mean((p < OUTER) | (p > 1 - OUTER))) for p in cells]
            print(
                f"| {d} | {count} | {kind}"
                f" | {statistics.mean(c.minimum_distance for c in made):.3f}"
                f" | {statistics.mean(c.coverage for c in made):.3f}"
                f" | {statistics.mean(c.discrepancy for c in made):.4f}"
                f" | {statistics.mean(outer):.2f} |"
            )


if __name__ == "__main__":
    main()
