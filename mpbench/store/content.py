"""Files of users that runs need, each named by its SHA-256.

    ~/.cache/mpbench/content/SHA256   what experiment files named on this machine
    OUT/programs/SHA256               what the runs of a results folder need

A file in a results folder may come from a stranger. It is compared with its name
wherever it is copied, and never executed on this machine.
"""

import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from jobs import Job
from mpbench.errors import UserError
from mpbench.kernel import cache
from mpbench.store import atomic, json_file
from mpbench.store.disk_space import explained
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Results

MOST_BYTES = 64 << 20
_NAME = re.compile(r"[0-9a-f]{64}")
UNUSED_S = 30 * 86_400
"""A file of the cache that nobody has used for so long is removed."""


def folder() -> Path:
    return cache.root() / "content"


def add(content: bytes) -> str:
    """Put a file into the cache; returns its name. Raises UserError."""
    name = hashlib.sha256(content).hexdigest()
    place = folder() / name
    try:
        folder().mkdir(parents=True, exist_ok=True)
        if place.is_file() and _digest(place) == name:
            os.utime(place)
            return name
        part = place.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        part.write_bytes(content)
        part.replace(place)
        _forget()
    except OSError as error:
        raise UserError(f"{place}: cannot be kept: {error.strerror}") from error
    return name


def _forget() -> None:
    """Remove what nobody has used for long."""
    for path in folder().iterdir():
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > UNUSED_S:
                path.unlink()


def names(job: Job) -> tuple[str, ...]:
    """The files that a job needs, by their names here."""
    return tuple(dict.fromkeys([*(job.programs or {}).values(), *job.files]))


def keep(results: Results, jobs: Iterable[Job]) -> None:
    """Put the files of jobs into a results folder, and those of it into the cache.

    Raises UserError if a file is in neither.
    """
    wanted = dict.fromkeys(name for job in jobs for name in names(job))
    if not wanted:
        return
    with explained(results.root):
        results.programs.mkdir(exist_ok=True)
        for name in wanted:
            place = results.programs / name
            if _digest(place) == name:
                _restore(results, name)
            else:
                atomic.write_bytes(place, read(name))


def restore(results: Results, job: Job) -> None:
    """Put the files that a stored run needs into the cache.

    Raises UserError if the results folder lacks one or has another in its place.
    """
    for name in names(job):
        _restore(results, name)


def _restore(results: Results, name: str) -> None:
    if _digest(folder() / name) == name:
        return
    place = results.programs / name
    try:
        content = json_file.read_bytes(place, MOST_BYTES)
    except DamagedError as error:
        raise UserError(
            f"{place}: {error}; put the file back, or run the experiment again"
        ) from error
    if hashlib.sha256(content).hexdigest() != name:
        raise UserError(f"{place}: not the file that its name says; put it back")
    add(content)


def copy(source: Results, results: Results) -> None:
    """Copy the files of another results folder, of those that fit their names."""
    if not source.programs.is_dir() or source.programs.is_symlink():
        return
    for path in source.programs.iterdir():
        if _digest(path) == path.name and _digest(results.programs / path.name) == "":
            results.programs.mkdir(exist_ok=True)
            content = json_file.read_bytes(path, MOST_BYTES)
            atomic.write_bytes(results.programs / path.name, content)


def faults(results: Results, run_ids: Iterable[str]) -> Iterator[str]:
    """Files of a results folder that are not what their names say, and files that runs
    need and that are not there, one line each."""
    if results.programs.is_symlink():
        yield "programs: a symbolic link"
        return
    there: set[str] = set()
    if results.programs.is_dir():
        for path in sorted(results.programs.iterdir()):
            there.add(path.name)
            if _digest(path) != path.name:
                yield f"programs/{path.name[:64]!a}: not the file that its name says"
    for name in sorted(wanted(results, run_ids) - there):
        yield f"programs/{name}: missing, and runs need it"


def wanted(results: Results, run_ids: Iterable[str]) -> set[str]:
    """The files that the jobs of stored runs name; damaged jobs name none."""
    found: set[str] = set()
    for run_id in run_ids:
        try:
            job = json_file.read_object(results.run(run_id).job)
        except DamagedError:
            continue
        programs, files = job.get("programs"), job.get("files")
        found.update(map(str, programs.values() if isinstance(programs, dict) else ()))
        found.update(map(str, files if isinstance(files, list) else ()))
    return {name for name in found if _NAME.fullmatch(name)}


def lost(results: Results, run_ids: Iterable[str]) -> list[str]:
    """The files that stored runs need and that the folder has not, or has otherwise."""
    names = sorted(wanted(results, run_ids))
    return [name for name in names if _digest(results.programs / name) != name]


def read(name: str) -> bytes:
    """A file of the cache. Raises UserError if it is not there."""
    place = folder() / name
    try:
        content = json_file.read_bytes(place, MOST_BYTES)
    except DamagedError:
        content = b""
    if hashlib.sha256(content).hexdigest() != name:
        raise UserError(
            f"{place}: a program or file of the experiment is not there any more; "
            "read the experiment file again"
        )
    with contextlib.suppress(OSError):
        os.utime(place)
    return content


def _digest(path: Path) -> str:
    """SHA-256 of a regular file; "" if there is none of bounded size."""
    try:
        return hashlib.sha256(json_file.read_bytes(path, MOST_BYTES)).hexdigest()
    except DamagedError:
        return ""
