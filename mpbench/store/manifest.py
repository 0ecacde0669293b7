"""Sizes and hashes of all files of a run, and what differs between two executions."""

import hashlib
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from mpbench.store import atomic, json_file, trees
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Run
from mpbench.store.records import Record, validated

CAPTURE_SUFFIXES = (".pcap", ".pcapng")
FORMAT = 2
ARTEFACTS = "artefacts/"
NAME = "manifest.json"
HASH_PATTERN = "^([0-9a-f]{64})?$"
MOST_FILES = 100_000
MOST_BYTES = 4 << 30
MOST_JSON_BYTES = 256 << 20
"""Of an artefact in JSON, all of which its readers keep in memory."""

Files = dict[str, dict[str, Any]]
"""Path to {"sha256": hex, "bytes": int}; a file that was removed on purpose has
"kept": false as well."""


class FileEntry(Record):
    """One file. `was` is the hash of the file's earlier content, which is accepted
    while the file is being replaced."""

    sha256: Annotated[str, Field(pattern=HASH_PATTERN)]
    bytes: Annotated[int, Field(ge=0, lt=2**63)]
    kept: Literal[False] | None = None
    was: Annotated[str, Field(pattern=HASH_PATTERN)] | None = None


class ManifestFile(Record):
    """`manifest.json` of format 2: every file of the run but itself."""

    format: Literal[2]
    files: Annotated[dict[str, FileEntry], Field(max_length=MOST_FILES)]


@dataclass(frozen=True)
class Manifest:
    """The manifest of a stored run.

    files : by path below the run's folder
    covers_records : False for a manifest of format 1, which has the artefacts alone,
        so that nobody can tell whether the row was changed
    """

    files: Files
    covers_records: bool

    @property
    def artefacts(self) -> Files:
        """The artefacts, by path below ``artefacts/``."""
        return {
            path.removeprefix(ARTEFACTS): entry
            for path, entry in self.files.items()
            if path.startswith(ARTEFACTS)
        }

    @property
    def unsettled(self) -> bool:
        """Whether a rewriting of records was cut short."""
        return any("was" in entry for entry in self.files.values())


def take(artefacts: Path) -> Files:
    """Hash every file below `artefacts`; a link counts as its target's name."""
    return {
        path.relative_to(artefacts).as_posix(): _entry(path)
        for path in _files(artefacts)
    }


def write(run: Run, artefacts: Files) -> None:
    """Write the manifest of a complete run.

    artefacts : of the execution, those that were removed included
    """
    below = {f"{ARTEFACTS}{name}": entry for name, entry in artefacts.items()}
    run.manifest.write_bytes(atomic.encode(_content({**_others(run), **below})))


def read(run: Run) -> Manifest:
    """The manifest of a stored run; raises DamagedError if it is none."""
    content = json_file.read_object(run.manifest)
    if "format" in content and not isinstance(content["format"], dict):
        validated(ManifestFile, content)
        return Manifest(_plain_paths(content["files"]), covers_records=True)
    for entry in content.values():
        validated(FileEntry, entry if isinstance(entry, Mapping) else {})
    files = {f"{ARTEFACTS}{name}": entry for name, entry in content.items()}
    return Manifest(_plain_paths(files), covers_records=False)


def rewrite(run: Run, records: Mapping[str, bytes]) -> None:
    """Replace records of a stored run, and cover them by the manifest.

    records : the new content of ``row.json`` and the like, by name

    Killed between two steps, it leaves a run whose manifest accepts the old records
    and the new ones (`Manifest.unsettled`). Raises DamagedError.
    """
    others = _others(run)
    files = {**read(run).files, **others}
    for name, content in records.items():
        old, new = others.get(name, {}), _entry_of(content)
        files[name] = {**new, "was": old["sha256"]} if old else new
    atomic.write_json(run.manifest, _content(files))
    for name, content in records.items():
        atomic.write_bytes(run.root / name, content)
    settled = {
        path: {key: value for key, value in entry.items() if key != "was"}
        for path, entry in files.items()
    }
    atomic.write_json(run.manifest, _content(settled))


