"""Executes one run, from its job to its finished folder."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mpbench.backends.base import Backend, Bounds, Exit, Report
from mpbench.engine.bounds import bounds
from mpbench.engine.twins import Twins
from mpbench.engine.types import Measure, Options, PlannedRun, entry
from mpbench.engine.verdict import make_row
from mpbench.store import layout, manifest, provenance, runs
from mpbench.store.disk_space import check_space, explained
from mpbench.store.json_file import DamagedError


@dataclass(frozen=True)
class ExecutionContext:
    """Needs of an execution that are the same for every run.

    build : what the backend's identity was when the plan was made
    provenance : kept beside every run
    twins : runs that have the same outcome; None where nothing is copied
    """

    results: layout.Results
    backend: Backend
    build: Mapping[str, str]
    measure: Measure
    options: Options
    provenance: Mapping[str, Any]
    invocation: Mapping[str, Any]
    twins: Twins | None = None


@dataclass(frozen=True)
class Outcome:
    """A finished run: its row, and how its execution ended."""

    row: runs.Row
    exit: Exit


def execute(
    run: PlannedRun,
    context: ExecutionContext,
    cpu: int | None,
    report: Report,
    cancel: threading.Event,
    accept: Callable[[str], bool] = lambda verdict: True,
    earlier: int | None = None,
) -> Outcome | None:
    """Execute `run` aside, judge it, and put it in its place; None if cancelled.

    accept : of a verdict, whether the run is to be kept
    earlier : how many executions in a row the host has cut short before; None to read
        it from the stored run

    Raises UserError (NoSpaceError among them) if no further run could be executed
    either.
    """
    results = context.results
    with explained(results.root):
        attempts = interruptions(results, run.id) if earlier is None else earlier
        try:
            folder = runs.begin(results, run.id, run.job)
            begun = provenance.now()
            twin = context.twins.copy(results, run) if context.twins else None
            if twin is not None:
                _, ended = twin
            else:
                bounds_ = _bounds(run, context.options)
                ended = context.backend.execute(
                    run.job, folder.root, cpu, bounds_, report, cancel
                )
            if ended.status == "cancelled" or (
                cancel.is_set() and ended.status != "finished"
            ):
                runs.discard(results, run.id)
                return None
            check_space(results.root)
            if removed := runs.clean(folder, run.job):
                ended = replace(ended, status="failed", reason=_not_plain(removed))
            row = make_row(entry(run), folder, ended, context.measure)
            if not accept(row["verdict"]):
                runs.discard(results, run.id)
                return None
            taken = manifest.take(folder.artefacts)
            drop_captures(folder, taken, context.options.keep_captures, row["verdict"])
            host = _host(context, ended, cpu, begun)
            if twin is not None:
                host["copied_from"] = twin[0]
            host["attempts"] = attempts + 1 if row["verdict"] == "interrupted" else 0
            runs.finish(results, run.id, runs.Record(taken, host, row))
        except BaseException:
            runs.discard(results, run.id)
            raise
    return Outcome(row, ended)


def interruptions(results: layout.Results, run_id: str) -> int:
    """Number of executions in a row of a stored run that the host has cut short."""
    try:
        return runs.read_host(results, run_id).attempts
    except DamagedError:
        return 0


def drop_captures(
    folder: layout.Run, taken: manifest.Files, keep: str, verdict: str
) -> None:
    """Remove packet captures that are not to be kept; their hashes stay in `taken`."""
    if keep == "all" or (keep == "failed" and verdict != "ok"):
        return
    for name in filter(manifest.is_capture, taken):
        (folder.artefacts / name).unlink()
        taken[name]["kept"] = False


def _not_plain(names: Sequence[str]) -> str:
    return f"the guest left what is not a regular file: {', '.join(names[:3])}"


def _bounds(run: PlannedRun, options: Options) -> Bounds:
    return bounds(run.job, options.wall_limit_s, options.silence_limit_s)


def _host(
    context: ExecutionContext, ended: Exit, cpu: int | None, begun: str
) -> dict[str, Any]:
    return {
        "format": layout.FORMAT,
        "backend": context.backend.name,
        "build": dict(context.build),
        "exit": asdict(ended),
        "cpu": cpu,
        "begun": begun,
        "ended": provenance.now(),
        "invocation": dict(context.invocation),
        "provenance": dict(context.provenance),
    }
