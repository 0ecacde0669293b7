"""Finished runs that are to be measured in another way: no run is executed again.

How a run is measured (names of its traffic, phases) is no part of its id, but it is
part of its job. Where the plan now says it otherwise than a finished run's job does,
the job is written again, and the row is computed again from the stored artefacts. Where
the plan gives a run another case or number, its row is labelled so.
"""

from collections.abc import Sequence
from dataclasses import replace

from mpbench.backends.base import Exit
from mpbench.engine.select import Standing
from mpbench.engine.types import Measure, PlannedRun, entry
from mpbench.engine.verdict import make_row
from mpbench.plan.stored_jobs import read_job
from mpbench.store import atomic, layout, manifest, places, runs
from mpbench.store.json_file import DamagedError
from mpbench.store.trees import remove_tree


def refresh(
    results: layout.Results,
    planned: Sequence[PlannedRun],
    stands: Standing,
    measure: Measure,
) -> Standing:
    """Contents of the folder once those rows are computed again.

    A row whose rewriting was cut short is computed again too. A run of which nothing
    but the row was kept counts as damaged instead, so it is executed.
    """
    rows, damaged = dict(stands.rows), dict(stands.damaged)
    for run in planned:
        stored = stands.stored.get(run.id)
        if stored is None or run.id not in rows or stored.host is None:
            continue
        try:
            job = read_job(results, run.id)
            if job.report == run.job.report and not stored.unsettled:
                rows[run.id] = _labelled(results, run, rows[run.id])
                continue
            if stored.host.has_row_alone:
                raise DamagedError("its row alone was kept, and its job is another now")
            ended = Exit(**stored.host.exit.model_dump())
            row = _measured_anew(results, run, ended, measure)
        except DamagedError as error:
            del rows[run.id]
            damaged[run.id] = str(error)
        else:
            rows[run.id] = row
    return replace(stands, rows=rows, damaged=damaged)


def _labelled(results: layout.Results, run: PlannedRun, row: runs.Row) -> runs.Row:
    """The row with the plan's labels, stored if it had others: a case that has
    another name now, or a point of a design that grew."""
    named = places.relabelled(row, entry(run))
    if named != row:
        manifest.rewrite(results.run(run.id), {"row.json": atomic.encode(named)})
    return named


def _measured_anew(
    results: layout.Results, run: PlannedRun, ended: Exit, measure: Measure
) -> runs.Row:
    """The row by the plan's job, stored together with that job.

    Row and job are replaced in one step of the manifest, so the row is measured in a
    folder aside, which has the new job and a link to the artefacts.
    """
    folder, aside = results.run(run.id), results.partial(run.id)
    job = atomic.encode(runs.document(run.job))
    remove_tree(aside.root)
    aside.root.mkdir()
    try:
        aside.job.write_bytes(job)
        aside.artefacts.symlink_to(folder.artefacts.resolve())
        row = make_row(entry(run), aside, ended, measure)
    finally:
        remove_tree(aside.root)
    manifest.rewrite(folder, {"job.json": job, "row.json": atomic.encode(row)})
    return row
