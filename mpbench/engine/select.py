"""Selects the runs of a plan that are to be executed now."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpbench.engine.limits import MOST_ATTEMPTS
from mpbench.engine.types import Identified, Options, PlannedRun
from mpbench.errors import UserError
from mpbench.store import layout, runs

RETRIED = ("failed", "timeout", "interrupted")
"""Verdicts of runs that `--retry-failed` executes once more."""


@dataclass(frozen=True)
class Standing:
    """Runs of a plan that a results folder holds.

    rows : of the finished runs of the plan, by id
    damaged : what is wrong with the runs of the plan that cannot be used, by id; they
        are executed again
    others : how many runs of earlier plans the folder holds beside
    stored : the runs of the plan as they were read, by id
    """

    rows: Mapping[str, runs.Row]
    damaged: Mapping[str, str]
    others: int
    stored: Mapping[str, runs.Stored]

    def verdicts(self) -> Counter[str]:
        return Counter(row["verdict"] for row in self.rows.values())

    @property
    def uncovered(self) -> int:
        """Number of rows that no manifest covers, as an older mpbench wrote them."""
        return sum(
            run_id in self.rows and not stored.covered
            for run_id, stored in self.stored.items()
        )

    def attempts(self, run_id: str) -> int:
        """Number of executions of a run in a row that the host has cut short."""
        stored = self.stored.get(run_id)
        return stored.host.attempts if stored and stored.host else 0

    def given_up(self) -> list[str]:
        """Interrupted runs that a plain resume does not execute any more."""
        return [
            run_id
            for run_id, row in self.rows.items()
            if row["verdict"] == "interrupted"
            and self.attempts(run_id) >= MOST_ATTEMPTS
        ]


def standing(results: layout.Results, planned: Sequence[Identified]) -> Standing:
    """Read every run of the plan that is in the folder, and compare it with its
    manifest."""
    there = set(runs.finished(results))
    wanted = {run.id for run in planned}
    stored = runs.read_all(results, sorted(wanted & there))
    return Standing(
        rows={key: s.row for key, s in stored.items() if s.row is not None},
        damaged={key: s.fault for key, s in stored.items() if s.row is None},
        others=len(there - wanted),
        stored=stored,
    )


def pending(
    planned: Sequence[PlannedRun], stands: Standing, options: Options
) -> list[PlannedRun]:
    """The runs to execute, in the plan's order, each once.

    Finished runs are left alone. A failed or timed-out run is left alone too,
    because the same job would fail again, unless the options ask for it. A run that
    the host cut short is executed again, up to MOST_ATTEMPTS times in all.
    """
    _check_cases(planned, options.only)
    unique = {run.id: run for run in planned}
    part = options.shard.ids(unique) if options.shard else unique.keys()
    chosen = [
        run
        for run in unique.values()
        if run.id in part
        and (not options.only or run.case in options.only)
        and _is_due(run.id, stands, options.retry_failed)
    ]
    return chosen[: options.limit]


def _is_due(run_id: str, stands: Standing, retry_failed: bool) -> bool:
    row = stands.rows.get(run_id)
    if row is None:
        return True
    if row["verdict"] == "interrupted" and stands.attempts(run_id) < MOST_ATTEMPTS:
        return True
    return retry_failed and row["verdict"] in RETRIED


def _check_cases(planned: Sequence[PlannedRun], only: Sequence[str]) -> None:
    known = sorted({run.case for run in planned})
    for case in only:
        if case not in known:
            near = difflib.get_close_matches(case, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise UserError(
                f"--only {case}: no such case; {hint or 'known: ' + ', '.join(known)}"
            )