def faults(run: Run, manifest: Manifest) -> list[str]:
    """Differences between the files of a stored run and its manifest, in a few words
    each."""
    here = {path.relative_to(run.root).as_posix(): path for path in _files(run.root)}
    here.pop(NAME, None)
    if not manifest.covers_records:
        here = {name: p for name, p in here.items() if name.startswith(ARTEFACTS)}
    kept = {n: e for n, e in manifest.files.items() if e.get("kept") is not False}
    found = [f"{name} is missing" for name in sorted(kept.keys() - here.keys())]
    for name in sorted(here):
        about = here[name].lstat()
        if not name.isprintable():
            found.append(f"{shown(name)} has a name that no run gives a file")
        elif not stat.S_ISREG(about.st_mode):
            found.append(f"{name} is not a regular file")
        elif name not in kept:
            found.append(f"{name} is not in the manifest")
        elif about.st_size > _most_bytes(name):
            found.append(f"{name} is larger than any run makes it")
        elif not _fits(here[name], about.st_size, kept[name]):
            found.append(f"{name} was changed")
    return found


def strange(folder: Path) -> list[Path]:
    """The links, pipes and devices below `folder`, folders that stand too deep, and the
    files and folders whose names have control characters or bytes that are no text. No
    run has to leave any."""
    return [
        path
        for path in _files(folder)
        if not stat.S_ISREG(path.lstat().st_mode)
        or not path.relative_to(folder).as_posix().isprintable()
    ]


def shown(name: str) -> str:
    """A stranger's file name for a message: one line, with escapes for characters that
    a terminal would not print."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name[:200])


@dataclass(frozen=True)
class Difference:
    """One artefact that two executions do not share.

    artefact : its name, as it is shown
    what : ``differs``, ``missing`` (now) or ``new``
    """

    artefact: str
    what: str


def compare(
    before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]
) -> list[Difference]:
    """Differences of the execution `now` from that `before`, by name."""
    found = []
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            found.append(Difference(shown(name), "missing"))
        elif name not in before:
            found.append(Difference(shown(name), "new"))
        elif before[name]["sha256"] != now[name]["sha256"]:
            found.append(Difference(shown(name), "differs"))
    return found


def is_capture(name: str) -> bool:
    """Whether an artefact is a packet capture, compressed or not."""
    return any(suffix in CAPTURE_SUFFIXES for suffix in Path(name).suffixes)


def _content(files: Files) -> dict[str, Any]:
    return {"format": FORMAT, "files": dict(sorted(files.items()))}


def _others(run: Run) -> Files:
    """The files of a run that are neither artefacts nor the manifest."""
    return {
        path.relative_to(run.root).as_posix(): _entry(path)
        for path in _files(run.root)
        if path != run.manifest and run.artefacts not in path.parents
    }


def _most_bytes(name: str) -> int:
    return MOST_JSON_BYTES if name.endswith(".json") else MOST_BYTES


def _plain_paths(files: Files) -> Files:
    """Raises DamagedError for a path that leads out of the run's folder."""
    for name in files:
        parts = name.split("/")
        if not name.isprintable() or any(part in ("", ".", "..") for part in parts):
            raise DamagedError(f"{name[:60]!r} is not the path of a file of the run")
    return files


def _files(root: Path) -> Iterator[Path]:
    """Everything below `root` but folders, sorted; links are not followed.

    A folder that stands deeper than any run has one is there too, and not entered.
    """
    return iter(sorted(path for path, entered in trees.below(root) if not entered))


def _fits(path: Path, size: int, entry: Mapping[str, Any]) -> bool:
    if size != entry["bytes"] and "was" not in entry:
        return False
    return _entry(path)["sha256"] in (entry["sha256"], entry.get("was"))


def _entry(path: Path) -> dict[str, Any]:
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        return _entry_of(str(path.readlink()).encode())
    if not stat.S_ISREG(about.st_mode):
        return {"sha256": "", "bytes": 0}
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "bytes": about.st_size}


def _entry_of(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
