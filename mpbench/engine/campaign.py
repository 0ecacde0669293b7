"""Runs a campaign, from its plan to a results folder with a table."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.words import many
from mpbench.backends.base import Backend, Report
from mpbench.engine import cpus, display, messages
from mpbench.engine.drive import Driven, Work, drive
from mpbench.engine.execute import ExecutionContext, Outcome
from mpbench.engine.places import LocalCpus, Places
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished
from mpbench.engine.refresh import refresh
from mpbench.engine.reuse import reuse
from mpbench.engine.saving import Saving
from mpbench.engine.select import RETRIED, Standing, pending, standing
from mpbench.engine.twins import Twins
from mpbench.engine.types import (
    AnalysisFunctions,
    Experiment,
    Options,
    PlannedRun,
    entry,
    label,
)
from mpbench.plan.estimate import estimate
from mpbench.store import (
    atomic,
    campaign,
    content,
    design,
    layout,
    provenance,
    runs,
    scratch,
)
from mpbench.store.disk_space import NoSpaceError, explained
from mpbench.store.folder import working

if TYPE_CHECKING:
    from rich.console import Console

Beside = Callable[[Path], AbstractContextManager[str]]
"""From the results folder to what goes on there; its value is a line for the user."""


def run_campaign(
    experiment: Experiment,
    root: Path,
    backend: Backend,
    build: Mapping[str, str],
    analysis: AnalysisFunctions,
    options: Options,
    console: "Console | display.Lines",
    places: Places | None = None,
    beside: Beside | None = None,
) -> int:
    """Execute the unfinished runs of `experiment` in the folder `root`.

    build : what backend.identity() was when the plan was made
    places : where runs are executed; None for CPUs of this machine
    beside : what goes on in the folder while runs are executed
    Returns the exit status: 0 if every run of the plan that is finished is ok,
    1 if some are not, 128 + n after signal n.
    Raises UserError for what the user can put right.
    """
    if places is None:
        places = LocalCpus(cpus.choose(options.jobs, backend.max_parallel))
    planned = experiment.plan.runs
    with working(root, experiment.name) as results:
        copied = reuse(results, experiment.plan, options.reuse)
        stands = standing(results, planned)
        stands = refresh(results, planned, stands, analysis.measure)
        due = pending(planned, stands, options)
        backend.check([run.job for run in due])
        scratch.remove_abandoned()
        earlier = None
        if results.campaign.exists():
            earlier = campaign.read(results.campaign)
        head = _head(experiment, backend, build, earlier)
        _write_head(results, head, experiment)
        content.keep(results, [run.job for run in planned])
        twins = Twins(planned, backend)
        context = _context(results, backend, head, analysis, options, twins)
        saving = Saving(results, head, analysis.tabulate, dict(stands.rows), earlier)
        saving.save_root()
        with beside(root) if beside and due else nullcontext("") as told:
            seen = _display(console, bool(due))
            try:
                for folder, count in copied.items():
                    seen.note(f"{many(count, 'run')} copied from {folder}.")
                where = places.summary(len(due))
                for line in messages.opening(head, stands, due, where, root):
                    seen.note(line)
                for line in twins.lines() if due else ():
                    seen.note(line)
                if told:
                    seen.note(told)
                driven = drive(_work(due, places, context, saving), seen)
            finally:
                seen.close()
            return _close(driven, saving, stands, options, console)


def _display(console: "Console | display.Lines", due: bool) -> display.Display:
    """The display of a campaign. Its panel takes long to load, which only runs need."""
    if not due:
        return display.LineDisplay(console)
    from mpbench.engine import live_display

    return live_display.make(console)


def _head(
    experiment: Experiment,
    backend: Backend,
    build: Mapping[str, str],
    earlier: campaign.Campaign | None,
) -> campaign.Campaign:
    """The new head of the folder, invocations of the old one included."""
    unique = {run.id: entry(run) for run in experiment.plan.runs}
    return campaign.Campaign(
        name=experiment.name,
        spec_hash=experiment.plan.spec_hash,
        backend=backend.name,
        build=dict(build),
        plan=tuple(unique.values()),
        provenance=provenance.collect(backend.provenance()),
        invocations=(
            *(earlier.invocations if earlier else ()),
            provenance.invocation(),
        ),
    )


def _write_head(
    results: layout.Results, head: campaign.Campaign, experiment: Experiment
) -> None:
    with explained(results.root):
        atomic.write_bytes(results.experiment, experiment.text)
        design.write(results.design, head.plan)
        campaign.write(results.campaign, head)


def _context(
    results: layout.Results,
    backend: Backend,
    head: campaign.Campaign,
    analysis: AnalysisFunctions,
    options: Options,
    twins: Twins,
) -> ExecutionContext:
    return ExecutionContext(
        results=results,
        backend=backend,
        build=head.build,
        measure=analysis.measure,
        options=options,
        provenance=head.provenance,
        invocation=head.invocations[-1],
        twins=twins,
    )


def _work(
    due: Sequence[PlannedRun],
    places: Places,
    context: ExecutionContext,
    saving: Saving,
) -> Work:
    repeated = len({run.repetition for run in due}) > 1
    tasks = [
        Task(run.id, label(run, repeated), estimate(run.job).virtual_s, run)
        for run in due
    ]

    def concluded(task: Task, outcome: Outcome) -> Finished:
        saving.add(task.id, outcome.row)
        return Finished(
            task=task,
            verdict=outcome.row["verdict"],
            reason=outcome.row.get("reason", ""),
            virtual_s=outcome.exit.virtual_s,
            wall_s=outcome.exit.wall_s,
            tail=tuple(outcome.row.get("console_tail", ())),
        )

    streak = Streak(context.options.give_up)

    def do(
        task: Task, slot: int, report: Report, cancel: threading.Event
    ) -> Outcome | None:
        def accept(verdict: str) -> bool:
            return streak.accept(verdict, cancel)

        return places.execute(task.subject, context, slot, report, cancel, accept)

    return Work(
        tasks,
        places.slots,
        do,
        concluded,
        tick=saving.now_and_then,
        hopeless=lambda: streak.ended,
        place=places.name,
    )


@dataclass
class Streak:
    """Counts the runs in a row that gave no result; after `most` of them the campaign
    ends, and never if that is 0.

    The workers count, before they take their next run, so that no run beyond `most`
    is begun and then kept.
    """

    most: int
    length: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ended(self) -> bool:
        return 0 < self.most <= self.length

    def accept(self, verdict: str, cancel: threading.Event) -> bool:
        """Count a run; set `cancel` if it ends the campaign. False for a run without
        a result that comes after the end."""
        with self.lock:
            if self.ended:
                return verdict not in RETRIED
            self.length = self.length + 1 if verdict in RETRIED else 0
            if self.ended:
                cancel.set()
            return True


def _close(
    driven: Driven,
    saving: Saving,
    before: Standing,
    options: Options,
    console: "Console | display.Lines",
) -> int:
    """Write the table, raise the error that stopped the campaign, print a summary."""
    if not isinstance(driven.error, NoSpaceError):
        saving.save()
    if driven.error is not None:
        raise driven.error
    now = replace(before, rows=saving.rows, stored=_stored(before, saving))
    for line in messages.closing(driven, now, saving.results, saving.head, options):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if driven.signal_status:
        return driven.signal_status
    return 0 if set(now.verdicts()) <= {"ok"} else 1


def _stored(before: Standing, saving: Saving) -> dict[str, runs.Stored]:
    """Stored state of a run, as far as it says how often the run was interrupted."""
    interrupted = [
        key for key, row in saving.rows.items() if row["verdict"] == "interrupted"
    ]
    return {**before.stored, **runs.read_all(saving.results, interrupted)}
