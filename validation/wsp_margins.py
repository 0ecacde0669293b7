"""Number of coordinates of a WSP design that lie in the outer tenths of their ranges.

    python -m validation.wsp_margins [--seeds 20] [EXPERIMENT.yaml ...]

Prints a Markdown table: one row per candidate set, start, metric and boundary, with
the outer share (0.2 for uniform points) and the least distance in the cube's metric,
both as means over the seeds with the least and the largest share. For each experiment
file it prints the outer share of its design, with the binomial test of a share of 0.2.
The last table shows what the weights of `wsp.weights` make of the share.
"""

import argparse
import statistics
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import wsp

CANDIDATES = 10_000
FACTORS, POINTS = 6, 98
KINDS: tuple[tuple[wsp.CandidateSet, wsp.Start, wsp.Metric], ...] = (
    ("sobol", "centre", "euclidean"),
    ("sobol", "random", "euclidean"),
    ("lhs", "centre", "euclidean"),
    ("uniform", "centre", "euclidean"),
    ("sobol", "centre", "l1"),
)
SIZES = ((2, 40), (3, 40), (6, 98), (6, 213), (8, 91))


def design(
    d: int,
    count: int,
    seed: int,
    kind: tuple[wsp.CandidateSet, wsp.Start, wsp.Metric],
    boundary: wsp.Boundary,
) -> wsp.Design:
    candidate_set, start, metric = kind
    return wsp.make_design(
        [wsp.Factor(f"x{i}", 0, 1) for i in range(d)],
        count,
        np.random.default_rng(seed),
        candidates=CANDIDATES,
        candidate_set=candidate_set,
        start=start,
        metric=metric,
        boundary=boundary,
    )


def by_kind(seeds: range) -> None:
    print("| candidates | start | metric | boundary | outer | from - to | distance |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for boundary in wsp.BOUNDARIES:
            made = [design(FACTORS, POINTS, s, kind, boundary).criteria for s in seeds]
            shares = [one.outer_share for one in made]
            distance = statistics.mean(one.minimum_distance for one in made)
            print(
                f"| {' | '.join(map(str, kind))} | {boundary}"
                f" | {statistics.mean(shares):.3f}"
                f" | {min(shares):.3f} - {max(shares):.3f} | {distance:.3f} |"
            )


def by_size(seeds: range) -> None:
    print("| factors | points | boundary | outer | distance | coverage | discrepancy |")
    print("|---|---|---|---|---|---|---|")
    for d, count in SIZES:
        for boundary in wsp.BOUNDARIES:
            made = [design(d, count, s, KINDS[0], boundary).criteria for s in seeds]
            print(
                f"| {d} | {count} | {boundary}"
                f" | {statistics.mean(one.outer_share for one in made):.3f}"
                f" | {statistics.mean(one.minimum_distance for one in made):.3f}"
                f" | {statistics.mean(one.coverage for one in made):.3f}"
                f" | {statistics.mean(one.discrepancy for one in made):.4f} |"
            )


def weighted(seeds: range) -> None:
    print("| factors | points | boundary | outer | weighted | effective points |")
    print("|---|---|---|---|---|---|")
    for d, count in SIZES:
        factors = [wsp.Factor(f"x{i}", 0, 1) for i in range(d)]
        for boundary in wsp.BOUNDARIES:
            plain, shares, effective = [], [], []
            for seed in seeds:
                made = design(d, count, seed, KINDS[0], boundary)
                found = wsp.weights(factors, made.points, np.random.default_rng(seed))
                outer = ((made.unit < 0.1) | (made.unit > 0.9)).mean(axis=1)
                plain.append(float(outer.mean()))
                shares.append(float(np.average(outer, weights=found)))
                effective.append(wsp.effective_count(found))
            print(
                f"| {d} | {count} | {boundary} | {statistics.mean(plain):.3f}"
                f" | {statistics.mean(shares):.3f} | {statistics.mean(effective):.0f} |"
            )


def of_experiment(path: Path) -> None:
    from mpbench.experiment_files import load
    from mpbench.plan import draw_design

    drawn = draw_design(load(path))
    if drawn is None:
        print(f"{path}: no design with ranges")
        return
    share, number = drawn.criteria.outer_share, drawn.unit.size
    test = binomtest(round(share * number), number, 0.2, alternative="greater")
    print(f"{path.name}: {share:.3f} of {number} coordinates, p = {test.pvalue:.1g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("experiments", nargs="*", type=Path)
    arguments = parser.parse_args()
    for path in arguments.experiments:
        of_experiment(path)
    seeds = range(arguments.seeds)
    for table in (by_kind, by_size, weighted):
        print()
        table(seeds)


if __name__ == "__main__":
    main()
