"""A run's folder out of the archive that a worker sent, checked like a stranger's."""

import io
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mpbench.plan.stored_jobs import read_job
from mpbench.store import layout, runs
from mpbench.store.json_file import DamagedError

MOST_FILES = 100_000
MOST_BYTES = 16 << 30


def unpack(
    packed: bytes, folder: Path, run_id: str, job: Mapping[str, Any]
) -> layout.Results:
    """Unpack a run into the empty `folder`, as a results folder with this run alone.

    Raises DamagedError if the archive holds anything but the files of the run
    `run_id` with that job, each as the run's manifest has it.
    """
    results = layout.Results(folder)
    results.runs.mkdir()
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            _extract(archive, run_id, results.runs)
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise DamagedError(f"no archive of a run ({error})") from error
    stored = runs.read(results, run_id)
    if stored is None or stored.row is None:
        raise DamagedError(stored.fault if stored else "the run is missing")
    if dict(read_job(results, run_id)) != dict(job):
        raise DamagedError("the run of another job")
    return results


def _extract(archive: tarfile.TarFile, run_id: str, target: Path) -> None:
    """Write the archive's regular files below `target`, under their own names.

    `tarfile` of Python 3.11 follows links and absolute names, so it only reads here.
    """
    size = 0
    for number, member in enumerate(archive):
        parts = PurePosixPath(member.name).parts
        if parts[:1] != (run_id,) or ".." in parts:
            raise ValueError("a file beside the run's folder")
        size += member.size
        if number >= MOST_FILES or size > MOST_BYTES:
            raise ValueError("too many files, or too large")
        path = target.joinpath(*parts)
        if member.isdir():
            path.mkdir()
        elif member.isreg() and (content := archive.extractfile(member)) is not None:
            with path.open("xb") as file:
                shutil.copyfileobj(content, file)
        else:
            raise ValueError("more than files and folders")
