"""The runs of a results folder: begun aside, put in place when complete, read back.

Whoever reads a run compares it with its manifest (`read`), so that a file that was
changed, lost or added after the run is told instead of entering a result.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs import Job, dump
from mpbench.store import atomic, json_file, layout, manifest
from mpbench.store.json_file import DamagedError
from mpbench.store.records import (
    MOST_NAME,
    UNPRINTABLE,
    Host,
    Row,
    Worker,
    check_row,
    validated,
)
from mpbench.store.trees import remove_tree

__all__ = ["Record", "Row", "Stored"]

MOST_WORKER_BYTES = 4096


@dataclass(frozen=True)
class Record:
    """Files that the engine adds to a run's artefacts.

    artefacts : of the execution, those that are not kept included
    host : what may differ between two executions
    row : verdict, reason and metrics
    """

    artefacts: manifest.Files
    host: Mapping[str, Any]
    row: Row


@dataclass(frozen=True)
class Stored:
    """A stored run as it was found.

    row : None if the run is damaged
    fault : what is wrong with the run, "" if nothing is
    host : None if host.json cannot be read
    covered : whether the manifest covers the row; an older mpbench left it out
    unsettled : whether a rewriting of the row was cut short
    """

    row: Row | None
    fault: str = ""
    host: Host | None = None
    covered: bool = True
    unsettled: bool = False


def document(job: Job) -> dict[str, Any]:
    """The content of `job.json`."""
    return dict(sorted(dump(job).items()))


def begin(results: layout.Results, run_id: str, job: Job) -> layout.Run:
    """Make the folder in which the run `run_id` is to be executed."""
    run = results.partial(run_id)
    remove_tree(run.root)
    run.artefacts.mkdir(parents=True)
    atomic.put_json(run.job, document(job))
    return run


def note_worker(results: layout.Results, run_id: str, worker: str) -> None:
    """Note for readers of the folder which worker of a cluster executes a run."""
    name = re.sub(UNPRINTABLE, "?", worker)[:MOST_NAME]
    run = results.partial(run_id)
    run.root.mkdir(exist_ok=True)
    atomic.write_json(run.worker, {"worker": name})


def read_worker(run: layout.Run) -> str:
    """The worker that executes a run in flight; "" if none is noted there.

    A run with a job is executed on this machine, and its guest may have written
    anything beside the job.
    """
    if run.job.exists():
        return ""
    try:
        content = json_file.read_object(run.worker, MOST_WORKER_BYTES)
        worker: str = validated(Worker, content).worker
    except DamagedError:
        return ""
    return worker


def discard(results: layout.Results, run_id: str) -> None:
    """Forget an execution that will not be finished."""
    remove_tree(results.partial(run_id).root)


def clean(run: layout.Run, job: Job) -> list[str]:
    """Remove what a guest may have left beside its artefacts; the names of what was
    no regular file, or had a name that is no line of text.

    A guest can write what it likes in its run's folder: a link in place of a record,
    which would lead the engine's next write elsewhere, or a pipe that blocks who
    reads it.
    """
    if run.artefacts.is_symlink() or not run.artefacts.is_dir():
        remove_tree(run.artefacts)
        run.artefacts.mkdir()
        names = [run.artefacts.name]
    else:
        names = []
    for path in run.root.iterdir():
        if path != run.artefacts and (path.is_symlink() or path.name != "boot"):
            remove_tree(path)
    for path in manifest.strange(run.root):
        names.append(manifest.shown(path.relative_to(run.root).as_posix()))
        remove_tree(path)
    atomic.put_json(run.job, document(job))
    return names


def finish(results: layout.Results, run_id: str, record: Record) -> None:
    """Put a complete run in its place, at once and whole.

    The run that stood there, if any, stays until then.
    """
    run = results.partial(run_id)
    run.host.write_bytes(atomic.encode(record.host))
    run.row.write_bytes(atomic.encode(record.row))
    manifest.write(run, record.artefacts)
    _put_in_place(results, run_id)


def copy(source: layout.Results, results: layout.Results, run_id: str) -> None:
    """Copy a run that was read from `source` and found sound into its place."""
    run = results.partial(run_id)
    remove_tree(run.root)
    shutil.copytree(source.run(run_id).root, run.root, symlinks=True)
    _put_in_place(results, run_id)


def _put_in_place(results: layout.Results, run_id: str) -> None:
    """Move a complete run from its partial folder into its place."""
    run, place = results.partial(run_id), results.run(run_id).root
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
        path.name for path in results.runs.iterdir() if layout.is_run_id(path.name)
    )


def read(results: layout.Results, run_id: str) -> Stored | None:
    """The run in its place, compared with its manifest; None if there is no such run.

    All files are hashed: about a second per GB.
    """
    run = results.run(run_id)
    if not run.root.exists() and not run.root.is_symlink():
        return None
    host = None
    try:
        check_folders(results, run)
        listed = named("manifest.json", lambda: manifest.read(run))
        host = read_host(results, run_id)
        row = named("row.json", lambda: json_file.read_object(run.row))
        named("row.json", lambda: check_row(row, run_id))
        if faults := manifest.faults(run, listed):
            more = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
            raise DamagedError("; ".join(faults[:3]) + more)
    except DamagedError as error:
        return Stored(None, str(error), host)
    except OSError as error:
        return Stored(None, f"cannot be read: {error.strerror}", host)
    return Stored(row, "", host, listed.covers_records, listed.unsettled)


def read_all(results: layout.Results, ids: Iterable[str]) -> dict[str, Stored]:
    """The runs of `ids` that are there, read by as many threads as there are CPUs."""
    wanted = list(dict.fromkeys(ids))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = pool.map(lambda run_id: read(results, run_id), wanted)
        pairs = zip(wanted, found, strict=True)
        return {run_id: stored for run_id, stored in pairs if stored is not None}


def changed_row(results: layout.Results, run_id: str) -> Row | None:
    """The row of a run that is sound but for its row, which can be computed again.

    None if anything else of the run was changed too, or the row is no row.
    """
    run = results.run(run_id)
    try:
        listed = manifest.read(run)
        if manifest.faults(run, listed) != ["row.json was changed"]:
            return None
        row = json_file.read_object(run.row)
        check_row(row, run_id)
    except (DamagedError, OSError):
        return None
    return row


def read_host(results: layout.Results, run_id: str) -> Host:
    """`host.json` of a stored run; raises DamagedError."""
    path = results.run(run_id).host
    host: Host = named(
        "host.json", lambda: validated(Host, json_file.read_object(path))
    )
    return host


def read_json(path: Path) -> dict[str, Any] | None:
    """An object from a file; None if it is missing, damaged or something else."""
    try:
        return json_file.read_object(path)
    except DamagedError:
        return None


def check_folders(results: layout.Results, run: layout.Run) -> None:
    """Raises DamagedError if a link stands in place of a folder."""
    for path in (results.runs, run.root, run.artefacts):
        if path.is_symlink():
            raise DamagedError(f"{path.name} is a symbolic link")
    if not run.root.is_dir():
        raise DamagedError("not a folder")


def named(name: str, read: Any) -> Any:
    """Result of `read`; its DamagedError says which file it is about."""
    try:
        return read()
    except DamagedError as error:
        raise DamagedError(f"{name}: {error}") from error
