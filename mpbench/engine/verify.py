"""Same run, same bytes: execute finished runs again and compare every artefact."""

import random
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from mpbench.backends.base import Backend, Exit, Report
from mpbench.engine import cpus, display
from mpbench.engine.bounds import bounds
from mpbench.engine.drive import Work, drive
from mpbench.engine.messages import many
from mpbench.engine.pool import Task
from mpbench.engine.progress import Finished
from mpbench.engine.types import label
from mpbench.errors import UserError
from mpbench.plan.estimate import estimate
from mpbench.store import atomic, campaign, layout, manifest, runs
from mpbench.store.trouble import NoSpaceError, check_space, explained


@dataclass(frozen=True)
class Check:
    """A finished run, as it is to come out again."""

    run: layout.Run
    job: Mapping[str, Any]
    manifest: manifest.Manifest


@dataclass(frozen=True)
class Checked:
    """What the second execution has that the first has not, and the other way."""

    differences: tuple[manifest.Difference, ...]
    exit: Exit


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

    sample : so many runs, drawn with `seed`; None for all
    any_build : compare although the first execution's kernel or tools were others
    only : ids of runs, or their beginnings; none for all
    A run that differs is kept for inspection. Returns 0 if all are the same, 1
    if any differs, 128 + n after signal n.
    Raises UserError if there is nothing to compare with, or, without `any_build`,
    another build.
    """
    head = campaign.read(results.campaign)
    chosen_runs = choose(results, head, sample, seed, only)
    others = builds(chosen_runs, backend.identity())
    if others and not any_build:
        raise UserError(
            f"{others[0]}; verify with that build, compare all the same with "
            "--any-build, or run the experiment anew"
        )
    tasks = [_task(*each) for each in chosen_runs]
    chosen = cpus.choose(jobs, backend.max_parallel)
    scratch = Path(tempfile.mkdtemp(prefix="mpbench-verify-"))

    def do(task: Task, cpu: int, report: Report, cancel: threading.Event) -> Any:
        return again(task.subject, scratch / task.id, backend, cpu, report, cancel)

    seen = display.make(console)
    try:
        for other in others[:1]:
            seen.note(f"Another build: {other}.")
        seen.note(f"{head.name}: executing {many(len(tasks), 'run')} again.")
        driven = drive(Work(tasks, chosen, do, _concluded), seen)
    finally:
        seen.close()
        kept = _kept(scratch)
    if driven.error is not None:
        raise driven.error
    console.print(display.summary(driven.progress), highlight=False, soft_wrap=True)
    if kept:
        line = f"What came out differently lies in {scratch}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if driven.signal_status:
        return driven.signal_status
    return 1 if driven.progress.verdicts["differs"] else 0


def choose(
    results: layout.Results,
    head: campaign.Campaign,
    sample: int | None,
    seed: int,
    only: Sequence[str] = (),
) -> list[tuple[campaign.Entry, layout.Run, str]]:
    """The runs to execute again, finished and of the plan, with their names.

    Runs that never finished (killed, out of time) depend on the host and are
    left out.
    """
    finished = []
    for entry in _named(results, head.plan, only):
        run = results.run(entry.id)
        host = runs.read_json(run.host)
        if host is not None and host["exit"]["status"] == "finished":
            finished.append((entry, run))
    if not finished:
        raise UserError(
            f"{results.root}: no finished run to execute again; "
            "`mpbench run` makes some"
        )
    if sample is not None and sample < len(finished):
        drawn = sorted(random.Random(seed).sample(range(len(finished)), sample))
        finished = [finished[index] for index in drawn]
    repeated = len({entry.repetition for entry in head.plan}) > 1
    return [(entry, run, label(entry, repeated)) for entry, run in finished]


def builds(
    chosen: list[tuple[campaign.Entry, layout.Run, str]], now: Mapping[str, str]
) -> list[str]:
    """What was made by another build than this one, and how they differ."""
    found = []
    for _, run, _ in chosen:
        then = (runs.read_json(run.host) or {})["build"]
        if other := _other_build(then, now):
            found.append(f"{run.root}: made with {other}")
    return found


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
            atomic.write_json(fresh.job, dict(sorted(check.job.items())))
            ended = backend.execute(
                check.job, folder, cpu, bounds(check.job), report, cancel
            )
            if cancel.is_set() and ended.status != "finished":
                return None
            check_space(folder.parent)
            found = differences(check, manifest.take(fresh.artefacts))
            return Checked(tuple(found), ended)
    except NoSpaceError as error:
        raise UserError(
            f"{folder.parent}: no space left; set TMPDIR to a folder with more"
        ) from error
    finally:
        if not found:
            shutil.rmtree(folder, ignore_errors=True)


def differences(check: Check, now: manifest.Manifest) -> list[manifest.Difference]:
    """Where the files on disk, and those removed since, are not those of `now`."""
    removed = {
        name: entry
        for name, entry in check.manifest.items()
        if entry.get("kept") is False
    }
    return manifest.compare({**manifest.take(check.run.artefacts), **removed}, now)


def _other_build(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """How the build of a finished run differs from this one; "" if it does not."""
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


def _task(entry: campaign.Entry, run: layout.Run, name: str) -> Task:
    job, before = runs.read_json(run.job), runs.read_json(run.manifest)
    if job is None or before is None:
        raise UserError(
            f"{run.root}: damaged (no readable job.json or manifest.json); "
            "remove the folder and run the experiment again"
        )
    return Task(entry.id, name, estimate(job).virtual_s, Check(run, job, before))


def _concluded(task: Task, checked: Checked) -> Finished:
    ended = checked.exit
    lines = [f"{each.artefact} {each.what}" for each in checked.differences]
    if ended.status != "finished":
        lines.insert(0, f"{ended.status}: {ended.reason}")
    verdict = "differs" if lines else "same"
    return Finished(task, verdict, "; ".join(lines), ended.virtual_s, ended.wall_s)


def _kept(scratch: Path) -> bool:
    """Remove the scratch folder unless something in it is worth a look."""
    if any(scratch.iterdir()):
        return True
    scratch.rmdir()
    return False
