"""Finished runs that are to be measured in another way: no run is executed again.

How a run is measured (names of its traffic, phases) is no part of its id, but of
its job. Where a finished run's job says it otherwise than the plan, the job is
written anew and the row made from the artefacts that are there.
"""

from collections.abc import Sequence
from dataclasses import replace

from mpbench.backends.base import Exit
from mpbench.engine.select import Standing
from mpbench.engine.types import Measure, PlannedRun, entry
from mpbench.engine.verdict import make_row
from mpbench.plan.jobs import REPORT
from mpbench.store import atomic, layout, runs


def refresh(
    results: layout.Results,
    planned: Sequence[PlannedRun],
    stands: Standing,
    measure: Measure,
) -> Standing:
    """What the folder holds once those rows are made anew."""
    rows = dict(stands.rows)
    for run in planned:
        folder = results.run(run.id)
        if run.id not in rows:
            continue
        job, host = runs.read_json(folder.job), runs.read_json(folder.host)
        if job is None or host is None or job.get(REPORT) == run.job.get(REPORT):
            continue
        atomic.write_json(folder.job, dict(sorted(run.job.items())))
        rows[run.id] = make_row(entry(run), folder, Exit(**host["exit"]), measure)
        atomic.write_json(folder.row, rows[run.id])
    return replace(stands, rows=rows)
