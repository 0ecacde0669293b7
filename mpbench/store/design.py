"""``design.csv``: the points of the plan, one row per point."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from mpbench.store import atomic
from mpbench.store.campaign import Entry


def write(path: Path, plan: Iterable[Entry]) -> None:
    """Columns: point, then the factors in canonical units."""
    points = {entry.point: entry.factors for entry in plan}
    factors = list(dict.fromkeys(key for values in points.values() for key in values))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["point", *factors])
    for point, values in sorted(points.items()):
        writer.writerow([point, *(values.get(key, "") for key in factors)])
    atomic.write_bytes(path, text.getvalue().encode())
