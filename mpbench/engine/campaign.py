"""A whole campaign: from a plan to a results folder with its table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from mpbench.backends.base import Backend
from mpbench.engine import cpus, display, messages
from mpbench.engine.drive import Driven, Work, drive
from mpbench.engine.execute import Outcome, Workshop, execute
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished
from mpbench.engine.refresh import refresh
from mpbench.engine.saving import Saving
from mpbench.engine.select import RETRIED, Standing, pending, standing
from mpbench.engine.types import (
    Experiment,
    Measure,
    Options,
    PlannedRun,
    entry,
    label,
)
from mpbench.plan.estimate import estimate
from mpbench.store import atomic, campaign, design, layout, provenance
from mpbench.store.folder import working
from mpbench.store.table import Tabulate
from mpbench.store.trouble import NoSpaceError, explained


@dataclass(frozen=True)
class Rooms:
    """The functions of other rooms that the engine calls.

    measure : a run's folder to its metrics (analysis.run.row.row)
    tabulate : rows to the table (analysis.campaign.table.build)
    """

    measure: Measure
    tabulate: Tabulate


def run_campaign(
    experiment: Experiment,
    root: Path,
    backend: Backend,
    build: Mapping[str, str],
    rooms: Rooms,
    options: Options,
    console: Console,
) -> int:
    """Execute what is not yet finished of `experiment` in the folder `root`.

    build : backend.identity(), as it entered the plan
    Returns the exit status: 0 if every run of the plan that is finished is ok,
    1 if some are not, 128 + n after signal n.
    Raises UserError for what the user can put right.
    """
    chosen = cpus.choose(options.jobs, backend.max_parallel)
    planned = experiment.plan.runs
    with working(root, experiment.name) as results:
        stands = standing(results, planned)
        stands = refresh(results, planned, stands, rooms.measure)
        due = pending(planned, stands, options)
        head = _head(experiment, backend, build, results)
        _write_head(results, head, experiment)
        shop = _workshop(results, backend, head, rooms, options)
        saving = Saving(results, head, rooms.tabulate, dict(stands.rows))
        seen = display.make(console)
        try:
            for line in messages.opening(head, stands, due, chosen, root):
                seen.note(line)
            driven = drive(_work(due, chosen, shop, saving), seen)
        finally:
            seen.close()
        return _close(driven, saving, stands, options, console)


def _head(
    experiment: Experiment,
    backend: Backend,
    build: Mapping[str, str],
    results: layout.Results,
) -> campaign.Campaign:
    """The new head of the folder, invocations of the old one included."""
    earlier: tuple[Mapping, ...] = ()
    if results.campaign.exists():
        earlier = campaign.read(results.campaign).invocations
    unique = {run.id: entry(run) for run in experiment.plan.runs}
    return campaign.Campaign(
        name=experiment.name,
        spec_hash=experiment.plan.spec_hash,
        backend=backend.name,
        build=dict(build),
        plan=tuple(unique.values()),
        provenance=provenance.collect(backend.provenance()),
        invocations=(*earlier, provenance.invocation()),
    )


def _write_head(
    results: layout.Results, head: campaign.Campaign, experiment: Experiment
) -> None:
    with explained(results.root):
        atomic.write_bytes(results.experiment, experiment.text)
        design.write(results.design, head.plan)
        campaign.write(results.campaign, head)


def _workshop(
    results: layout.Results,
    backend: Backend,
    head: campaign.Campaign,
    rooms: Rooms,
    options: Options,
) -> Workshop:
    return Workshop(
        results=results,
        backend=backend,
        build=head.build,
        measure=rooms.measure,
        options=options,
        provenance=head.provenance,
        invocation=head.invocations[-1],
    )


def _work(
    due: Sequence[PlannedRun], chosen: Sequence[int], shop: Workshop, saving: Saving
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

    def do(task, cpu, report, cancel):
        return execute(task.subject, shop, cpu, report, cancel)

    streak = Streak(shop.options.give_up)
    return Work(tasks, chosen, do, concluded, saving.now_and_then, streak.ends)


@dataclass
class Streak:
    """Runs in a row that came to nothing, of which `most` are enough; 0 are never."""

    most: int
    length: int = 0

    def ends(self, verdict: str) -> bool:
        self.length = self.length + 1 if verdict in RETRIED else 0
        return 0 < self.most <= self.length


def _close(
    driven: Driven,
    saving: Saving,
    before: Standing,
    options: Options,
    console: Console,
) -> int:
    """Write the table, raise what stopped the campaign, say what came of it."""
    if not isinstance(driven.error, NoSpaceError):
        saving.save()
    if driven.error is not None:
        raise driven.error
    now = replace(before, rows=saving.rows)
    for line in messages.closing(driven, now, saving.results, saving.head, options):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if driven.signal_status:
        return driven.signal_status
    return 0 if set(now.verdicts()) <= {"ok"} else 1
