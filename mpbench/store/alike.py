"""Runs that left the same artefacts, by the hashes in their manifests."""

from collections.abc import Mapping

from mpbench.store import manifest
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Run


def hashes(run: Run) -> Mapping[str, str] | None:
    """The SHA-256 of each artefact of a run, by its name; None without a manifest."""
    try:
        files = manifest.read(run).artefacts
    except (DamagedError, OSError):
        return None
    return {name: str(entry["sha256"]) for name, entry in files.items()}


def same(one: Run, other: Run) -> bool:
    """Whether two runs left the same bytes."""
    found = hashes(one)
    return found is not None and found == hashes(other)
