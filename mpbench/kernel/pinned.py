"""The Linux that guest kernels are built of, and what may stand for it.

`kernel/linux.lock` names one source of Linux by its SHA-256. A subset of it, which
releases of mpbench bring (packing/linux.py), has an SHA-256 there as well. A kernel
built of the subset has the same bytes, so the subset counts as that source: the
kernel's key is the same.
"""

import hashlib
import lzma
import re
from dataclasses import dataclass
from pathlib import Path

from mpbench import carried
from mpbench.errors import UserError

FILE = carried.ROOT / "kernel/linux.lock"
FORMS = {
    "version": re.compile(r"\d+\.\d+(\.\d+)?"),
    "origin": re.compile(r"Debian linux-source-\S{1,20} \S{1,40}"),
    "whole": re.compile(r"[0-9a-f]{64}"),
    "subset": re.compile(r"[0-9a-f]{64}"),
}


@dataclass(frozen=True)
class Pinned:
    """The lines of the lock file.

    version : of Linux
    origin : Debian's package of the whole source, and its version
    whole : the SHA-256 of the tarball with the whole source
    subset : the SHA-256 of the subset's archive before it is compressed
    """

    version: str
    origin: str
    whole: str
    subset: str

    @property
    def package(self) -> str:
        """The version of Debian's package that has it."""
        return self.origin.split()[-1]

    @property
    def top(self) -> str:
        """The folder in the subset's archive that has all its files."""
        return f"linux-{self.version}-um"

    @property
    def file(self) -> str:
        """The name of the subset's archive."""
        return f"{self.top}.tar.xz"


def read(file: Path | None = None) -> Pinned:
    """The lock file's content. Raises UserError, `file:line: what`."""
    file = FILE if file is None else file
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: cannot be read: {error}") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line or line.startswith("#"):
            continue
        name, _, value = line.partition(" ")
        form = FORMS.get(name)
        if form is None or not form.fullmatch(value):
            known = ", ".join(FORMS)
            raise UserError(
                f"{file}:{number}: not a line of this file; they are: {known}"
            )
        found[name] = value
    missing = FORMS.keys() - found.keys()
    if missing:
        raise UserError(f"{file}:1: no line {', '.join(sorted(missing))}")
    return Pinned(**found)


def is_subset(tarball: Path, lock: Pinned) -> bool:
    """Whether a file is the pinned subset, however it was compressed."""
    total = hashlib.sha256()
    try:
        with lzma.open(tarball) as content:
            start = content.read(512)
            if not start.startswith(f"{lock.top}/".encode()):
                return False
            total.update(start)
            while block := content.read(1 << 20):
                total.update(block)
    except (OSError, EOFError, lzma.LZMAError):
        return False
    return total.hexdigest() == lock.subset
