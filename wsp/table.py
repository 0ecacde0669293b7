"""A design as a CSV file."""

import csv
from pathlib import Path

from wsp.designs import Design
from wsp.factors import Factor


def write_csv(design: Design, path: Path) -> None:
    """Write one row per point: its number from 0, then one column per factor.

    Numbers have the fewest digits that read back as the same double.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["point", *(f.name for f in design.factors)])
        for number, row in enumerate(design.points):
            values = zip(design.factors, row, strict=True)
            writer.writerow([number, *(_text(f, v) for f, v in values)])


def _text(factor: Factor, value: float) -> str:
    return str(int(value)) if factor.integer else repr(float(value))
