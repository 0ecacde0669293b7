"""``design.csv``: the points of the plan, one row per point."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from mpbench.store import atomic
from mpbench.store.campaign import Entry


def write(path: Path, plan: Iterable[Entry]) -> None:
    atomic.write_bytes(path, text(plan))


def text(plan: Iterable[Entry]) -> bytes:
    """The file. Columns: point, then the factors in canonical units."""
    points = {entry.point: entry.factors for entry in plan}
    factors = list(dict.fromkeys(key for values in points.values() for key in values))
    made = io.StringIO(newline="")
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(["point", *factors])
    for point, values in sorted(points.items()):
        writer.writerow([point, *(values.get(key, "") for key in factors)])
    return made.getvalue().encode()
