"""Distribution functions of sizes, in files that traffic entries name.

A file has one point per line: a size in bytes, and the part of the transfers that are
no larger. What follows a `#` is a remark. The points take the place of the file's name
when an experiment is read, so that its results need the file no more.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs.entries.flow_sizes import cdf_fault
from mpbench.errors import UserError
from mpbench.spec import text_files
from mpbench.spec.document import Document
from mpbench.spec.flow_sizes import MOST_BYTES, MOST_POINTS
from mpbench.spec.messages import shortened

MOST_FILE_BYTES = 1 << 16


def in_place(document: Document, folder: Path | None) -> Document:
    """The document with the points of every file that a `cdf` names.

    folder : the folder that the names are relative to; None for the file of a results
        folder, which names no files

    Raises UserError, one line, for a file that cannot be read or is no distribution.
    """
    traffic = document.values.get("traffic")
    entries = list(traffic) if isinstance(traffic, list) else []
    changed = False
    for index, entry in enumerate(entries):
        size = entry.get("size") if isinstance(entry, dict) else None
        name = size.get("cdf") if isinstance(size, dict) else None
        if isinstance(size, dict) and isinstance(name, str):
            where = document.where(("traffic", index, "size", "cdf"))
            shown = shortened(name if folder is None else str(folder / name), 300)
            path = text_files.placed(folder, name, f"{where}: {shown}")
            points = _points(where, path)
            entries[index] = {**entry, "size": {**size, "cdf": points}}
            changed = True
    if not changed:
        return document
    values: dict[str, Any] = {**document.values, "traffic": entries}
    return replace(document, values=values, rewritten=True)


def _points(where: str, path: Path) -> list[list[Any]]:
    """The points of a file, as an experiment file would give them."""
    shown = shortened(str(path), 300)
    at = f"{where}: {shown}"
    lines = text_files.read(path, at, MOST_FILE_BYTES, "give fewer points").splitlines()
    points: list[tuple[float, float]] = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            size, part = map(float, words)
        except ValueError:
            reason = "expected a size in bytes and a probability, such as '10000 0.5'"
            raise UserError(f"{shown}:{number}: {reason}") from None
        if not (0 <= size <= MOST_BYTES and 0 <= part <= 1):
            reason = f"sizes are 0 to {MOST_BYTES:g} bytes, and probabilities 0 to 1"
            raise UserError(f"{shown}:{number}: {reason}")
        points.append((size, part))
        if len(points) > MOST_POINTS:
            reason = f"more than {MOST_POINTS} points; leave some out"
            raise UserError(f"{shown}:{number}: {reason}")
    reason = cdf_fault(tuple(points)) if points else "no point; write '10000 1'"
    if reason:
        raise UserError(f"{where}: {shown}: {reason}")
    return [[f"{size:.12g} B", part] for size, part in points]
