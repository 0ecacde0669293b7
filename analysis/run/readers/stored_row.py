"""Reads `row.json`, for what a run's artefacts can no longer give."""

from pathlib import Path
from typing import Any

from analysis.run.readers import files

NAME = "row.json"
MOST_BYTES = 16 << 20


def read(run_directory: Path) -> dict[str, Any]:
    """The row that was made when the run ended; empty if there is none, or none that
    can be read."""
    path = run_directory / NAME
    try:
        if path.is_symlink() or path.stat().st_size > MOST_BYTES:
            return {}
        return files.read_object(path)
    except (OSError, ValueError):
        return {}
