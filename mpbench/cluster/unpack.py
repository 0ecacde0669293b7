"""A run's folder out of the archive that a worker sent, checked like a stranger's."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from jobs import Job
from mpbench.plan.stored_jobs import read_job
from mpbench.store import layout, runs
from mpbench.store.json_file import DamagedError
from mpbench.store.trees import MOST_DEPTH

MOST_FILES = 100_000
MOST_BYTES = 16 << 30
MOST_RATIO = 300
"""Bytes that a received byte may become; a run's files give 30 at most."""
SMALL_BYTES = 64 << 20
"""So many bytes are unpacked at any ratio."""
MOST_NAME_BYTES = 4096
PIECE_BYTES = 1 << 16


def unpack(packed: bytes, folder: Path, run_id: str, job: Job) -> layout.Results:
    """Unpack a run into the empty `folder`, as a results folder with this run alone.

    Raises DamagedError if the archive holds anything but the files of the run
    `run_id` with that job, each with its hash in the run's manifest.
    """
    results = layout.Results(folder)
    results.runs.mkdir()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as archive:
            stream = cast(BinaryIO, archive)
            _extract(stream, run_id, results.runs, most_bytes(len(packed)))
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise DamagedError(f"no archive of a run ({error})") from error
    stored = runs.read(results, run_id)
    if stored is None or stored.row is None:
        raise DamagedError(stored.fault if stored else "the run is missing")
    if read_job(results, run_id) != job:
        raise DamagedError("the run of another job")
    return results


def most_bytes(received: int) -> int:
    """The bytes that an archive of `received` bytes may become on the disk."""
    return min(MOST_BYTES, SMALL_BYTES + MOST_RATIO * received)


def _extract(stream: BinaryIO, run_id: str, target: Path, bound: int) -> None:
    """Write an archive's regular files below `target`, under their own names.

    Headers are read one block at a time: `tarfile` would read as many bytes for one as
    it says, write the holes of sparse files, and follow links. Raises ValueError.

    bound : bytes of all files together, as they are written
    """
    written = 0
    for number, entry in enumerate(_entries(stream)):
        if number >= MOST_FILES:
            raise ValueError("too many files")
        path = target.joinpath(*_parts(entry.name, run_id))
        if entry.isdir():
            path.mkdir()
            continue
        written += entry.size
        if written > bound:
            raise ValueError("too large")
        with path.open("xb") as file:
            _copy(stream, file, entry.size)
        _read(stream, -entry.size % tarfile.BLOCKSIZE)


def _entries(stream: BinaryIO) -> Iterator[tarfile.TarInfo]:
    """The headers of an archive's files and folders. Their contents are not read here.

    Raises ValueError.
    """
    name = ""
    while block := _read(stream, tarfile.BLOCKSIZE):
        if not any(block):
            return
        entry = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        if entry.size < 0:
            raise ValueError("a file of a negative size")
        if entry.type == tarfile.GNUTYPE_LONGNAME:
            if name or entry.size > MOST_NAME_BYTES:
                raise ValueError("a name that is too long")
            name = _read(stream, entry.size).rstrip(b"\0").decode()
            _read(stream, -entry.size % tarfile.BLOCKSIZE)
            continue
        if entry.type not in (tarfile.REGTYPE, tarfile.DIRTYPE):
            raise ValueError("more than files and folders")
        entry.name, name = name or entry.name, ""
        yield entry
    raise EOFError("its end is missing")


def _parts(name: str, run_id: str) -> tuple[str, ...]:
    """The parts of a path below the run's folder. Raises ValueError."""
    parts = PurePosixPath(name).parts
    if parts[:1] != (run_id,) or ".." in parts:
        raise ValueError("a file beside the run's folder")
    if not name.isprintable():
        raise ValueError("a name with control characters")
    if len(parts) > MOST_DEPTH:
        raise ValueError("folders that are nested too deeply")
    return parts


def _copy(stream: BinaryIO, file: BinaryIO, size: int) -> None:
    while size:
        piece = _read(stream, min(size, PIECE_BYTES))
        file.write(piece)
        size -= len(piece)


def _read(stream: BinaryIO, size: int) -> bytes:
    """Exactly `size` bytes. Raises EOFError."""
    data = stream.read(size)
    if len(data) != size:
        raise EOFError("it is cut short")
    return data
