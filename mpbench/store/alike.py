"""Runs that left the same artefacts, by the hashes in their manifests."""

from collections.abc import Mapping

from mpbench.store import manifest
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Run

LAB_ALONE = "events.csv"
"""The artefact that stock Linux cannot leave."""


def hashes(run: Run) -> Mapping[str, str] | None:
    """The SHA-256 of each artefact of a run, by its name; None without a manifest."""
    try:
        files = manifest.read(run).artefacts
    except (DamagedError, OSError):
        return None
    return {name: str(entry["sha256"]) for name, entry in files.items()}


def same(one: Run, other: Run) -> bool:
    """Whether two runs left the same bytes.

    The list of events counts only where both runs have it, so that stock Linux can be
    compared with mpbench's.
    """
    found, others = hashes(one), hashes(other)
    if found is None or others is None:
        return False
    left_out = {LAB_ALONE} if (LAB_ALONE in found) != (LAB_ALONE in others) else set()
    return all(
        found.get(name) == others.get(name)
        for name in (found.keys() | others.keys()) - left_out
    )
