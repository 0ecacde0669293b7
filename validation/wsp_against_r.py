"""Set WSP beside the function wspDesign of the R package DiceDesign.

    python -m validation.wsp_against_r [--function wspDesign.R] [--seed 1]

Needs Rscript (Debian's r-base-core) and DiceDesign, or a copy of that package's file
`R/wspDesign.R`, which --function names. Each of 15 sets of candidates is thinned by
both programs with the same `d_min`, from the candidate nearest the centre, by the
Euclidean distance. Prints a row per set: whether the same points are selected in the
same order, whether R appends its first one once more, and the share of all coordinates
that lie in the outer tenths of their ranges (0.2 for uniform points). The exit status
is 1 if a selection differs.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import wsp
from wsp.candidate_sets import CANDIDATE_SETS, candidates

SIZES = ((2, 40, 1000), (3, 60, 1000), (4, 98, 2000), (6, 213, 3000), (8, 98, 2000))
"""Numbers of factors, of points and of candidates."""

PROGRAM = """
words <- commandArgs(trailingOnly = TRUE)
if (words[3] == "") library(DiceDesign) else source(words[3])
given <- as.matrix(read.csv(words[1], header = FALSE))
rownames(given) <- seq_len(nrow(given))
kept <- wspDesign(given, as.numeric(words[2]), init = "center")$design
cat(rownames(kept), sep = "\\n")
"""


def selected_by_r(
    points: NDArray[np.float64], d_min: float, function: str
) -> list[int]:
    """Indices of the points that R keeps, in its order.

    points : ndarray, shape (n, d), in the unit cube
    function : the file of wspDesign, or "" for that of the installed package

    Raises RuntimeError with R's message if the program fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        program, table = Path(folder, "select.R"), Path(folder, "points.csv")
        program.write_text(PROGRAM, encoding="utf-8")
        np.savetxt(table, points, fmt="%.17g", delimiter=",")
        words = ["Rscript", "--vanilla", str(program), str(table), repr(d_min)]
        done = subprocess.run(
            [*words, function], capture_output=True, text=True, timeout=600
        )
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "Rscript failed")
    # A row that R selects a second time has ".1" after its name.
    return [int(line.split(".")[0]) - 1 for line in done.stdout.split()]


def without_the_last(indices: Sequence[int]) -> tuple[list[int], bool]:
    """A selection without R's last step, and whether it made one too many.

    indices : in the order of selection

    R's loop goes on until it has counted every candidate. It can go one step too far,
    when all distances are infinite, and then takes the first candidate of all.
    """
    extra = len(indices) > 1 and indices[-1] in (0, *indices[:-1])
    return list(indices[:-1] if extra else indices), extra


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--function", type=Path, help="a copy of R/wspDesign.R")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not shutil.which("Rscript"):
        print("wsp_against_r: Rscript is missing: apt-get install r-base-core")
        return 2
    function = str(options.function.resolve()) if options.function else ""
    rng = np.random.default_rng(options.seed)
    print("| candidates | of | factors | points | d_min | R | R's last | outer |")
    print("|---|---:|---:|---:|---:|---|---|---:|")
    differ = 0
    for kind in CANDIDATE_SETS:
        for d, count, n in SIZES:
            points = candidates(kind, n, d, rng)
            ours = wsp.adaptive(points, count)
            theirs = selected_by_r(points, ours.d_min, function)
            same, last = _compared(ours.indices.tolist(), theirs)
            differ += same == "differs"
            outer = wsp.outer_share(points[ours.indices])
            print(
                f"| {kind} | {n} | {d} | {count} | {ours.d_min:.4f}"
                f" | {same} | {last} | {outer:.3f} |",
                flush=True,
            )
    print(f"\n{differ} of {len(CANDIDATE_SETS) * len(SIZES)} selections differ.")
    return 1 if differ else 0


def _compared(ours: list[int], theirs: list[int]) -> tuple[str, str]:
    """Whether two selections are equal, and whether R's had a point too many."""
    if ours == theirs:
        return "same", "-"
    shorter, extra = without_the_last(theirs)
    return ("same" if ours == shorter else "differs"), ("repeated" if extra else "-")


if __name__ == "__main__":
    sys.exit(main())
