"""A design as a CSV file."""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from wsp.designs import Design
from wsp.factors import Factor


def write_csv(design: Design, path: Path, weights: ArrayLike | None = None) -> None:
    """Write one row per point: its number from 0, then one column per factor.

    weights : one per point, see `wsp.weights`; if given, the last column `weight`

    Numbers have the fewest digits that read back as the same double.
    """
    last = [] if weights is None else [[repr(float(w))] for w in np.asarray(weights)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [f.name for f in design.factors]
        writer.writerow(["point", *names, *(["weight"] if last else [])])
        for number, row in enumerate(design.points):
            values = zip(design.factors, row, strict=True)
            texts = [_text(f, v) for f, v in values]
            writer.writerow([number, *texts, *(last[number] if last else [])])


def _text(factor: Factor, value: float) -> str:
    return str(int(value)) if factor.integer else repr(float(value))
