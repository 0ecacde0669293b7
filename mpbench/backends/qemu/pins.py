"""Which packages a release of Linux stands for: pinned, so that files mean the same.

mpbench pins some releases itself (`kernels.lock`). Another release is looked up in
Debian's archive once, and the answer is kept in the user's cache folder. The packages
take the place of the release when an experiment is read, so that results name them.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import reading, writing
from jobs.linux import Linux, Package
from mpbench.backends.qemu import archive, binaries
from mpbench.errors import UserError
from mpbench.kernel import cache
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell
from mpbench.spec.document import Document
from mpbench.spec.kernels import QEMU, RELEASE
from mpbench.spec.messages import shortened

KEY = "kernels"
FILE = Path(__file__).with_name("kernels.lock")
COLUMNS = ("name", "version", "suite", "bytes", "sha256", "path")
LONGEST_BYTES = 1 << 16


def in_place(document: Document) -> Document:
    """The document with the packages of every kernel that is to boot in QEMU.

    Raises UserError, one line, for a release that Debian's archive does not have, and
    where neither the archive nor a pin can be read.
    """
    kernels = document.values.get(KEY)
    if not isinstance(kernels, dict):
        return document
    changed: dict[Any, Any] = {}
    for label, kernel in kernels.items():
        if not isinstance(kernel, dict) or kernel.get("machine") != QEMU:
            continue
        release = kernel.get("linux")
        known = isinstance(release, str) and re.fullmatch(RELEASE, release)
        if not known or "packages" in kernel:
            continue
        try:
            found = of(str(release))
        except UserError as error:
            where = document.where((KEY, label, "linux"))
            place = f"{KEY}.{shortened(label)}.linux"
            raise UserError(f"{where}: {place}: {error}") from None
        changed[label] = {**kernel, "packages": writing.plain(found)}
    if not changed:
        return document
    values = {**document.values, KEY: {**kernels, **changed}}
    return replace(document, values=values, rewritten=True)


def of(release: str) -> tuple[Package, ...]:
    """The packages of a release, by mpbench's pins or by those of the user's cache.

    Without both, Debian's archive is asked, and the answer kept.
    """
    known = pinned()
    if release in known:
        return known[release]
    for packages in known.values():
        if packages[0].upstream == release:
            return packages
    kept = folder() / f"{release}.json"
    return _kept(kept) or _asked(release, kept)


def folder() -> Path:
    """The folder of the user's own pins."""
    return cache.root() / "binaries" / "pins"


def unneeded(everything: bool) -> list[Path]:
    """The folders of kernels of Debian's that no pin of mpbench's or the user's names.

    everything : all kernels instead, and images of the user's
    """
    known = [*pinned().values()]
    known += [p for file in folder().glob("*.json") if (p := _kept(file))]
    keys = {binaries.key(Linux(lab=False, packages=packages)) for packages in known}
    found = (path for path in binaries.folder().glob("[0-9a-f]*") if path.is_dir())
    return [
        path
        for path in found
        if everything or not (path.name in keys or _is_image(path))
    ]


def _is_image(place: Path) -> bool:
    """Whether a kernel came from a file of the user's."""
    try:
        return "binary" in json.loads((place / "info.json").read_text())
    except (OSError, ValueError, TypeError):
        return False


def pinned(file: Path = FILE) -> dict[str, tuple[Package, ...]]:
    """The releases that mpbench pins. Raises UserError for a line that is no pin."""
    found: dict[str, tuple[Package, ...]] = {}
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        if line and not line.startswith("#"):
            release, *words = line.split(" ")
            try:
                package = _package(words)
            except ValueError as error:
                raise UserError(f"{file}:{number}: {error}") from None
            found[release] = (*found.get(release, ()), package)
    return found


def lines(release: str, packages: Iterable[Package]) -> Iterator[str]:
    """The lines of a release in `kernels.lock`."""
    for package in packages:
        words = (str(getattr(package, column)) for column in COLUMNS)
        yield " ".join((release, *words))


def _package(words: list[str]) -> Package:
    if len(words) != len(COLUMNS):
        raise ValueError(f"a pin has {len(COLUMNS) + 1} words, and not {len(words)}")
    given: dict[str, Any] = dict(zip(COLUMNS, words, strict=True))
    if not given["bytes"].isdecimal():
        raise ValueError(f"{given['bytes']!r} is no number of bytes")
    return _read({**given, "bytes": int(given["bytes"])})


def _read(document: object) -> Package:
    package = reading.reader(Package)(document)
    assert isinstance(package, Package)
    return package


def _kept(file: Path) -> tuple[Package, ...] | None:
    try:
        with file.open("rb") as handle:
            listed = json.loads(handle.read(LONGEST_BYTES))
        return tuple(map(_read, listed)) or None
    except (OSError, ValueError, TypeError):
        return None


def _asked(release: str, kept: Path) -> tuple[Package, ...]:
    """Ask the archive, and keep its answer."""
    output = Progress()
    with ExitStack() as stack:
        stack.enter_context(exclusive(kept.parent, output.say))
        if ready := _kept(kept):
            return ready
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shell = Shell(work / "log")
        stack.callback(shell.close)
        (work / "apt").mkdir()
        with output.step("archive", f"Debian's packages of Linux {release}"):
            found = archive.newest(shell, work / "apt", release)
        part = kept.with_suffix(".new")
        part.write_text(json.dumps(writing.plain(found), indent=1) + "\n")
        part.replace(kept)
    return found
