"""Same run, same bytes: execute finished runs again and compare every artefact."""

import random
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from analysis.words import many
from jobs import Job
from mpbench.backends.base import Backend, Exit, Report
from mpbench.engine import cpus, display, live_display, tolerance, whole
from mpbench.engine.bounds import bounds
from mpbench.engine.drive import Work, drive
from mpbench.engine.messages import uncovered
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished
from mpbench.engine.tolerance import NONE, Numbers
from mpbench.engine.types import AnalysisFunctions, label
from mpbench.errors import UserError
from mpbench.plan.estimate import estimate
from mpbench.plan.stored_jobs import OlderFormatError, read_job
from mpbench.store import atomic, campaign, content, layout, manifest, runs, scratch
from mpbench.store.disk_space import NoSpaceError, check_space, explained
from mpbench.store.json_file import DamagedError
from mpbench.store.records import Software


@dataclass(frozen=True)
class Check:
    """A stored run that is to be executed again.

    job : validated, and the one that gave the run its id
    manifest : of the artefacts of the first execution
    stored_fault : how the stored run differs from its manifest, "" if it does not
    """

    run: layout.Run
    job: Job
    manifest: manifest.Files
    stored_fault: str


@dataclass(frozen=True)
class Checked:
    """Differences of the second execution from the first, and its end.

    numbers : those of a machine in QEMU that differ, and may
    """

    differences: tuple[manifest.Difference, ...]
    exit: Exit
    numbers: Numbers = NONE


@dataclass(frozen=True)
class Chosen:
    """A finished run of the plan, its name for people, and what made it."""

    entry: campaign.Entry
    run: layout.Run
    name: str
    build: Mapping[str, str]
    software: Software


def verify(
    results: layout.Results,
    backend: Backend,
    console: Console,
    jobs: int | None = None,
    sample: int | None = None,
    seed: int = 1,
    any_build: bool = False,
    only: Sequence[str] = (),
) -> int:
    """Execute finished runs of the plan again, elsewhere; compare all artefacts.

    sample : how many runs, drawn with `seed`; None for all
    any_build : compare although the first execution's kernel or tools were others
    only : ids of runs, or their beginnings; none for all

    A run that differs is kept for inspection. Every job is validated before the first
    is executed. Returns 0 if all runs are the same, 1 if any differs, 128 + n after
    signal n.
    Raises UserError if there is nothing to compare with, if a job is not one that
    mpbench wrote, or, without `any_build`, if another build made the runs.
    """
    head = campaign.read(results.campaign)
    chosen_runs = choose(results, head, sample, seed, only)
    other = first_of_another_build(chosen_runs, backend.identity())
    if other and not any_build:
        raise UserError(
            f"{other.words}; verify with that build{other.maker}, compare all the "
            "same with --any-build, or run the experiment again"
        )
    tasks = [_task(results, chosen) for chosen in chosen_runs]
    chosen_cpus = cpus.choose(jobs, backend.max_parallel)
    with scratch.folder("verify") as folder:

        def do(task: Task, cpu: int, report: Report, cancel: threading.Event) -> Any:
            return again(task.subject, folder / task.id, backend, cpu, report, cancel)

        seen = live_display.make(console)
        try:
            if other:
                seen.note(f"Another build: {other.words}.")
            seen.note(f"{head.name}: executing {many(len(tasks), 'run')} again.")
            driven = drive(Work(tasks, chosen_cpus, do, _concluded), seen)
        finally:
            seen.close()
            kept = _keep(folder)
    if driven.error is not None:
        raise driven.error
    console.print(display.summary(driven.progress), highlight=False, soft_wrap=True)
    if kept:
        line = f"What came out differently lies in {folder}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if driven.signal_status:
        return driven.signal_status
    return 1 if driven.progress.verdicts["differs"] else 0


