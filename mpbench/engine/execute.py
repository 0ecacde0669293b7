"""One run from job to finished folder."""

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mpbench.backends.base import Backend, Bounds, Exit, Report
from mpbench.engine.bounds import bounds
from mpbench.engine.types import Measure, Options, PlannedRun, entry
from mpbench.engine.verdict import make_row
from mpbench.store import layout, manifest, provenance, runs
from mpbench.store.trouble import check_space, explained


@dataclass(frozen=True)
class Workshop:
    """All that executing a run needs and that is the same for every run.

    build : what the backend's identity was when the plan was made
    provenance : kept beside every run
    """

    results: layout.Results
    backend: Backend
    build: Mapping[str, str]
    measure: Measure
    options: Options
    provenance: Mapping[str, Any]
    invocation: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """A finished run: its row, and how its execution ended."""

    row: runs.Row
    exit: Exit


def execute(
    run: PlannedRun,
    shop: Workshop,
    cpu: int | None,
    report: Report,
    cancel: threading.Event,
) -> Outcome | None:
    """Execute `run` aside, judge it, and put it in its place; None if cancelled.

    Raises UserError (NoSpaceError among them) where going on makes no sense.
    """
    with explained(shop.results.root):
        try:
            folder = runs.begin(shop.results, run.id, run.job)
            begun = provenance.now()
            ended = shop.backend.execute(
                run.job, folder.root, cpu, _bounds(run, shop.options), report, cancel
            )
            if ended.status == "cancelled" or (
                cancel.is_set() and ended.status != "finished"
            ):
                runs.discard(shop.results, run.id)
                return None
            check_space(shop.results.root)
            row = make_row(entry(run), folder, ended, shop.measure)
            taken = manifest.take(folder.artefacts)
            drop_captures(folder, taken, shop.options.keep_captures, row["verdict"])
            host = _host(shop, ended, cpu, begun)
            runs.finish(shop.results, run.id, runs.Record(taken, host, row))
        except BaseException:
            runs.discard(shop.results, run.id)
            raise
    return Outcome(row, ended)


def drop_captures(
    folder: layout.Run, taken: manifest.Manifest, keep: str, verdict: str
) -> None:
    """Remove packet captures that are not to be kept; their hashes stay in `taken`."""
    if keep == "all" or (keep == "failed" and verdict != "ok"):
        return
    for name in filter(manifest.is_capture, taken):
        (folder.artefacts / name).unlink()
        taken[name]["kept"] = False


def _bounds(run: PlannedRun, options: Options) -> Bounds:
    return bounds(run.job, options.wall_limit_s, options.silence_limit_s)


def _host(shop: Workshop, ended: Exit, cpu: int | None, begun: str) -> dict[str, Any]:
    return {
        "format": layout.FORMAT,
        "backend": shop.backend.name,
        "build": dict(shop.build),
        "exit": asdict(ended),
        "cpu": cpu,
        "begun": begun,
        "ended": provenance.now(),
        "invocation": dict(shop.invocation),
        "provenance": dict(shop.provenance),
    }
