"""Which runs of a plan are to be executed now."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpbench.engine.types import Options, PlannedRun
from mpbench.errors import UserError
from mpbench.store import layout, runs

RETRIED = ("failed", "timeout")


@dataclass(frozen=True)
class Standing:
    """What a results folder holds of a plan.

    rows : of the finished runs of the plan, by id
    damaged : ids in place whose row cannot be read; they are run again
    strangers : how many runs of earlier plans lie beside
    """

    rows: Mapping[str, runs.Row]
    damaged: tuple[str, ...]
    strangers: int

    def verdicts(self) -> Counter[str]:
        return Counter(row["verdict"] for row in self.rows.values())


def standing(results: layout.Results, planned: Sequence[PlannedRun]) -> Standing:
    """Look up every run of the plan in the folder."""
    there = set(runs.finished(results))
    wanted = {run.id for run in planned}
    found = {run_id: runs.read_row(results, run_id) for run_id in wanted & there}
    return Standing(
        rows={run_id: row for run_id, row in found.items() if row is not None},
        damaged=tuple(sorted(key for key, row in found.items() if row is None)),
        strangers=len(there - wanted),
    )


def pending(
    planned: Sequence[PlannedRun], stands: Standing, options: Options
) -> list[PlannedRun]:
    """The runs to execute, in the plan's order, each once.

    Finished ones are left alone; failed and timed-out ones too, as the same
    job would fail again, unless the options say otherwise.
    """
    _check_cases(planned, options.only)
    unique = {run.id: run for run in planned}
    chosen = [
        run
        for run in unique.values()
        if (not options.only or run.case in options.only)
        and _is_due(stands.rows.get(run.id), options.retry_failed)
    ]
    return chosen[: options.limit]


def _is_due(row: runs.Row | None, retry_failed: bool) -> bool:
    return row is None or (retry_failed and row["verdict"] in RETRIED)


def _check_cases(planned: Sequence[PlannedRun], only: Sequence[str]) -> None:
    known = sorted({run.case for run in planned})
    for case in only:
        if case not in known:
            near = difflib.get_close_matches(case, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise UserError(
                f"--only {case}: no such case; {hint or 'known: ' + ', '.join(known)}"
            )