def verify_stored(
    results: layout.Results,
    console: Console,
    only: Sequence[str] = (),
    analysis: AnalysisFunctions | None = None,
) -> int:
    """Compare every stored run with its manifest, and execute nothing.

    The folder is compared with its root, the plan with the experiment and with the
    rows' own labels, rows with the artefacts, and tables with the rows.

    only : ids of runs, or their beginnings; none for all
    analysis : makes rows and tables; None leaves both as they are

    Returns 0 if every stored run of the plan and every file beside them is sound, 1 if
    any is not.
    """
    head = campaign.read(results.campaign)
    entries = _named(results, head.plan, only)
    stored = runs.read_all(results, (entry.id for entry in entries))
    repeated = _repeated(head)
    damaged = unjudged = 0

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    for entry in {entry.id: entry for entry in entries}.values():
        if entry.id not in stored:
            continue
        fault = stored[entry.id].fault or _job_fault(results, entry.id)
        if fault:
            damaged += 1
            say(f"{entry.id} {label(entry, repeated)}: {fault}")
        elif not stored[entry.id].covered:
            unjudged += 1
    if not stored:
        raise UserError(f"{results.root}: no run is stored; `mpbench run` makes some")
    if unjudged:
        say(uncovered(unjudged, results.root))
    beside = [] if only else list(whole.faults(results, head, stored, analysis))
    for fault in beside:
        say(fault)
    sound = len(stored) - damaged - unjudged
    counted = f"{sound} as stored, {damaged} damaged"
    counted += f", {unjudged} without a covered row" if unjudged else ""
    say(f"{head.name}: {many(len(stored), 'run')} compared with manifests: {counted}")
    if not only:
        say(whole.root_line(results, head, stored))
    if damaged:
        say("`mpbench run` executes damaged runs again.")
    return 1 if damaged or beside else 0


def _job_fault(results: layout.Results, run_id: str) -> str:
    """Fault of the job of a stored run; "" for one of an older format, which this
    mpbench cannot judge."""
    try:
        read_job(results, run_id)
    except OlderFormatError:
        return ""
    except DamagedError as error:
        return str(error)
    return ""


def choose(
    results: layout.Results,
    head: campaign.Campaign,
    sample: int | None,
    seed: int,
    only: Sequence[str] = (),
) -> list[Chosen]:
    """The runs to execute again: finished, and of the plan.

    Runs that never finished (killed, out of time) depend on the host and are
    left out.
    """
    repeated = _repeated(head)
    finished = []
    unique = {entry.id: entry for entry in _named(results, head.plan, only)}
    for entry in unique.values():
        try:
            host = runs.read_host(results, entry.id)
        except DamagedError:
            continue
        if host.exit.status == "finished":
            run, name = results.run(entry.id), label(entry, repeated)
            software = host.provenance.mpbench
            finished.append(Chosen(entry, run, name, host.build, software))
    if not finished:
        raise UserError(
            f"{results.root}: no finished run to execute again; "
            "`mpbench run` makes some"
        )
    if sample is not None and sample < len(finished):
        drawn = sorted(random.Random(seed).sample(range(len(finished)), sample))
        finished = [finished[index] for index in drawn]
    return finished


@dataclass(frozen=True)
class Other:
    """Results of another build.

    words : the run, and how its build differs from this one
    maker : the version and the commit of its mpbench, in brackets, if they are known
    """

    words: str
    maker: str


def first_of_another_build(
    chosen: Sequence[Chosen], now: Mapping[str, str]
) -> Other | None:
    """The first run that another build than this one made; None if there is none."""
    for run in chosen:
        if differs := _other_build(run.build, now):
            made = run.software
            named = [f"mpbench {made.version}"] if made.version else []
            named += [f"commit {made.commit}"] if made.commit else []
            maker = f" ({', '.join(named)})" if named else ""
            return Other(f"{run.run.root}: made with {differs}", maker)
    return None


def _repeated(head: campaign.Campaign) -> bool:
    return len({entry.repetition for entry in head.plan}) > 1


def _named(
    results: layout.Results, plan: Sequence[campaign.Entry], only: Sequence[str]
) -> list[campaign.Entry]:
    """The runs of the plan whose ids begin like one of `only`; all if there is none."""
    for name in only:
        if not any(entry.id.startswith(name) for entry in plan):
            raise UserError(
                f"{name}: no run of {results.root} has an id that begins so; their ids "
                "are the folders in runs/"
            )
    if not only:
        return list(plan)
    return [entry for entry in plan if entry.id.startswith(tuple(only))]


