"""Takes over runs that another results folder holds already.

A run's id is the hash of its job and of its build, so a run with the same id has the
same outcome wherever it was executed. Campaigns that differ in one case, or in one part
of a configuration, share all other runs.

Of a folder of kept rows only the row of a run can be taken over. Its `host.json` says
so: the status of its exit is ``kept``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mpbench.engine.select import RETRIED
from mpbench.engine.types import Plan
from mpbench.errors import UserError
from mpbench.plan.stored_jobs import read_job
from mpbench.store import campaign, kept_rows, layout, provenance, runs
from mpbench.store.disk_space import explained
from mpbench.store.folder import refuse_links
from mpbench.store.json_file import DamagedError
from mpbench.store.records import KEPT


def reuse(
    results: layout.Results, plan: Plan, folders: tuple[Path, ...]
) -> dict[Path, int]:
    """Take over runs of the plan from other folders, as far as they have them.

    folders : of results or of kept rows

    A run is copied if `results` lacks it, its files are those of its manifest, its job
    is the one that gave it its id, and it gave a result. A kept row has to come from
    this very plan, because nothing else says how its run was measured.

    Returns the number of runs copied from each folder. Raises UserError if one of
    `folders` is neither results nor kept rows, or is `results` itself.
    """
    counts = {}
    for folder in folders:
        missing = {run.id: run for run in plan.runs}
        for run_id in runs.finished(results):
            missing.pop(run_id, None)
        with explained(results.root):
            if kept_rows.there(folder):
                counts[folder] = _rows(results, plan, folder, missing)
            else:
                counts[folder] = _runs(results, folder, missing)
    return counts


def _runs(results: layout.Results, folder: Path, missing: Mapping[str, Any]) -> int:
    """Copy runs from the results in `folder`; how many."""
    other = layout.Results(folder)
    campaign.read(other.campaign)
    refuse_links(other)
    if folder.resolve() == results.root.resolve():
        raise UserError(f"--reuse {folder}: is the folder of this campaign")
    there = set(runs.finished(other))
    chosen = [key for key in missing if key in there and _is_sound(other, key)]
    for run_id in chosen:
        runs.copy(other, results, run_id)
    return len(chosen)


def _is_sound(other: layout.Results, run_id: str) -> bool:
    stored = runs.read(other, run_id)
    if stored is None or stored.row is None or stored.row["verdict"] in RETRIED:
        return False
    try:
        read_job(other, run_id)
    except DamagedError:
        return False
    return True


def _rows(
    results: layout.Results, plan: Plan, folder: Path, missing: Mapping[str, Any]
) -> int:
    """Make runs that have nothing but the rows in `folder`; how many."""
    kept = kept_rows.read(folder)
    if kept.head.spec_hash != plan.spec_hash:
        return 0
    host = _host(kept.head, folder)
    chosen = [
        row
        for row in kept.rows
        if row["id"] in missing and row["verdict"] not in RETRIED
    ]
    for row in chosen:
        run_id = row["id"]
        runs.begin(results, run_id, missing[run_id].job)
        runs.finish(results, run_id, runs.Record({}, host, row))
    return len(chosen)


def _host(head: kept_rows.Head, folder: Path) -> dict[str, Any]:
    """`host.json` of a run of which nothing but the row was kept."""
    reason = f"the row alone, from {folder}; the run's files were not kept"
    return {
        "format": layout.FORMAT,
        "backend": head.backend,
        "build": head.build,
        "exit": {"status": KEPT, "reason": reason, "wall_s": 0.0, "virtual_s": 0.0},
        "cpu": None,
        "begun": "",
        "ended": "",
        "invocation": provenance.invocation(),
        "provenance": head.provenance.model_dump(),
    }
