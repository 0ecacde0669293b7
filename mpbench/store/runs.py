"""The runs of a results folder: begun aside, put in place when complete."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench.store import atomic, layout
from mpbench.store.folder import remove_tree
from mpbench.store.manifest import Manifest

Row = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """What the engine adds to a run's artefacts.

    manifest : of every artefact, those not kept included
    host : what may differ between two executions
    row : verdict, reason and metrics
    """

    manifest: Manifest
    host: Mapping[str, Any]
    row: Row


def begin(results: layout.Results, run_id: str, job: Mapping[str, Any]) -> layout.Run:
    """Make the folder in which the run `run_id` is to be executed."""
    run = results.partial(run_id)
    remove_tree(run.root)
    run.artefacts.mkdir(parents=True)
    atomic.write_json(run.job, dict(sorted(job.items())))
    return run


def discard(results: layout.Results, run_id: str) -> None:
    """Forget an execution that will not be finished."""
    remove_tree(results.partial(run_id).root)


def finish(results: layout.Results, run_id: str, record: Record) -> None:
    """Put a complete run in its place, at once and whole.

    The run that stood there, if any, stays until then.
    """
    run, place = results.partial(run_id), results.run(run_id).root
    run.manifest.write_bytes(atomic.encode(record.manifest))
    run.host.write_bytes(atomic.encode(record.host))
    run.row.write_bytes(atomic.encode(record.row))
    atomic.sync_tree(run.root)
    if not place.exists():
        atomic.rename(run.root, place)
        return
    old = results.replaced(run_id).root
    remove_tree(old)
    atomic.rename(place, old)
    atomic.rename(run.root, place)
    remove_tree(old)


def finished(results: layout.Results) -> list[str]:
    """The ids of all runs in place, of this plan or an earlier one, sorted."""
    if not results.runs.is_dir():
        return []
    return sorted(
        path.name
        for path in results.runs.iterdir()
        if path.is_dir() and not path.name.startswith(".")
    )


def read_row(results: layout.Results, run_id: str) -> Row | None:
    """The row of a finished run; None if there is none that can be read."""
    run = results.run(run_id)
    row = read_json(run.row)
    if row is None or "verdict" not in row or not run.manifest.exists():
        return None
    return row


def read_json(path: Path) -> dict[str, Any] | None:
    """An object from a file; None if it is missing, damaged or something else."""
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return content if isinstance(content, dict) else None
