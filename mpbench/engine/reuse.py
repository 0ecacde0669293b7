"""Takes over runs that another results folder holds already.

A run's id is the hash of its job and of its build, so a run with the same id has the
same outcome wherever it was executed. Campaigns that differ in one case, or in one part
of a configuration, share all other runs.
"""

from collections.abc import Sequence
from pathlib import Path

from mpbench.engine.select import RETRIED
from mpbench.engine.types import Identified
from mpbench.errors import UserError
from mpbench.store import campaign, layout, runs
from mpbench.store.disk_space import explained
from mpbench.store.folder import refuse_links
from mpbench.store.json_file import DamagedError


def reuse(
    results: layout.Results, planned: Sequence[Identified], folders: Sequence[Path]
) -> dict[Path, int]:
    """Copy runs of the plan from other results folders, as far as they have them.

    A run is copied if `results` lacks it, its files are those of its manifest, its job
    is the one that gave it its id, and it gave a result.

    Returns the number of runs copied from each folder. Raises UserError if one of
    `folders` is no results folder, or is `results` itself.
    """
    counts = {}
    for folder in folders:
        other = layout.Results(folder)
        campaign.read(other.campaign)
        refuse_links(other)
        if folder.resolve() == results.root.resolve():
            raise UserError(f"--reuse {folder}: is the folder of this campaign")
        counts[folder] = 0
        there = set(runs.finished(other)) - set(runs.finished(results))
        with explained(results.root):
            for run_id in dict.fromkeys(run.id for run in planned):
                if run_id in there and _is_sound(other, run_id):
                    runs.copy(other, results, run_id)
                    counts[folder] += 1
    return counts


def _is_sound(other: layout.Results, run_id: str) -> bool:
    stored = runs.read(other, run_id)
    if stored is None or stored.row is None or stored.row["verdict"] in RETRIED:
        return False
    try:
        runs.read_job(other, run_id)
    except DamagedError:
        return False
    return True