def again(
    check: Check,
    folder: Path,
    backend: Backend,
    cpu: int | None,
    report: Report,
    cancel: threading.Event,
) -> Checked | None:
    """Execute a run in `folder`, which stays only if something differs."""
    fresh, found = layout.Run(folder), None
    try:
        with explained(folder.parent):
            fresh.artefacts.mkdir(parents=True)
            atomic.write_json(fresh.job, runs.document(check.job))
            ended = backend.execute(
                check.job, folder, cpu, bounds(check.job), report, cancel
            )
            if cancel.is_set() and ended.status != "finished":
                return None
            check_space(folder.parent)
            files, numbers = compared(check, fresh)
            found = differences(check, files)
            return Checked(tuple(found), ended, numbers)
    except NoSpaceError as error:
        raise UserError(
            f"{folder.parent}: no space left; set TMPDIR to a folder with more"
        ) from error
    finally:
        if not found:
            shutil.rmtree(folder, ignore_errors=True)


def compared(check: Check, fresh: layout.Run) -> tuple[manifest.Files, Numbers]:
    """The files of a second execution, as they are compared with those on disk.

    For a machine in QEMU, files that differ in listed numbers alone count as equal;
    see `tolerance`.
    """
    now = manifest.take(fresh.artefacts)
    if check.job.linux is None or not check.job.linux.in_qemu:
        return now, NONE
    folders = check.run.artefacts, fresh.artefacts
    return tolerance.without(manifest.take(check.run.artefacts), now, folders)


def differences(check: Check, now: manifest.Files) -> list[manifest.Difference]:
    """Differences between the files of a second execution and those on disk.

    Files that were removed on purpose are compared by their hashes in the manifest.
    What differs between the disk and the manifest is told as well.
    """
    removed = {
        name: entry
        for name, entry in check.manifest.items()
        if entry.get("kept") is False
    }
    found = manifest.compare({**manifest.take(check.run.artefacts), **removed}, now)
    if check.stored_fault:
        found.append(manifest.Difference("stored run:", check.stored_fault))
    return found


def _other_build(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Difference between the build of a finished run and this one; "" if there is
    none."""
    found = []
    for key in sorted(then.keys() | now.keys()):
        was, present = then.get(key), now.get(key)
        if was != present:
            was, present = _apart(was, present), _apart(present, was)
            found.append(f"{key} {was}, here it is {present}")
    return "; ".join(found)


def _apart(text: str | None, other: str | None) -> str:
    """The words of a list that the other has not; a word alone stays whole."""
    if text is None:
        return "none"
    words = [word for word in text.split() if word not in (other or "").split()]
    return " ".join(words) or "without"


def check_of(results: layout.Results, chosen: Chosen) -> Check:
    """The stored run, ready to be executed again; raises UserError if damaged."""
    try:
        job = read_job(results, chosen.entry.id)
        listed = manifest.read(chosen.run)
    except DamagedError as error:
        raise UserError(
            f"{chosen.run.root}: damaged ({error}), so it is not executed; "
            "remove the folder and run the experiment again"
        ) from error
    content.restore(results, job)
    stored = runs.read(results, chosen.entry.id)
    fault = stored.fault if stored else "missing"
    return Check(chosen.run, job, listed.artefacts, fault)


def _task(results: layout.Results, chosen: Chosen) -> Task:
    check = check_of(results, chosen)
    virtual_s = estimate(check.job).virtual_s
    return Task(chosen.entry.id, chosen.name, virtual_s, check)


def _concluded(task: Task, checked: Checked) -> Finished:
    ended = checked.exit
    lines = [f"{item.artefact} {item.what}" for item in checked.differences]
    if ended.status != "finished":
        lines.insert(0, f"{ended.status}: {ended.reason}")
    verdict = "differs" if lines else "same"
    reason = "; ".join(lines) or checked.numbers.words
    return Finished(task, verdict, reason, ended.virtual_s, ended.wall_s)


def _keep(folder: Path) -> bool:
    """Keep the temporary folder if it holds a run that is worth a look."""
    if any(path.name != scratch.MARK for path in folder.iterdir()):
        scratch.keep(folder)
        return True
    return False
